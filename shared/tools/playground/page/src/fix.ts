// The preview of fixes. A fix is applied by a second click, and never on its own.
import type { Fix } from "playground";
import { byId, count, make } from "./dom";
import type { Engine } from "./engine";
import type { CellName } from "./grid";

const dialog = byId<HTMLDialogElement>("fix");
const apply = byId<HTMLButtonElement>("fix-apply");

export class Fixes {
  private diff: { destroy(): void } | undefined;
  private text: string | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly read: () => string,
    private readonly onApply: (text: string) => void,
  ) {
    dialog.addEventListener("close", () => {
      this.diff?.destroy();
      this.diff = undefined;
      byId("fix-diff").replaceChildren();
    });
    apply.addEventListener("click", () => {
      const { text } = this;
      dialog.close();
      if (text !== undefined) this.onApply(text);
    });
  }

  /** Previews the fixes of some controls of a cell; of all its controls if there are none. */
  async preview({ object, policy }: CellName, controls: string[]): Promise<void> {
    const before = this.read();
    const [fix, { showDiff }] = await Promise.all([
      this.engine.ask("fix", object, policy, controls),
      import("./diff"),
    ]);
    if (this.read() !== before) return;
    const useful = fix.text !== "" && fix.text !== before;
    this.text = useful ? fix.text : undefined;
    apply.disabled = !useful;
    byId("fix-heading").textContent = heading(fix, useful);
    byId("fix-left-heading").hidden = fix.left.length === 0;
    byId("fix-left").replaceChildren(...fix.left.map((text) => make("li", {}, text)));
    dialog.showModal();
    if (useful) this.diff = showDiff(byId("fix-diff"), { before, after: fix.text });
  }
}

function heading({ fixed, edits }: Fix, useful: boolean): string {
  if (!useful) return "No change can be made for you";
  return `${count(edits.length, "change")} would remove ${count(fixed, "violation")}`;
}
