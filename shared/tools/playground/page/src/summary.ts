// The chips that count and filter.
import type { Matrix, ObjectState } from "playground";
import { byId, make } from "./dom";
import { CHIPS, type Group, group, groupIcon } from "./outcome";

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
