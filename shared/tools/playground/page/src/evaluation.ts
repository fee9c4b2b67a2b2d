// Evaluates the workspace and shows the result.
import type { CellDetail, Matrix, ObjectId, PolicyMode, TextMark, TextProblem } from "playground";
import { sameObject, type Workspace } from "./workspace";
import { Detail, type DetailListeners } from "./detail";
import { button, byId, count, make, reason, withLine } from "./dom";
import { Drawer } from "./drawer";
import { type Engine, Superseded } from "./engine";
import { type CellName, Grid } from "./grid";
import type { Inputs } from "./inputs";
import { showOutline } from "./outline";
import { Chips } from "./summary";

/** The workspace is evaluated when the user has not typed for this many milliseconds. */
const TYPING_PAUSE = 120;
/** The busy indicator appears after this many milliseconds. */
const BUSY_DELAY = 300;

/** At most this many problems are listed, so that the result stays in sight. */
const MAX_PROBLEMS = 3;

const TEXTS: Record<TextProblem["text"]["kind"], string> = {
  objects: "Objects",
  oldObjects: "Stored objects",
  cluster: "Cluster",
  settings: "Settings",
  manifest: "Manifest",
  source: "Source",
};

/** A result, with the names of its policies and what they evaluate. */
interface Result {
  matrix: Matrix;
  policies: string;
  modes: PolicyMode[];
}

const pane = byId("verdict-pane");
const result = byId("result");

export class Evaluation {
  private readonly grid: Grid;
  private readonly chips: Chips;
  private readonly detail: Detail;
  private readonly drawer: Drawer;
  private timer: number | undefined;
  /** Incremented whenever a result is scheduled or requested, to recognise outdated ones. */
  private generation = 0;
  /** The details that are shown. */
  private shown: CellDetail | undefined;
  /** The last result that was shown with verdicts. */
  private last: Result | undefined;
  /** The object and the policy that the user chose; without them, the worst cell is shown. */
  private chosen: { object: ObjectId; policy: string; index: number } | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly inputs: Inputs,
    listeners: DetailListeners,
    private readonly onImport: (text: string) => void,
  ) {
    this.grid = new Grid({
      onCell: (cell) => void this.choose(cell),
      onObject: (object) => this.goToObject(object),
    });
    this.chips = new Chips(() => {
      if (this.last) this.showGrid(this.last);
    });
    this.detail = new Detail(listeners);
    this.drawer = new Drawer(engine);
  }

  /** The last result, and the cell whose details are shown. */
  get matrix(): Matrix | undefined {
    return this.last?.matrix;
  }

  get cell(): CellName | undefined {
    return this.chosenCell() ?? this.grid.worst();
  }

  /** The cell whose details are shown, unless they are those of an earlier input. */
  get currentCell(): CellName | undefined {
    return result.inert ? undefined : this.cell;
  }

  /** Returns the chosen cell, wherever its object is in the input now. */
  private chosenCell(): CellName | undefined {
    const { chosen, matrix } = this;
    if (!chosen || !matrix) return undefined;
    const object = this.indexOf(chosen.object);
    const isNamed = ({ name }: { name: string }) => name === chosen.policy;
    const same = matrix.policies.at(chosen.index);
    const policy = same && isNamed(same) ? chosen.index : matrix.policies.findIndex(isNamed);
    return matrix.cells[object]?.[policy]?.outcome === undefined ? undefined : { object, policy };
  }

  /** Returns the index of an object in the last result, or -1. */
  indexOf(object: ObjectId): number {
    return this.matrix?.objects.findIndex(({ id }) => sameObject(id, object)) ?? -1;
  }

  /** Calls a function when the user stops typing. */
  schedule(evaluate: () => void): void {
    pane.ariaBusy = "true";
    this.generation++;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(evaluate, TYPING_PAUSE);
  }

  /** Shows the details of the worst cell again, and the first rows. */
  forget(): void {
    this.chosen = undefined;
    this.last = undefined;
    this.grid.reset();
  }

  /** Shows the details of a cell. */
  async choose({ object, policy }: CellName): Promise<void> {
    const { matrix } = this;
    const [id, name] = [matrix?.objects[object]?.id, matrix?.policies[policy]?.name];
    this.chosen = id && name !== undefined ? { object: id, policy: name, index: policy } : undefined;
    await this.showDetail();
    if (matchMedia("(max-width: 900px)").matches) {
      byId("detail-heading").focus();
      byId("detail").scrollIntoView({ block: "start" });
    }
  }

  /** Evaluates the present workspace immediately. */
  async evaluateNow(): Promise<void> {
    window.clearTimeout(this.timer);
    pane.ariaBusy = "true";
    const generation = ++this.generation;
    const busy = window.setTimeout(() => {
      byId("busy").hidden = false;
    }, BUSY_DELAY);
    const workspace = this.inputs.read();
    try {
      const matrix = await this.engine.evaluate(workspace);
      if (generation === this.generation) await this.show(workspace, matrix, generation);
      if (generation === this.generation && matrix.isPartial) await this.evaluateWhole(workspace, generation);
    } catch (error) {
      if (!(error instanceof Superseded) && generation === this.generation) this.fail(error);
    }
    window.clearTimeout(busy);
    if (generation !== this.generation) return;
    byId("busy").hidden = true;
    pane.ariaBusy = "false";
  }

  /** Evaluates again by the whole engine. Outcomes that need it are unknown until then. */
  private async evaluateWhole(workspace: Workspace, generation: number): Promise<void> {
    try {
      await this.engine.loadWhole();
    } catch (error) {
      if (error instanceof Superseded) throw error;
      const message = `The rest of the engine could not be loaded (${reason(error)}), so that outcomes that need it are not known. Change the input to try again.`;
      byId("problems").prepend(make("p", { class: "error" }, message));
      return;
    }
    if (generation !== this.generation) return;
    const matrix = await this.engine.evaluate(workspace);
    if (generation === this.generation) await this.show(workspace, matrix, generation);
  }

  /** Scrolls the objects to the first violation of the cell that is shown. */
  scrollToFirstViolation(): void {
    const groups = this.shown?.answers.flatMap(({ groups }) => groups) ?? [];
    const marks = groups.flatMap(({ violations }) => violations.flatMap(({ mark }) => mark ?? []));
    const found = marks.find(({ text }) => text.kind === "objects");
    if (found) this.inputs.scrollObjectsTo(found);
  }

  private async show(workspace: Workspace, matrix: Matrix, generation: number): Promise<void> {
    const policies = names(workspace);
    const evaluated = matrix.cells.some((cells) => cells.some(({ outcome }) => outcome !== undefined));
    const broken = matrix.problems.length > 0 || matrix.objects.some(({ problem }) => problem !== undefined);
    // Verdicts of other policies would contradict what is selected.
    const stale = !evaluated && broken && this.last?.policies === policies ? this.last.matrix : undefined;
    this.showProblems(matrix, stale !== undefined);
    this.inputs.show(matrix, stale !== undefined);
    showOutline(matrix, (mark) => this.inputs.select(mark));
    result.inert = stale !== undefined;
    result.classList.toggle("stale", stale !== undefined);
    byId("stale").hidden = stale === undefined;
    byId("stale").textContent = `Last result, before the current error (${policies}):`;
    const { text, tone } = stale ? UNEVALUATED : matrix.sentence;
    say(text, tone);
    if (stale) return;
    this.last = { matrix, policies, modes: workspace.policies.map(({ mode }) => mode) };
    this.showGrid(this.last);
    await this.showDetail(generation);
  }

  private showGrid({ matrix, modes }: Result): void {
    this.chips.show(matrix);
    this.grid.show(matrix, modes, (object) => this.chips.shows(object));
    byId("grid-hint").hidden = matrix.objects.length > 0;
  }

  /** Shows the details of the chosen cell, or of the worst one. */
  private async showDetail(generation = this.generation): Promise<void> {
    const { last, cell } = this;
    if (!last) return;
    const { matrix, modes } = last;
    this.grid.select(cell);
    this.shown = undefined;
    if (!cell) {
      this.detail.clear();
      this.drawer.clear();
      return;
    }
    const detail: CellDetail = await this.engine.ask("cell", cell.object, cell.policy);
    if (generation !== this.generation || this.last !== last) return;
    this.shown = detail;
    this.drawer.show(detail, cell);
    await this.detail.show(matrix, cell, detail, modes[cell.policy] ?? "RulesOnly");
  }

  private goToObject(object: number): void {
    const state = this.last?.matrix.objects[object];
    if (!state) return;
    const start: TextMark = {
      text: { kind: "objects" },
      line: state.line,
      column: 1,
      endColumn: 1,
      isExact: true,
    };
    this.inputs.select(state.problem?.mark ?? start);
  }

  /** Shows the problems because of which verdicts are missing, each with its text and line. */
  private showProblems(matrix: Matrix, stale: boolean): void {
    const ofPolicies = matrix.policies.flatMap(({ name, problems, enabled }) => {
      // The kind of a foreign text says more than its errors as settings.
      const foreign = problems.find(({ canBeImported }) => canBeImported);
      const shown = enabled ? (foreign ? [foreign] : problems) : [];
      return shown.map((problem) => ({ problem, prefix: `${name}, ` }));
    });
    const ofObjects = stale ? matrix.objects.flatMap(({ problem }) => problem ?? []) : [];
    const all = [...[...matrix.problems, ...ofObjects].map((problem) => ({ problem, prefix: "" })), ...ofPolicies];
    const items = all.slice(0, MAX_PROBLEMS).map(({ problem: { text, message, mark, canBeImported }, prefix }) => {
      const label = `${prefix}${prefix ? TEXTS[text.kind].toLowerCase() : TEXTS[text.kind]}`;
      const said = withLine(message, mark, (mark) => this.inputs.select(mark));
      const offer = canBeImported ? [" ", button("Import it", () => this.onImport(this.textOf(text)))] : [];
      return make("li", {}, make("strong", {}, `${label}: `), ...said, ...offer);
    });
    const more = all.length - items.length;
    if (more > 0) items.push(make("li", { class: "hint" }, `… and ${count(more, "more problem")}`));
    for (const { object, title } of matrix.unusedRequests) {
      const said = `Request: there is one about ${title}, which is not among the objects. `;
      items.push(
        make(
          "li",
          {},
          said,
          button("Remove it", () => this.inputs.requests.remove(object)),
        ),
      );
    }
    byId("problems").replaceChildren(...(items.length ? [make("ul", { class: "problems" }, ...items)] : []));
  }

  private textOf(text: TextProblem["text"]): string {
    const { objects, oldObjects, cluster, policies } = this.inputs.read();
    if (text.kind === "settings" || text.kind === "manifest") return policies[text.policy]?.[text.kind] ?? "";
    return { objects, oldObjects, cluster, source: "" }[text.kind];
  }

  /** Says that the engine failed, and leaves nothing of the former result. */
  private fail(error: unknown): void {
    const message = `This browser could not evaluate the input (${reason(error)}); paste a smaller input, or choose Reset.`;
    byId("problems").replaceChildren(make("ul", { class: "problems" }, make("li", {}, message)));
    say("Could not be evaluated", "unreadable");
    byId("stale").hidden = true;
    result.inert = false;
    result.classList.remove("stale");
    const nothing: Matrix = { ...NOTHING, policies: this.last?.matrix.policies ?? [] };
    this.last = undefined;
    this.chips.show(nothing);
    this.grid.reset();
    this.grid.show(nothing, [], () => true);
    showOutline(nothing, () => undefined);
    this.inputs.show(nothing, false);
    this.detail.clear();
    this.drawer.clear();
    this.shown = undefined;
  }
}

/** The sentence while the last result is shown beside an error. */
const UNEVALUATED: Matrix["sentence"] = { text: "Cannot be evaluated: see the error", tone: "unreadable" };

/** A result without objects. */
const NOTHING: Matrix = {
  objects: [],
  policies: [],
  cells: [],
  counts: {
    objects: 0,
    denied: 0,
    unknown: 0,
    monitored: 0,
    changed: 0,
    warned: 0,
    passed: 0,
    notLookedAt: 0,
    unreadable: 0,
    notEvaluated: 0,
  },
  sentence: UNEVALUATED,
  unusedRequests: [],
  problems: [],
  isPartial: false,
};

/** Shows a sentence above the grid, and in the bar of the phone. The live region says it once. */
function say(text: string, tone: Matrix["sentence"]["tone"]): void {
  const sentence = byId("sentence");
  if (sentence.textContent !== text) sentence.textContent = text;
  sentence.className = `tone ${tone}`;
  const bar = byId("bar");
  bar.textContent = text;
  bar.className = `tone ${tone}`;
}

/** Names the policies that evaluate, with what they evaluate. */
function names({ policies }: Workspace): string {
  const enabled = policies.filter(({ enabled }) => enabled);
  return enabled.map(({ id, mode }) => (mode === "AsDeployed" ? `${id} as deployed` : id)).join(", ");
}
