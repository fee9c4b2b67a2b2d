// The grid of objects and policies. Arrow keys move, Enter selects, as in the grid pattern of the
// ARIA Authoring Practices Guide.
import type { CellState, Matrix, ObjectState, PolicyMode } from "playground";
import { byId, make, withBreaks } from "./dom";
import { icon, note, rank, suspicionIcon, unreadableIcon, word } from "./outcome";

/** The number of rows that are shown at once. */
const PAGE_SIZE = 50;

export interface CellName {
  object: number;
  policy: number;
}

export interface GridListeners {
  onCell(cell: CellName): void;
  onObject(object: number): void;
}

const grid = byId("grid");
const more = byId("grid-more");

export class Grid {
  private matrix: Matrix | undefined;
  private modes: PolicyMode[] = [];
  private shown: number[] = [];
  private columns: number[] = [];
  private pages = 1;
  /** The row and the column that Tab reaches: 0 is the heading of the row. */
  private row = 0;
  private column = 0;
  private selected: CellName | undefined;

  constructor(private readonly listeners: GridListeners) {
    grid.addEventListener("keydown", (event) => this.move(event));
    grid.addEventListener("click", (event) => {
      const cell = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-row]") : null;
      if (cell) this.choose(Number(cell.dataset.row), Number(cell.dataset.column));
    });
    more.addEventListener("click", () => {
      this.pages++;
      this.render();
    });
  }

  /** Shows the objects that a filter lets through, the denied ones first. */
  show(matrix: Matrix, modes: PolicyMode[], filter: (object: ObjectState) => boolean): void {
    this.matrix = matrix;
    this.modes = modes;
    this.columns = matrix.policies.flatMap(({ enabled }, index) => (enabled ? [index] : []));
    this.shown = order(matrix).filter((object) => {
      const state = matrix.objects[object];
      return state !== undefined && filter(state);
    });
    this.row = Math.min(this.row, Math.max(0, this.shown.length - 1));
    this.column = Math.min(this.column, this.columns.length);
    this.render();
  }

  /** Shows the first page again. */
  reset(): void {
    this.pages = 1;
    this.row = 0;
    this.column = 0;
  }

  /** Marks a cell as the one whose details are shown. */
  select(cell: CellName | undefined): void {
    this.selected = cell;
    for (const element of grid.querySelectorAll("[aria-selected=true]")) element.ariaSelected = "false";
    if (!cell) return;
    const found = this.element(this.shown.indexOf(cell.object), this.columns.indexOf(cell.policy) + 1);
    if (found) found.ariaSelected = "true";
  }

  /** Returns the worst cell of the first row. */
  worst(): CellName | undefined {
    const matrix = this.matrix;
    for (const object of this.shown) {
      const cells = matrix?.cells[object] ?? [];
      const ranked = cells.flatMap(({ outcome }, policy) => (outcome ? [{ policy, rank: rank(outcome) }] : []));
      const [worst] = ranked.sort((one, other) => one.rank - other.rank);
      if (worst) return { object, policy: worst.policy };
    }
    return undefined;
  }

  private render(): void {
    const { matrix } = this;
    if (!matrix) return;
    const focused = grid.contains(document.activeElement);
    const page = this.shown.slice(0, this.pages * PAGE_SIZE);
    const heads = this.columns.map((policy) => {
      const { name, id, protects } = matrix.policies[policy] ?? { name: "", id: "", protects: true };
      const deployed = this.modes[policy] === "AsDeployed";
      const mode = deployed ? [make("small", {}, protects ? " as deployed" : " as deployed: monitor")] : [];
      return make("div", { role: "columnheader", title: name === id ? id : `${name} (${id})` }, name, ...mode);
    });
    grid.style.setProperty("--columns", String(this.columns.length));
    grid.setAttribute("aria-rowcount", String(this.shown.length + 1));
    const head = make(
      "div",
      { role: "row", class: "head" },
      make("div", { role: "columnheader" }, "Object"),
      ...heads,
    );
    grid.replaceChildren(head, ...page.map((object, row) => this.line(matrix, object, row)));
    const remaining = this.shown.length - page.length;
    more.hidden = remaining <= 0;
    more.textContent = `Show more objects (${remaining} remaining)`;
    byId("grid-empty").hidden = page.length > 0;
    if (focused) this.element(this.row, this.column)?.focus();
  }

  private line(matrix: Matrix, object: number, row: number): HTMLElement {
    const state = matrix.objects[object];
    const cells = matrix.cells[object] ?? [];
    const place = (column: number) => {
      const reached = row === this.row && column === this.column;
      return { "data-row": String(row), "data-column": String(column), tabindex: reached ? "0" : "-1" };
    };
    const suspicious = state?.suspicions.length
      ? [make("span", { class: "tone Warned", title: "Has suspicious fields" }, suspicionIcon())]
      : [];
    const problem = state?.problem
      ? [make("small", { class: "tone unreadable" }, unreadableIcon(), " cannot be read")]
      : [make("small", {}, requestLine(state))];
    const heading = make(
      "div",
      { role: "rowheader", ...place(0) },
      make("span", { class: "name" }, ...withBreaks(state?.title || "Document"), ...suspicious),
      ...problem,
    );
    const line = make("div", { role: "row" }, heading);
    if (state?.problem || cells.length === 0) {
      const text = state?.problem?.message ?? "";
      line.append(
        make(
          "div",
          { role: "gridcell", class: "spanning", ...place(1), "aria-colspan": String(this.columns.length) },
          text,
        ),
      );
      return line;
    }
    for (const [index, policy] of this.columns.entries()) {
      const cell = cells[policy];
      if (cell) line.append(this.cell(cell, object, policy, place(index + 1), suspicious.length > 0));
    }
    return line;
  }

  private cell(
    cell: CellState,
    object: number,
    policy: number,
    place: Record<string, string>,
    isDoubtful: boolean,
  ): HTMLElement {
    const { outcome, headline, decidedBy } = cell;
    const selected = this.selected?.object === object && this.selected.policy === policy;
    const name = this.matrix?.policies[policy]?.name ?? "";
    if (!outcome) return make("div", { role: "gridcell", ...place });
    return make(
      "div",
      {
        role: "gridcell",
        class: `cell tone ${outcome}${isDoubtful ? " doubtful" : ""}`,
        "aria-selected": String(selected),
        title: headline,
        ...place,
      },
      icon(outcome, decidedBy),
      make("span", { class: "policy-name" }, name, " "),
      make("span", { class: "word" }, word(outcome)),
      " ",
      make("small", {}, note(cell)),
    );
  }

  private element(row: number, column: number): HTMLElement | null {
    return grid.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`);
  }

  private move(event: KeyboardEvent): void {
    const last = Math.min(this.shown.length, this.pages * PAGE_SIZE) - 1;
    const width = this.columns.length;
    const far = event.ctrlKey || event.metaKey;
    const moves: Record<string, [row: number, column: number]> = {
      ArrowUp: [this.row - 1, this.column],
      ArrowDown: [this.row + 1, this.column],
      ArrowLeft: [this.row, this.column - 1],
      ArrowRight: [this.row, this.column + 1],
      Home: [far ? 0 : this.row, 0],
      End: [far ? last : this.row, width],
      PageUp: [this.row - 10, this.column],
      PageDown: [this.row + 10, this.column],
    };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.choose(this.row, this.column);
      return;
    }
    const target = moves[event.key];
    if (!target) return;
    event.preventDefault();
    const row = Math.min(Math.max(target[0], 0), last);
    // The row of an unreadable document has one cell.
    for (let column = Math.min(Math.max(target[1], 0), width); column >= 0; column--) {
      if (this.focus(row, column)) return;
    }
  }

  private focus(row: number, column: number): boolean {
    const next = this.element(row, column);
    if (!next) return false;
    const present = this.element(this.row, this.column);
    if (present) present.tabIndex = -1;
    [this.row, this.column] = [row, column];
    next.tabIndex = 0;
    next.focus();
    return true;
  }

  private choose(row: number, column: number): void {
    const object = this.shown[row];
    if (object === undefined) return;
    this.focus(row, column);
    const policy = this.columns[column - 1];
    const outcome = policy === undefined ? undefined : this.matrix?.cells[object]?.[policy]?.outcome;
    if (policy === undefined || !outcome) this.listeners.onObject(object);
    else this.listeners.onCell({ object, policy });
  }
}

function requestLine(state: ObjectState | undefined): string {
  if (!state?.request || state.request.origin === "Shared") return `line ${state?.line ?? ""}`;
  return `${state.request.operation} by ${state.request.username}`;
}

/** Returns the indices of the objects: denied ones first, then unreadable ones, then the others. */
function order({ objects }: Matrix): number[] {
  const place = ({ outcome, problem }: ObjectState) =>
    problem ? rank("Fault") + 0.5 : outcome ? rank(outcome) : Infinity;
  const places = objects.map(place);
  return objects
    .map((_, index) => index)
    .sort((one, other) => (places[one] ?? 0) - (places[other] ?? 0) || one - other);
}
