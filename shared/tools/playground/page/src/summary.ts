// The sentence above the grid, and the chips that count and filter.
import type { Matrix, ObjectState } from "playground";
import { byId, count, make } from "./dom";
import { CHIPS, type Group, group, groupIcon } from "./outcome";

/** Says a result in a sentence. A good one has the fields that make it doubtful. */
export function sentence(matrix: Matrix): string {
  const said = outcome(matrix);
  if (!isDoubtful(matrix)) return said;
  const suspicious = matrix.objects.filter(({ suspicions }) => suspicions.length > 0);
  const [first] = suspicious;
  if (matrix.objects.length === 1)
    return `${said}, but look at ${count(first?.suspicions.length ?? 0, "field")} first`;
  return `${said}, but look at the fields of ${count(suspicious.length, "object")} first`;
}

/** Returns whether nothing is denied, perhaps because a field is not where a policy reads it. */
function isDoubtful({ objects, counts }: Matrix): boolean {
  const admitted = objects.length > 0 && counts.denied + counts.unknown + counts.unreadable === 0;
  return admitted && objects.some(({ suspicions }) => suspicions.length > 0);
}

function outcome({ objects, counts, policies }: Matrix): string {
  const [only] = objects;
  if (!only) return "Nothing to evaluate";
  if (!policies.some(({ enabled }) => enabled)) return "No policy is enabled";
  const { denied, unknown, unreadable, changed, monitored, notLookedAt } = counts;
  if (objects.length === 1) return alone(only);
  const of = (number: number) => `${number.toLocaleString("en")} of ${count(objects.length, "object")}`;
  const readable = objects.length - unreadable;
  if (denied) return `${of(denied)} would be denied${unreadable ? `; ${unreadable} cannot be read` : ""}`;
  if (unreadable) return `${of(unreadable)} cannot be read${readable ? "; no other would be denied" : ""}`;
  if (unknown) return `It is not known whether ${of(unknown)} would be admitted`;
  if (monitored) return `${of(monitored)} would be denied if the policies did not only monitor`;
  if (notLookedAt === objects.length) return `No enabled policy looks at these ${objects.length} objects`;
  if (changed)
    return `All ${objects.length} objects would be admitted, ${changed.toLocaleString("en")} with changes`;
  return `All ${objects.length} objects would be admitted`;
}

function alone({ title, problem, outcome }: ObjectState): string {
  if (problem) return "The object cannot be read";
  switch (outcome) {
    case "Denied":
    case "Fault":
      return `${title} would be denied`;
    case "Unknown":
      return `It is not known whether ${title} would be admitted`;
    case "Monitored":
      return `${title} would be denied if the policies did not only monitor`;
    case "Changed":
      return `${title} would be admitted with changes`;
    case "Warned":
      return `${title} would be admitted with warnings`;
    case "Passed":
      return `${title} would be admitted`;
    case "NotLookedAt":
      return `No enabled policy looks at ${title}`;
    default:
      return `${title} is not evaluated`;
  }
}

/** The class of the worst outcome, which colours the bar of the phone. */
export function tone(matrix: Matrix): Group | "unreadable" | "" {
  const { counts } = matrix;
  if (counts.denied) return "denied";
  if (counts.unreadable) return "unreadable";
  if (isDoubtful(matrix)) return "warned";
  return CHIPS.map(([group]) => group).find((group) => counts[group] > 0) ?? "";
}

export class Chips {
  private readonly selected = new Set<Group>();

  constructor(private readonly onFilter: () => void) {}

  show({ counts }: Matrix): void {
    for (const group of this.selected) if (counts[group] === 0) this.selected.delete(group);
    const chips = CHIPS.filter(([group, , always]) => always || counts[group] > 0).map(([group, word]) => {
      const number = counts[group];
      const pressed = this.selected.has(group);
      const toggle = () => {
        if (!this.selected.delete(group)) this.selected.add(group);
        this.onFilter();
        byId("chips").querySelector<HTMLElement>(`[data-group=${group}]`)?.focus();
      };
      const chip = make(
        "button",
        {
          type: "button",
          class: `chip tone ${group}`,
          "data-group": group,
          "aria-pressed": String(pressed),
          click: toggle,
        },
        groupIcon(group),
        make("span", { class: "word" }, word),
        make("span", { class: "number" }, number.toLocaleString("en")),
      );
      chip.disabled = number === 0;
      return chip;
    });
    byId("chips").replaceChildren(...chips);
  }

  /** Returns whether the filters show an object. */
  shows({ outcome }: ObjectState): boolean {
    return this.selected.size === 0 || (outcome !== undefined && this.selected.has(group(outcome)));
  }
}
