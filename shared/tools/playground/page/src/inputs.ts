// The input of the page, read and written as one workspace.
import type {
  Matrix,
  ObjectId,
  Policies,
  PolicyInput,
  PolicyMode,
  RequestInput,
  TextMark,
  TextName,
  TextProblem,
} from "playground";
import type { Workspace } from "./workspace";
import { byId, reason } from "./dom";
import { Editor, type MarkedMessage } from "./editor";
import type { Engine } from "./engine";
import { chooseFiles, type NamedFile, onDrop, textOf } from "./files";
import { Marks } from "./marks";
import { PolicyCard } from "./policy-card";
import { Requests } from "./requests";
import { Tabs } from "./tabs";

/** The error of look-ups if the user simulates an unreachable API server. */
const UNREACHABLE = "the API server does not answer";

export interface InputListeners {
  onChange(): void;
  onImport(text: string): void;
  onError(message: string): void;
}

export class Inputs {
  readonly tabs = new Tabs("input-tabs");
  readonly requests: Requests;
  private readonly objects: Editor;
  private readonly oldObjects: Editor;
  private readonly cluster: Editor;
  private readonly marks: Record<"objects" | "oldObjects", Marks>;
  private readonly unreachable = byId<HTMLInputElement>("unreachable");
  private readonly evaluatesPods = byId<HTMLInputElement>("evaluates-pods");
  private cards: PolicyCard[] = [];
  /** Set while the page itself fills the fields. */
  private suspended = false;

  constructor(
    private readonly engine: Engine,
    private readonly catalog: Policies,
    private readonly listeners: InputListeners,
  ) {
    const onChange = () => this.changed();
    const editor = (id: string, label: string, hint: string): Editor => {
      const created: Editor = new Editor(byId(id), {
        label,
        hint,
        onChange,
        onScroll: () => void this.marksOf(created)?.ask(),
        complete: ({ apiVersion, kind, path, isValue }) =>
          isValue
            ? Promise.resolve({ options: [] })
            : this.engine.call("objectCompletions", apiVersion, kind, path),
      });
      return created;
    };
    this.objects = editor(
      "objects",
      "Objects",
      "Paste Kubernetes manifests or an AdmissionReview, in YAML or JSON",
    );
    this.oldObjects = editor("old-objects", "Stored objects", "Paste the objects as stored in the cluster");
    this.cluster = editor(
      "cluster",
      "Cluster",
      "# For example, the output of kubectl get namespaces,nodes -o yaml",
    );
    this.marks = {
      objects: new Marks(engine, this.objects, { kind: "objects" }),
      oldObjects: new Marks(engine, this.oldObjects, { kind: "oldObjects" }),
    };
    this.requests = new Requests(onChange);
    this.unreachable.addEventListener("change", onChange);
    this.evaluatesPods.addEventListener("change", onChange);
    for (const [id, target] of [
      ["objects-file", this.objects],
      ["objects-folder", this.objects],
      ["cluster-file", this.cluster],
    ] as const) {
      chooseFiles(id, (files) => void this.openFiles(target, files));
    }
    // Other files that are dropped are objects. Without this, the browser leaves the page.
    onDrop(document.body, (files, place) => {
      const editors = [this.oldObjects, this.cluster];
      void this.openFiles(editors.find((editor) => editor.contains(place)) ?? this.objects, files);
    });
    byId("format").addEventListener("click", () => void this.format());
  }

  read(): Workspace {
    return {
      objects: this.objects.text,
      oldObjects: this.oldObjects.text,
      cluster: this.cluster.text,
      unreachable: this.unreachable.checked ? this.unreachable.dataset.reason || UNREACHABLE : "",
      request: this.requests.request,
      requests: this.requests.requests,
      evaluatesPods: this.evaluatesPods.checked,
      policies: this.cards.map((card) => card.read()),
    };
  }

  write(workspace: Workspace): void {
    this.suspended = true;
    for (const marks of Object.values(this.marks)) marks.wait();
    this.objects.open(workspace.objects);
    this.oldObjects.open(workspace.oldObjects);
    this.cluster.open(workspace.cluster);
    this.unreachable.checked = workspace.unreachable !== "";
    this.unreachable.dataset.reason = workspace.unreachable;
    this.evaluatesPods.checked = workspace.evaluatesPods;
    this.requests.write(workspace.request, workspace.requests);
    this.writePolicies(workspace.policies);
    this.suspended = false;
  }

  /** Writes a change of the objects that can be undone. */
  changeObjects(text: string): void {
    this.objects.change(text);
  }

  /** Gives an object a request of its own. */
  setRequest(object: ObjectId, change: Partial<RequestInput>): void {
    this.requests.setOwn(object, { ...this.requests.of(object), ...change });
  }

  /** Replaces the text of the cluster by one that can be undone. */
  changeCluster(text: string): void {
    this.cluster.change(text);
  }

  /** Enables a policy. Returns its index. */
  enablePolicy(id: string): number {
    const index = this.cards.findIndex((card) => card.id === id);
    this.cards[index]?.enable();
    this.changed();
    return index;
  }

  /** Selects what a policy evaluates. */
  evaluateAs(policy: number, mode: PolicyMode): void {
    this.cards[policy]?.evaluateAs(mode);
    this.changed();
  }

  /** Selects a range of a text, in the tab and the card that hold it. */
  select(mark: TextMark): void {
    this.editorOf(mark.text, true)?.select(mark);
  }

  scrollObjectsTo(mark: TextMark): void {
    this.objects.scrollTo(mark);
  }

  /** Marks the violations and problems, and shows where requests come from. */
  show(matrix: Matrix, problemsOnly: boolean): void {
    const problems = [...matrix.problems, ...matrix.objects.flatMap(({ problem }) => problem ?? [])];
    const problem = ({ message, mark }: TextProblem): MarkedMessage[] =>
      mark ? [{ mark, message, severity: "error" }] : [];
    const messages = problems.flatMap(problem);
    const of = (kind: TextName["kind"]) => messages.filter(({ mark }) => mark.text.kind === kind);
    const hasVerdicts = !problemsOnly && matrix.objects.length > 0;
    this.marks.objects.show(of("objects"), hasVerdicts);
    this.marks.oldObjects.show(of("oldObjects"), hasVerdicts);
    this.cluster.setMarks(of("cluster"));
    this.requests.show(matrix);
    for (const [index, card] of this.cards.entries()) {
      card.show(matrix.policies[index], (mark) => this.select(mark));
    }
    const broken = matrix.policies.some(({ problems }) => problems.length > 0);
    byId("policies-tab").classList.toggle("broken", broken);
    const enabled = matrix.policies.filter(({ enabled }) => enabled).length;
    byId("policies-count").textContent = ` ${enabled}/${matrix.policies.length}`;
  }

  private writePolicies(policies: PolicyInput[]): void {
    const known = this.catalog.policies;
    this.cards = policies.map((input, index) => {
      const listeners = {
        onChange: () => this.changed(),
        onImport: this.listeners.onImport,
        // Only policies that were imported in addition to those of the catalog can go.
        ...(index >= known.length ? { onRemove: () => this.removePolicy(card) } : {}),
      };
      const policy = known.find(({ id }) => id === input.id);
      const card = new PolicyCard(input.id, input, policy, this.engine, listeners);
      return card;
    });
    byId("policy-list").replaceChildren(...this.cards.map(({ element }) => element));
    const subresources = new Set(known.flatMap(({ subresources }) => subresources));
    byId("subresources").replaceChildren(
      ...[...subresources].sort().map((value) => Object.assign(document.createElement("option"), { value })),
    );
  }

  private removePolicy(card: PolicyCard): void {
    this.cards = this.cards.filter((other) => other !== card);
    card.element.remove();
    this.changed();
  }

  private editorOf(text: TextMark["text"], reveal: boolean): Editor | undefined {
    const open = (tab: string) => reveal && this.tabs.select(tab);
    switch (text.kind) {
      case "objects":
        open("objects-tab");
        return this.objects;
      case "oldObjects":
        open("request-tab");
        return this.oldObjects;
      case "cluster":
        open("cluster-tab");
        return this.cluster;
      case "settings":
      case "manifest":
        open("policies-tab");
        return this.cards[text.policy]?.open(text.kind);
      case "source":
        return undefined;
    }
  }

  private marksOf(editor: Editor): Marks | undefined {
    if (editor === this.objects) return this.marks.objects;
    return editor === this.oldObjects ? this.marks.oldObjects : undefined;
  }

  private changed(): void {
    for (const marks of Object.values(this.marks)) marks.wait();
    if (!this.suspended) this.listeners.onChange();
  }

  /** Replaces a text by those of files, as an edit that can be undone. */
  private async openFiles(editor: Editor, files: Promise<NamedFile[]>): Promise<void> {
    const before = editor.text;
    try {
      const { text, left } = await textOf(await files);
      if (editor.text !== before) {
        this.listeners.onError("The text has changed since the files were chosen: choose them again.");
        return;
      }
      if (text !== undefined) editor.change(text);
      if (left !== "") this.listeners.onError(left);
    } catch (error) {
      this.listeners.onError(`The files could not be read: ${reason(error)}.`);
    }
  }

  private async format(): Promise<void> {
    try {
      // The library that keeps comments is loaded when it is first used.
      const { format } = await import("./format");
      this.objects.change(format(this.objects.text));
    } catch (error) {
      this.listeners.onError(`The objects were not formatted: ${reason(error)}.`);
    }
  }
}
