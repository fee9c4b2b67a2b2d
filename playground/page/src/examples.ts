// The dialog with the samples and cases of a policy.
import type { Input, Policy } from "playground";
import { byId, make, withCode } from "./dom";
import type { Engine } from "./engine";

// The case files. Each is loaded when the dialog is first opened for its policy.
const FILES = import.meta.glob<string>("../../../policies/*/cases/*.yaml", { query: "?raw", import: "default" });

interface ExampleGroup {
  heading: string;
  entries: ExampleEntry[];
}

interface ExampleEntry {
  title: string;
  verdict: string;
  load(): Promise<Input | undefined>;
}

const dialog = byId<HTMLDialogElement>("examples");
const list = byId("examples-list");
const search = byId<HTMLInputElement>("examples-search");

export class Examples {
  private groups: ExampleGroup[] = [];
  private policy = "";

  constructor(
    private readonly engine: Engine,
    private readonly onSelect: (input: Input, title: string) => void,
    private readonly onError: (message: string) => void,
  ) {
    search.addEventListener("input", () => this.show());
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
  }

  /** Opens the dialog with the examples of a policy. */
  async open(policy: Policy): Promise<void> {
    byId("examples-heading").textContent = `Examples for ${policy.id}`;
    if (this.policy !== policy.id) {
      this.policy = policy.id;
      search.value = "";
      this.groups = [this.samples(policy)];
    }
    dialog.showModal();
    search.select();
    this.show();
    if (this.groups.length > 1) return;
    const paths = Object.keys(FILES).filter((path) => path.includes(`/policies/${policy.id}/`));
    const groups = await Promise.all(paths.sort().map((path) => this.cases(policy.id, path)));
    if (this.policy === policy.id && this.groups.length === 1) {
      this.groups.push(...groups);
      this.show();
    }
  }

  private samples({ id, samples }: Policy): ExampleGroup {
    const entries = samples.map(({ name, description, verdict }) => ({
      title: `${name}: ${description}`,
      verdict,
      load: () => this.engine.call("sampleInput", id, name),
    }));
    return { heading: "Samples", entries };
  }

  private async cases(id: string, path: string): Promise<ExampleGroup> {
    const heading = `Cases: ${path.replace(/^.*\/|\.yaml$/g, "")}`;
    try {
      const file = (await FILES[path]?.()) ?? "";
      const { examples } = await this.engine.call("cases", file);
      const entries = examples.map(({ name, verdict }) => ({
        title: name,
        verdict,
        load: () => this.engine.call("caseInput", id, file, name),
      }));
      return { heading, entries };
    } catch {
      return { heading: `${heading} could not be loaded; reload the page`, entries: [] };
    }
  }

  private show(): void {
    const words = search.value.toLowerCase().split(/\s+/);
    const matches = (text: string) => words.every((word) => text.toLowerCase().includes(word));
    const sections = this.groups.flatMap(({ heading, entries }) => {
      const items = entries.filter(({ title, verdict }) => matches(`${heading} ${title} ${verdict}`));
      if (items.length === 0 && entries.length > 0) return [];
      return [make("h3", {}, heading), make("ul", {}, ...items.map((entry) => this.item(entry)))];
    });
    list.replaceChildren(...(sections.length ? sections : [make("p", { class: "hint" }, "No examples found.")]));
  }

  private item(entry: ExampleEntry): HTMLElement {
    const { title, verdict } = entry;
    const kind = verdict.startsWith("denied") ? "denied" : verdict.startsWith("admitted") ? "admitted" : "fault";
    const select = async () => {
      dialog.close();
      const input = await entry.load().catch(() => undefined);
      if (input) this.onSelect(input, title);
      else this.onError("The example could not be loaded. Try again.");
    };
    const badge = make("span", { class: `badge ${kind}` }, verdict);
    return make(
      "li",
      {},
      make("button", { type: "button", click: select }, make("span", {}, ...withCode(title)), " ", badge),
    );
  }
}
