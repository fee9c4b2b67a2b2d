// The dialog that imports policies of others, with the settings for each line, the reasons for what
// is not carried over, and the verdicts before and after.
import type { Imported, Mapping, Matrix, Policies, PolicyInput, TextMark } from "playground";
import { byId, loading, make, reason, withBreaks, withLine } from "./dom";
import { Editor } from "./editor";
import { type Engine } from "./engine";
import { chooseFiles, type NamedFile, onDrop, textOf } from "./files";
import { rank, word } from "./outcome";
import { complete, type Workspace } from "./workspace";

/** The source is read when the user has not typed for this many milliseconds. */
const TYPING_PAUSE = 250;
/** The comparison lists at most this many objects. */
const MAX_COMPARED = 20;

export interface ImportListeners {
  /** The present workspace. */
  read(): Workspace;
  onImport(workspace: Workspace, recognised: string): void;
  /** Opens a text that is a case. Returns whether it is one. */
  openCase(text: string): Promise<boolean>;
}

const dialog = byId<HTMLDialogElement>("import");
const apply = byId<HTMLButtonElement>("import-apply");

export class Import {
  private editor: Editor | undefined;
  private timer: number | undefined;
  private imported: Imported | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly catalog: Policies,
    private readonly listeners: ImportListeners,
  ) {
    apply.addEventListener("click", () => void this.apply());
    byId("import-case").addEventListener("click", () => {
      const { text } = this.source();
      dialog.close();
      void listeners.openCase(text);
    });
    const open = (files: Promise<NamedFile[]>) => void this.openFiles(files);
    chooseFiles("import-file", open);
    onDrop(dialog, open);
  }

  open(text = ""): void {
    dialog.showModal();
    const editor = this.source();
    if (text !== "") editor.open(text);
    void this.recognise();
  }

  private source(): Editor {
    this.editor ??= new Editor(byId("import-source"), {
      label: "Policy to import",
      hint: "Paste a ClusterAdmissionPolicy, a PodSecurity configuration, a Namespace with labels, Kyverno policies and exceptions, or a test file",
      onChange: () => {
        window.clearTimeout(this.timer);
        this.timer = window.setTimeout(() => void this.recognise(), TYPING_PAUSE);
      },
    });
    return this.editor;
  }

  private async apply(): Promise<void> {
    const { imported } = this;
    if (!imported || apply.disabled) return;
    apply.disabled = true;
    try {
      const workspace = await this.workspace(imported);
      if (!workspace || this.imported !== imported) return;
      dialog.close();
      this.listeners.onImport(workspace, imported.recognised);
    } catch (error) {
      const message = `The policies could not be used: ${reason(error)}.`;
      byId("import-result").prepend(make("p", { class: "error" }, message));
    } finally {
      apply.disabled = this.imported === undefined;
    }
  }

  private async openFiles(files: Promise<NamedFile[]>): Promise<void> {
    try {
      const { text, left } = await textOf(await files);
      if (text !== undefined) this.source().change(text);
      else byId("import-result").replaceChildren(make("p", { class: "error" }, left));
    } catch (error) {
      const message = `The files could not be read: ${reason(error)}.`;
      byId("import-result").replaceChildren(make("p", { class: "error" }, message));
    }
  }

  private async recognise(): Promise<void> {
    const { text } = this.source();
    const result = byId("import-result");
    this.imported = undefined;
    apply.disabled = true;
    byId("import-case").hidden = true;
    if (text.trim() === "") {
      result.replaceChildren(make("p", { class: "hint" }, "The kind of the text is recognised."));
      return;
    }
    try {
      const imported = await loading(result, this.engine.call("importSource", text));
      if (this.source().text !== text) return;
      const opened = imported.recognised === "" ? await this.engine.call("openCase", text) : undefined;
      byId("import-case").hidden = opened?.workspace === undefined;
      if (opened?.workspace) {
        result.replaceChildren(make("p", {}, "This is a test file of ", make("code", {}, "portcullis test"), "."));
        return;
      }
      this.imported = imported.problem ? undefined : imported;
      result.replaceChildren(...this.shown(imported));
      apply.disabled = imported.policies.every(({ id }) => id === undefined) || imported.problem !== undefined;
      const { problem, mappings, left } = imported;
      this.source().setMarks([
        ...(problem?.mark ? [{ mark: problem.mark, message: problem.message, severity: "error" as const }] : []),
        ...left.flatMap(({ mark, reason }) =>
          mark ? [{ mark, message: `Not carried over: ${reason}`, severity: "warning" as const }] : [],
        ),
      ]);
      if (mappings.length || imported.policies.length) await this.compare(imported);
    } catch (error) {
      result.replaceChildren(make("p", { class: "error" }, `The text could not be imported: ${reason(error)}.`));
    }
  }

  private shown(imported: Imported): HTMLElement[] {
    const { recognised, problem, policies, mappings, left, notes } = imported;
    const select = (mark: TextMark) => this.source().select(mark);
    const line = (mark: TextMark | undefined) => withLine("", mark, select);
    if (problem) return [make("p", { class: "error" }, ...withLine(problem.message, problem.mark, select))];
    const missing = policies.filter(({ id }) => id === undefined);
    return [
      make("p", { class: "recognised" }, "Recognised: ", make("strong", {}, recognised)),
      ...(mappings.length ? [mappingTable(mappings, policies, line)] : []),
      ...(left.length
        ? [
            make("h3", {}, "Not carried over"),
            make(
              "ul",
              { class: "left" },
              ...left.map(({ mark, path, reason }) =>
                make("li", {}, ...line(mark), ...(path ? [make("code", {}, path), ": "] : []), reason),
              ),
            ),
          ]
        : []),
      ...(missing.length
        ? [
            make(
              "p",
              { class: "error" },
              "A policy uses a module that this playground does not have; it is left out.",
            ),
          ]
        : []),
      ...(notes.length
        ? [make("h3", {}, "Notes"), make("ul", {}, ...notes.map((note) => make("li", {}, note)))]
        : []),
      make("div", { id: "import-verdicts" }),
    ];
  }

  /**
   * Returns the present workspace with the imported policies in the place of its own, and with the
   * Namespaces of the source.
   */
  private async workspace({ policies, namespaces }: Imported): Promise<Workspace | undefined> {
    const inputs = policies.flatMap(({ id, settings, manifest }): PolicyInput[] =>
      id === undefined
        ? []
        : [{ id, enabled: true, mode: manifest ? "AsDeployed" : "RulesOnly", settings, manifest }],
    );
    if (inputs.length === 0) return undefined;
    const present = this.listeners.read();
    const added = await this.engine.call("addNamespaces", present, namespaces);
    return complete({ ...present, ...added, policies: inputs }, this.catalog, false);
  }

  /** Shows the verdicts of the present policies and those of the imported ones. */
  private async compare(imported: Imported): Promise<void> {
    const workspace = await this.workspace(imported);
    if (!workspace) return;
    const [now, after] = await Promise.all([
      this.engine.evaluateAside(this.listeners.read()),
      this.engine.evaluateAside(workspace),
    ]);
    if (this.imported !== imported) return;
    const place = document.getElementById("import-verdicts");
    const rows = now.objects
      .slice(0, MAX_COMPARED)
      .map(({ title }, index) =>
        make("tr", {}, make("th", { scope: "row" }, title), verdict(now, index), verdict(after, index)),
      );
    const head = ["Object", "Present policies", "Imported policies"].map((text) =>
      make("th", { scope: "col" }, text),
    );
    const more = now.objects.length - rows.length;
    place?.replaceChildren(
      make("h3", {}, "Verdicts on your objects"),
      make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)),
      ...(more > 0 ? [make("p", { class: "hint" }, `… and ${more} more objects`)] : []),
    );
  }
}

function mappingTable(
  mappings: Mapping[],
  policies: Imported["policies"],
  line: (mark: TextMark) => (Node | string)[],
): HTMLElement {
  // Several policies can have the same setting from the same line.
  const seen = new Map<string, Mapping>();
  for (const mapping of mappings) {
    const key = `${mapping.mark.line} ${mapping.source} ${policies[mapping.policy]?.id} ${mapping.target}`;
    if (!seen.has(key)) seen.set(key, mapping);
  }
  const several = new Set(policies.map(({ id }) => id)).size > 1;
  const rows = [...seen.values()].map(({ mark, source, policy, target }) =>
    make(
      "tr",
      {},
      make("td", {}, ...line(mark), make("code", {}, ...withBreaks(source))),
      make(
        "td",
        {},
        ...(several ? [`${policies[policy]?.id ?? ""}: `] : []),
        make("code", {}, ...withBreaks(target)),
      ),
    ),
  );
  const head = ["Source", "Portcullis"].map((text) => make("th", { scope: "col" }, text));
  return make(
    "table",
    { class: "mappings" },
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...rows),
  );
}

function verdict({ objects, cells, policies }: Matrix, index: number): HTMLElement {
  const outcome = objects[index]?.outcome;
  if (!outcome) return make("td", {}, "Not evaluated");
  const decided = (cells[index] ?? []).findIndex((cell) => cell.outcome && rank(cell.outcome) === rank(outcome));
  const by = policies[decided]?.name;
  const text = outcome === "NotLookedAt" || !by ? word(outcome) : `${word(outcome)} (${by})`;
  return make("td", {}, make("span", { class: `tone ${outcome}` }, text));
}
