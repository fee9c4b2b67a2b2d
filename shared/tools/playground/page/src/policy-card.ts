// A policy of the list: whether it evaluates, what it evaluates, its settings and its manifest.
import type { Policy, PolicyInput, PolicyMode, PolicyState, TextMark } from "playground";
import { button, make, withCode, withLine } from "./dom";
import { Editor } from "./editor";
import type { Engine } from "./engine";

export interface CardListeners {
  onChange(): void;
  onImport(text: string): void;
  onRemove?: () => void;
}

type TextKind = "settings" | "manifest";

const HINTS: Record<TextKind, string> = {
  settings: "# defaults",
  manifest: "# the manifest that Deploy offers; or paste a ClusterAdmissionPolicy",
};

export class PolicyCard {
  readonly element: HTMLElement;
  private readonly enabled = make("input", { type: "checkbox" });
  private readonly mode = make(
    "select",
    {},
    make("option", { value: "RulesOnly" }, "Rules only"),
    make("option", { value: "AsDeployed" }, "As deployed"),
  );
  private readonly expand: HTMLButtonElement;
  private readonly body = make("div", { class: "policy-body", hidden: true });
  private readonly problems = make("ul", { class: "problems", hidden: true });
  private readonly fields = new Map<TextKind, { section: HTMLElement; editor: Editor | undefined }>();
  private readonly texts: Record<TextKind, string>;
  private state: PolicyState | undefined;

  constructor(
    readonly id: string,
    input: PolicyInput,
    private readonly policy: Policy | undefined,
    private readonly engine: Engine,
    private readonly listeners: CardListeners,
  ) {
    this.texts = { settings: input.settings, manifest: input.manifest };
    this.enabled.checked = input.enabled;
    this.mode.value = input.mode;
    this.mode.ariaLabel = `What ${id} evaluates`;
    this.expand = make(
      "button",
      { type: "button", "aria-expanded": "false", click: () => this.toggle() },
      "Settings",
    );
    this.expand.ariaLabel = `Settings of ${id}`;
    this.enabled.addEventListener("change", listeners.onChange);
    this.mode.addEventListener("change", () => {
      this.showFields();
      listeners.onChange();
    });
    const { onRemove } = listeners;
    const remove = onRemove ? [button("Remove", onRemove)] : [];
    this.element = make(
      "li",
      { class: "policy" },
      make(
        "div",
        { class: "row" },
        make("label", { class: "check" }, this.enabled, make("strong", {}, id)),
        this.mode,
        this.expand,
        ...remove,
      ),
      make("p", { class: "hint" }, policy?.description ?? "This playground does not have the module."),
      this.problems,
      this.body,
    );
    this.showFields();
  }

  read(): PolicyInput {
    return {
      id: this.id,
      enabled: this.enabled.checked,
      mode: this.mode.value as PolicyMode,
      settings: this.fields.get("settings")?.editor?.text ?? this.texts.settings,
      manifest: this.fields.get("manifest")?.editor?.text ?? this.texts.manifest,
    };
  }

  enable(): void {
    this.enabled.checked = true;
  }

  evaluateAs(mode: PolicyMode): void {
    this.mode.value = mode;
    this.showFields();
  }

  /** Returns the editor of a text, and opens it. */
  open(kind: TextKind): Editor | undefined {
    if (this.body.hidden) this.toggle();
    return this.fields.get(kind)?.editor;
  }

  /** Shows the problems of the settings and of the manifest. */
  show(state: PolicyState | undefined, select: (mark: TextMark) => void): void {
    this.state = state;
    const all = state?.problems ?? [];
    const foreign = all.find(({ canBeImported }) => canBeImported);
    const problems = foreign ? [foreign] : all;
    const items = problems.map((problem) => {
      const { message, mark, text, canBeImported } = problem;
      const source = text.kind === "manifest" ? "manifest" : "settings";
      const offer = canBeImported
        ? [" ", button("Import it", () => this.listeners.onImport(this.read()[source]))]
        : [];
      return make("li", {}, ...withLine(message, mark, select), ...offer);
    });
    for (const warning of state?.warnings ?? []) items.push(make("li", {}, warning));
    this.problems.hidden = items.length === 0;
    this.problems.replaceChildren(...items);
    this.markEditors();
  }

  private markEditors(): void {
    for (const [kind, { editor }] of this.fields) {
      const messages = (this.state?.problems ?? []).flatMap(({ message, mark }) =>
        mark?.text.kind === kind ? [{ mark, message, severity: "error" as const }] : [],
      );
      editor?.setMarks(messages);
    }
  }

  private toggle(): void {
    this.body.hidden = !this.body.hidden;
    this.expand.ariaExpanded = String(!this.body.hidden);
    if (!this.body.hasChildNodes()) this.fill();
    this.showFields();
  }

  /** Creates the editors when they are first seen. */
  private fill(): void {
    for (const kind of ["settings", "manifest"] as const) {
      const place = make("div", { class: "editor" });
      const label = `${kind === "settings" ? "Settings" : "Manifest"} of ${this.id}`;
      const section = make(
        "section",
        { "aria-label": label },
        make("h3", {}, kind === "settings" ? "Settings" : "Manifest as deployed"),
        place,
      );
      this.body.append(section);
      const editor = new Editor(place, {
        label,
        hint: HINTS[kind],
        onChange: () => this.listeners.onChange(),
        ...(kind === "settings"
          ? { complete: ({ path }) => this.engine.call("settingsCompletions", this.id, path) }
          : {}),
      });
      this.fields.set(kind, { section, editor: undefined });
      editor.open(this.texts[kind]);
      this.fields.set(kind, { section, editor });
    }
    if (this.policy) this.body.append(reference(this.policy));
    this.markEditors();
  }

  /** A deployed policy has its settings in its manifest, if there is one. */
  private showFields(): void {
    const manifest = this.fields.get("manifest");
    if (manifest) manifest.section.hidden = this.mode.value !== "AsDeployed";
  }
}

/** Creates the reference of settings, from the declarations that also validate them. */
function reference({ settings }: Policy): HTMLElement {
  const rows = settings.map(({ path, accepts, description }) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, make("code", {}, path)),
      make("td", {}, ...withCode(accepts)),
      make("td", {}, ...withCode(description)),
    ),
  );
  const heading = ["Setting", "Value", "Description"].map((text) => make("th", { scope: "col" }, text));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heading)), make("tbody", {}, ...rows));
  return make(
    "details",
    { class: "reference" },
    make("summary", {}, "Settings reference"),
    make("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": "Settings reference" }, table),
  );
}
