// The outline of the objects: a line for each document, with the shape of its outcome.
import type { Matrix, ObjectState, TextMark } from "playground";
import { byId, make } from "./dom";
import { icon, suspicionIcon, unreadableIcon, word } from "./outcome";

/** The outline lists at most this many objects; the grid lists all of them. */
const MAX_LINES = 200;

const outline = byId("outline");

/** Shows an outline, unless it would only repeat the one object of the text. */
export function showOutline({ objects }: Matrix, select: (mark: TextMark) => void): void {
  const [first] = objects;
  const needed = objects.length > 1 || first?.problem !== undefined;
  outline.hidden = !needed;
  const lines = needed ? objects.slice(0, MAX_LINES).map((object) => entry(object, select)) : [];
  const more = objects.length - lines.length;
  if (needed && more > 0) lines.push(make("li", { class: "hint" }, `… and ${more} more objects`));
  outline.replaceChildren(...lines);
}

function entry(object: ObjectState, select: (mark: TextMark) => void): HTMLElement {
  const { title, line, problem, outcome, suspicions } = object;
  const shape = problem ? unreadableIcon() : outcome ? icon(outcome) : "";
  const state = problem ? "cannot be read" : outcome ? word(outcome).toLowerCase() : "";
  const mark: TextMark = { text: { kind: "objects" }, line, column: 1, endColumn: 1, isExact: true };
  const content = [
    make("span", { class: `tone ${problem ? "unreadable" : (outcome ?? "")}` }, shape),
    make("span", { class: "visually-hidden" }, `${state}: `),
    make("span", { class: "title" }, title || "Document"),
    ...(suspicions.length
      ? [make("span", { class: "tone Warned", title: "Suspicious fields" }, suspicionIcon())]
      : []),
    make("span", { class: "at" }, `line ${line}`),
  ];
  return make(
    "li",
    {},
    make("button", { type: "button", click: () => select(problem?.mark ?? mark) }, ...content),
    ...(problem ? [make("p", { class: "error" }, problem.message)] : []),
  );
}
