// Texts that are made only when somebody looks, with a button that copies them.
import { byId, copyButton, make } from "./dom";

export class Listing {
  private readonly details: HTMLDetailsElement;
  private readonly text = make("pre", { tabindex: "0" });
  private current = false;

  /** `produce` makes the text of a `details` element, or throws why there is none. */
  constructor(
    id: string,
    private readonly produce: () => Promise<string>,
  ) {
    this.details = byId<HTMLDetailsElement>(id);
    this.text.setAttribute("aria-label", this.details.querySelector("summary")?.textContent ?? "");
    byId(`${id}-text`).append(
      copyButton(() => this.text.textContent ?? ""),
      this.text,
    );
    this.details.addEventListener("toggle", () => this.show());
  }

  /** What the text is made of has changed. */
  outdate(): void {
    this.current = false;
    this.show();
  }

  private async show(): Promise<void> {
    if (!this.details.open || this.current) return;
    this.current = true;
    let text: string;
    try {
      text = await this.produce();
    } catch (error) {
      text = `# ${error instanceof Error ? error.message : error}`;
    }
    this.text.textContent = text;
  }
}
