// Tabs, as the pattern of the ARIA Authoring Practices Guide: arrow keys move and select.
import { byId } from "./dom";

export class Tabs {
  private readonly tabs: HTMLElement[];

  /** The tabs of a list. Each controls the panel that `aria-controls` names. */
  constructor(id: string) {
    this.tabs = [...byId(id).querySelectorAll<HTMLElement>("[role=tab]")];
    for (const [index, tab] of this.tabs.entries()) {
      tab.addEventListener("click", () => this.select(tab.id));
      tab.addEventListener("keydown", (event) => {
        const last = this.tabs.length - 1;
        const target = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: last }[event.key];
        if (target === undefined) return;
        event.preventDefault();
        const next = this.tabs[(target + last + 1) % (last + 1)];
        if (next) this.select(next.id);
        next?.focus();
      });
    }
  }

  select(id: string): void {
    for (const tab of this.tabs) {
      const selected = tab.id === id;
      tab.ariaSelected = String(selected);
      tab.tabIndex = selected ? 0 : -1;
      byId(tab.getAttribute("aria-controls") ?? "").hidden = !selected;
    }
  }
}
