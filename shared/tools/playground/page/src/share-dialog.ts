// The dialog that shares a case: as a link, as Markdown for an issue, and as a test file.
import type { CaseOptions, ExpectedOutcome, Matrix, Outcome } from "playground";
import type { Workspace } from "./workspace";
import { byId, copy, copyButton, count, download, loading, make, preformatted, reason } from "./dom";
import type { Engine } from "./engine";
import { outcomes, word } from "./outcome";
import { encode, LONG_LINK } from "./share";
import { Tabs } from "./tabs";

/** The dialog lists at most this many expected outcomes; the others are as they are now. */
const MAX_LISTED = 30;

const dialog = byId<HTMLDialogElement>("share");
const title = byId<HTMLInputElement>("share-title");
const note = byId<HTMLTextAreaElement>("share-note");
const cluster = byId<HTMLInputElement>("share-cluster");

export class ShareDialog {
  private expected: ExpectedOutcome[] = [];
  private workspace: Workspace | undefined;
  private link = "";
  /** Incremented with each update, to recognise outdated ones. */
  private generation = 0;

  constructor(
    private readonly engine: Engine,
    private readonly onLink: (fragment: string) => void,
  ) {
    const tabs = new Tabs("share-tabs");
    tabs.select("share-link-tab");
    for (const field of [title, note, cluster]) field.addEventListener("input", () => void this.update());
    byId("share-copy").addEventListener("click", async () => {
      this.onLink(this.link.slice(this.link.indexOf("#")));
      const done = await copy(this.link);
      byId("share-status").textContent = done ? "Link copied." : "The link is in the address bar.";
    });
  }

  open(workspace: Workspace, matrix: Matrix | undefined, name: string): void {
    this.workspace = workspace;
    this.expected = matrix ? present(matrix) : [];
    if (name) title.value = name;
    cluster.disabled = workspace.cluster === "";
    cluster.checked = workspace.cluster !== "";
    byId("share-status").textContent = "";
    this.showExpected(matrix);
    dialog.showModal();
    title.focus();
    void this.update();
  }

  /** Lists the outcomes that the case expects. Users can change each of them. */
  private showExpected(matrix: Matrix | undefined): void {
    const rows = this.expected.slice(0, MAX_LISTED).map((expected) => {
      const object = matrix?.objects[expected.object]?.title ?? "";
      const offered: Outcome[] = outcomes().filter(
        (outcome) => outcome !== "Unknown" && (outcome !== "Monitored" || expected.outcome === "Monitored"),
      );
      const options = offered.map((outcome) => {
        const label = outcome === "Fault" ? "Denied: not evaluated" : word(outcome);
        return make("option", { value: outcome, selected: outcome === expected.outcome }, label);
      });
      const select = make("select", { "aria-label": `Expected: ${object}, ${expected.policy}` }, ...options);
      select.addEventListener("input", () => {
        expected.outcome = select.value as Outcome;
        void this.update();
      });
      return make(
        "tr",
        {},
        make("th", { scope: "row" }, object),
        make("td", {}, expected.policy),
        make("td", {}, select),
      );
    });
    const more = this.expected.length - rows.length;
    byId("share-expected").replaceChildren(
      make("table", {}, make("tbody", {}, ...rows)),
      ...(more > 0 ? [make("p", { class: "hint" }, `${more} more are expected as they are now.`)] : []),
    );
  }

  private async update(): Promise<void> {
    const { workspace } = this;
    if (!workspace) return;
    const generation = ++this.generation;
    const shown = cluster.checked ? workspace : { ...workspace, cluster: "" };
    const described = { title: title.value.trim(), note: note.value.trim(), expected: this.expected };
    const fragment = `#${await encode({ ...described, workspace: shown })}`;
    if (generation !== this.generation) return;
    this.link = new URL(fragment, location.href).href;
    const long = this.link.length > LONG_LINK ? "; some programs truncate it" : "";
    byId("share-size").textContent = `The link has ${count(this.link.length, "character")}${long}.`;
    const options: CaseOptions = { ...described, withCluster: cluster.checked };
    try {
      const asked = this.engine.ask("caseText", options);
      const made = await loading(byId("share-issue"), loading(byId("share-yaml"), asked));
      if (generation !== this.generation) return;
      const { text, files, markdown, bytes, warnings, problem } = made;
      byId("share-warnings").replaceChildren(...warnings.map((warning) => make("li", {}, warning)));
      if (problem) throw new Error(problem);
      byId("share-issue").replaceChildren(
        copyButton(() => markdown),
        preformatted("Markdown", markdown),
      );
      const all = [{ name: "case.yaml", text }, ...files];
      byId("share-yaml").replaceChildren(
        make(
          "p",
          { class: "hint" },
          `${count(bytes, "byte")}; run it with `,
          make("code", {}, "portcullis test case.yaml"),
          ".",
        ),
        ...all.flatMap(({ name, text }) => [
          make(
            "div",
            { class: "row" },
            make("strong", {}, name),
            copyButton(() => text),
            make("button", { type: "button", click: () => download(name, text, "application/yaml") }, "Download"),
          ),
          preformatted(name, text),
        ]),
      );
    } catch (error) {
      const hint = () => make("p", { class: "error" }, `${reason(error)}`);
      byId("share-issue").replaceChildren(hint());
      byId("share-yaml").replaceChildren(hint());
    }
  }
}

/** Returns the present outcomes of policies that look at an object. */
function present({ cells, policies }: Matrix): ExpectedOutcome[] {
  return cells.flatMap((row, object) =>
    row.flatMap(({ outcome }, policy) =>
      outcome && outcome !== "Unknown" && outcome !== "NotLookedAt"
        ? [{ object, policy: policies[policy]?.name ?? "", outcome }]
        : [],
    ),
  );
}
