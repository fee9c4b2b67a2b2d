// Violations, grouped by rule, counted and folded.
import type { CellAnswer, TextMark, ViolationDetail, ViolationGroup } from "playground";
import { button, count, make, withBreaks } from "./dom";

/** Groups of answers with more violations than this are folded. */
const MAX_UNFOLDED = 12;
/** A group shows this many violations at first, and as many more each time. */
const PAGE_SIZE = 10;
/** The controls that the user folded or unfolded, which stay so while the user types. */
const toggled = new Map<string, boolean>();

export interface ViolationListeners {
  onMark(mark: TextMark): void;
  /** Previews fixes of some controls; of all controls if there are none. */
  onFix(controls: string[]): void;
}

/** Shows the violations of an answer. */
export function violationGroups({ groups, more }: CellAnswer, listeners: ViolationListeners): HTMLElement[] {
  const total = groups.reduce((sum, { violations }) => sum + violations.length, 0);
  const open = total <= MAX_UNFOLDED;
  const shown: HTMLElement[] = groups.map((group, index) => groupOf(group, open || index === 0, listeners));
  if (more)
    shown.push(
      make("p", { class: "hint" }, `… and ${count(more, "more violation")} that the message does not list`),
    );
  return shown;
}

function groupOf(
  { control, learn, violations }: ViolationGroup,
  byDefault: boolean,
  listeners: ViolationListeners,
): HTMLElement {
  const open = toggled.get(control) ?? byDefault;
  const list = make("ul", { class: "violations" });
  const fixable = violations.some(({ fix }) => fix !== undefined);
  const fix = make("button", { type: "button", class: "fix", click: () => listeners.onFix([control]) }, "Fix…");
  fix.ariaLabel = `Fix ${control}…`;
  const details = make(
    "details",
    { class: "control", open },
    make(
      "summary",
      {},
      make("span", { class: "name" }, readable(control)),
      make("span", { class: "number" }, String(violations.length)),
    ),
    list,
  );
  const rest = button("", () => fill());
  const fill = () => {
    const from = list.childElementCount;
    list.append(...violations.slice(from, from + PAGE_SIZE).map((violation) => item(violation, listeners)));
    const left = violations.length - list.childElementCount;
    rest.textContent = `Show ${Math.min(left, PAGE_SIZE)} of ${left} more`;
    rest.hidden = left === 0;
  };
  details.append(rest);
  const fillOnce = () => {
    if (details.open && list.childElementCount === 0) fill();
  };
  details.addEventListener("toggle", () => {
    if (details.open !== open) toggled.set(control, details.open);
    fillOnce();
  });
  fillOnce();
  const pages = learn
    ? [make("a", { class: "learn", href: learn, target: "_blank", rel: "noopener" }, "Learn")]
    : [];
  for (const page of pages) page.ariaLabel = `Learn about ${control}`;
  return make("div", { class: "control-row" }, details, ...pages, ...(fixable ? [fix] : []));
}

function item({ path, message, mark, fix }: ViolationDetail, listeners: ViolationListeners): HTMLElement {
  // The message begins with the path as the policy writes it, which can name the stored object.
  const field = path || mark ? (/^(\S+): /.exec(message)?.[1] ?? "") : "";
  const said = readable(field ? message.slice(field.length + 2) : message);
  const named = field ? [fieldOf(field, mark, listeners), make("span", { class: "visually-hidden" }, ": ")] : [];
  return make(
    "li",
    {},
    ...named,
    make("p", {}, said),
    ...(fix ? [make("p", { class: "hint" }, `Fix: ${fix}`)] : []),
  );
}

/** Drops the words of the host that say nothing to the reader of a failed look-up. */
export function readable(message: string): string {
  return message.replaceAll("Callback evaluation failure: ", "");
}

function fieldOf(path: string, mark: TextMark | undefined, { onMark }: ViolationListeners): HTMLElement {
  if (!mark) return make("code", {}, ...withBreaks(path));
  const place = mark.text.kind === "oldObjects" ? "stored objects, line" : "line";
  const at = make("span", { class: "at" }, mark.isExact ? `${place} ${mark.line}` : `near ${place} ${mark.line}`);
  return make(
    "button",
    { type: "button", class: "field", click: () => onMark(mark) },
    make("code", {}, ...withBreaks(path)),
    " ",
    at,
  );
}
