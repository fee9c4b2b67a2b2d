// The dialog with the samples and cases of the policies.
import type { Policies, Policy } from "playground";
import { normalise, type Workspace } from "./workspace";
import { byId, make, withCode } from "./dom";
import type { Engine } from "./engine";

// The case files. They are loaded when the dialog is first opened.
const FILES = import.meta.glob<string>("../../../../../policies/*/cases/*.yaml", {
  query: "?raw",
  import: "default",
});

interface ExampleGroup {
  policy: string;
  heading: string;
  entries: ExampleEntry[];
}

export interface ExampleEntry {
  title: string;
  verdict: string;
  /** The parts of its name in links. */
  name: string[];
  load(): Promise<Workspace | undefined>;
}

const dialog = byId<HTMLDialogElement>("examples");
const list = byId("examples-list");
const search = byId<HTMLInputElement>("examples-search");
const filter = byId<HTMLSelectElement>("examples-policy");

export class Examples {
  private readonly groups: ExampleGroup[];
  private cases: Promise<void> | undefined;
  private hasCases = false;

  constructor(
    private readonly engine: Engine,
    catalog: Policies,
    tour: ExampleEntry,
    private readonly onSelect: (workspace: Workspace, entry: ExampleEntry) => void,
    private readonly onError: (message: string) => void,
  ) {
    this.groups = [
      { policy: "", heading: "All policies", entries: [tour] },
      ...catalog.policies.map((policy) => this.samples(policy)),
    ];
    filter.append(...catalog.policies.map(({ id }) => make("option", { value: id }, id)));
    for (const field of [search, filter]) field.addEventListener("input", () => this.show());
    search.addEventListener("keydown", (event) => {
      const [first] = this.found();
      if (event.key !== "Enter" || !first) return;
      event.preventDefault();
      void this.select(first);
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
  }

  async open(): Promise<void> {
    dialog.showModal();
    search.select();
    this.show();
    await this.loadCases();
    this.show();
  }

  /** Returns the example with the parts of a name. */
  async find(name: string[]): Promise<ExampleEntry | undefined> {
    if (name.length > 2) await this.loadCases();
    const entries = this.groups.flatMap(({ entries }) => entries);
    return entries.find((entry) => JSON.stringify(entry.name) === JSON.stringify(name));
  }

  private loadCases(): Promise<void> {
    this.cases ??= Promise.all(
      Object.keys(FILES)
        .sort()
        .map((path) => this.casesOf(path)),
    ).then((groups) => {
      this.groups.push(...groups);
      this.hasCases = true;
    });
    return this.cases;
  }

  private samples({ id, samples }: Policy): ExampleGroup {
    const entries = samples.map(({ name, description, verdict }) => ({
      title: `${name}: ${description}`,
      verdict,
      name: [id, name],
      load: async () => given(await this.engine.call("sampleWorkspace", id, name)),
    }));
    return { policy: id, heading: `Samples of ${id}`, entries };
  }

  private async casesOf(path: string): Promise<ExampleGroup> {
    const [policy = "", file = ""] = path.replace(/^.*policies\/|\.yaml$/g, "").split("/cases/");
    const heading = `Cases of ${policy}: ${file}`;
    try {
      const text = (await FILES[path]?.()) ?? "";
      const { examples } = await this.engine.call("cases", text);
      const entries = examples.map(({ name, verdict }) => ({
        title: name,
        verdict,
        name: [policy, file, name],
        load: async () => given(await this.engine.call("caseWorkspace", policy, text, name)),
      }));
      return { policy, heading, entries };
    } catch {
      // Loaded again when the dialog is next opened.
      this.cases = undefined;
      return { policy, heading: `${heading} could not be loaded; open the examples again`, entries: [] };
    }
  }

  private matching({ heading, entries }: ExampleGroup): ExampleEntry[] {
    const words = search.value.toLowerCase().split(/\s+/);
    const matches = (text: string) => words.every((word) => text.toLowerCase().includes(word));
    return entries.filter(({ title, verdict }) => matches(`${heading} ${title} ${verdict}`));
  }

  private filtered(): ExampleGroup[] {
    return this.groups.filter(({ policy }) => filter.value === "" || policy === filter.value);
  }

  private found(): ExampleEntry[] {
    return this.filtered().flatMap((group) => this.matching(group));
  }

  private show(): void {
    const sections = this.filtered().flatMap((group) => {
      const items = this.matching(group);
      if (items.length === 0 && group.entries.length > 0) return [];
      return [make("h3", {}, group.heading), make("ul", {}, ...items.map((entry) => this.item(entry)))];
    });
    const hint = this.hasCases ? (sections.length ? "" : "No examples found.") : "Loading the cases…";
    list.replaceChildren(...sections, ...(hint ? [make("p", { class: "hint" }, hint)] : []));
  }

  private async select(entry: ExampleEntry): Promise<void> {
    dialog.close();
    const workspace = await entry.load().catch(() => undefined);
    if (workspace) this.onSelect(workspace, entry);
    else this.onError("The example could not be loaded. Try again.");
  }

  private item(entry: ExampleEntry): HTMLElement {
    const { title, verdict } = entry;
    const tone = verdict.startsWith("denied")
      ? "Denied"
      : verdict.includes("mutated")
        ? "Changed"
        : verdict.startsWith("admitted")
          ? "Passed"
          : "Warned";
    const badge = make("span", { class: `badge tone ${tone}` }, verdict);
    const click = () => void this.select(entry);
    return make(
      "li",
      {},
      make("button", { type: "button", click }, make("span", {}, ...withCode(title)), " ", badge),
    );
  }
}

/** Completes the workspace of an example, if there is one. */
function given(workspace: unknown): Workspace | undefined {
  return workspace === undefined ? undefined : normalise(workspace);
}
