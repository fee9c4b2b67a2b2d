// The words, icons and order of outcomes.
import type { CellState, Counts, Outcome } from "playground";
import { count } from "./dom";

/** The groups of outcomes that chips count and filter by, in their order. */
export type Group = Exclude<keyof Counts, "objects" | "unreadable" | "notEvaluated">;

interface Look {
  word: string;
  /** The chip that counts the outcome. */
  group: Group;
  /** A path on a grid of 16 × 16. */
  icon: string;
}

const CROSS = "M4 4l8 8M12 4l-8 8";
const BANG = "M8 3v6M8 12v1";
const QUESTION = "M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M8 12.5v.5";
const EYE = "M1.5 8s2.5-4 6.5-4 6.5 4 6.5 4-2.5 4-6.5 4-6.5-4-6.5-4zM8 7v2";
const PENCIL = "M3 13l.8-3 7-7 2.2 2.2-7 7zM9.5 4.3l2.2 2.2";
const TRIANGLE = "M8 2.5l6 11H2zM8 7v3M8 11.7v.3";
const TICK = "M3 8.5l3.3 3.3L13 4.7";
const DASH = "M4 8h8";
const BOX = "M3.5 3.5h9v9h-9zM3.5 12.5l9-9";
const PERSON = "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.5-3 2.5-4 5-4s4.5 1 5 4M2.5 2.5l11 11";

/** The outcomes, the worst first. */
const LOOKS: Record<Outcome, Look> = {
  Denied: { word: "Denied", group: "denied", icon: CROSS },
  Fault: { word: "Denied", group: "denied", icon: BANG },
  Unknown: { word: "Not known", group: "unknown", icon: QUESTION },
  Monitored: { word: "Monitored", group: "monitored", icon: EYE },
  Changed: { word: "Changed", group: "changed", icon: PENCIL },
  Warned: { word: "Warned", group: "warned", icon: TRIANGLE },
  Passed: { word: "Passed", group: "passed", icon: TICK },
  NotLookedAt: { word: "Not looked at", group: "notLookedAt", icon: DASH },
};

/** The chips: always those of the first list, and the others if they count something. */
export const CHIPS: [group: Group, word: string, always: boolean][] = [
  ["denied", "Denied", true],
  ["unknown", "Not known", false],
  ["monitored", "Monitored", false],
  ["changed", "Changed", true],
  ["warned", "Warned", true],
  ["passed", "Passed", true],
  ["notLookedAt", "Not looked at", true],
];

/** Why a policy does not look at an object, by the name of the check that decides. */
const REASONS: Record<string, { word: string; icon: string }> = {
  Kind: { word: "kind", icon: BOX },
  User: { word: "user", icon: PERSON },
};

const ORDER = Object.keys(LOOKS) as Outcome[];

/** Returns the rank of an outcome, 0 for the worst. */
export function rank(outcome: Outcome): number {
  return ORDER.indexOf(outcome);
}

/** Returns the outcomes in an order that begins with the worst. */
export function outcomes(): Outcome[] {
  return ORDER;
}

export function group(outcome: Outcome): Group {
  return LOOKS[outcome].group;
}

export function word(outcome: Outcome): string {
  return LOOKS[outcome].word;
}

/** Returns the second line of a cell: a number, or the reason why the policy does not look. */
export function note({ outcome, violations, warnings, decidedBy }: CellState): string {
  switch (outcome) {
    case "Denied":
    case "Monitored":
      return count(violations, "violation");
    case "Fault":
      return "not evaluated";
    case "NotLookedAt":
      return `(${(decidedBy && (REASONS[decidedBy]?.word ?? decidedBy.toLowerCase())) || "scope"})`;
    default:
      return warnings ? count(warnings, "warning") : "";
  }
}

const SVG = "http://www.w3.org/2000/svg";

/** Creates the icon of an outcome. Every outcome has its own shape: colours alone say nothing. */
export function icon(outcome: Outcome, decidedBy?: string): SVGElement {
  return drawing((outcome === "NotLookedAt" && decidedBy && REASONS[decidedBy]?.icon) || LOOKS[outcome].icon);
}

/** Creates the icon of a chip. */
export function groupIcon(group: Group): SVGElement {
  const look = Object.values(LOOKS).find((look) => look.group === group);
  return drawing(look?.icon ?? DASH);
}

/** The icon of a document that cannot be read. */
export function unreadableIcon(): SVGElement {
  return drawing(BANG);
}

/** The icon of a suspicious field. */
export function suspicionIcon(): SVGElement {
  return drawing(TRIANGLE);
}

function drawing(path: string): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}
