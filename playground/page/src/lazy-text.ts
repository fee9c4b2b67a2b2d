// Texts that are generated when their `details` element is opened, each with a copy button.
import { byId, copyButton, make } from "./dom";

export class LazyText {
  private readonly details: HTMLDetailsElement;
  private readonly text = make("pre", { tabindex: "0" });
  private current = false;

  /**
   * `generate` returns the text for the `details` element with the given id, or throws an error to
   * show instead.
   */
  constructor(
    id: string,
    private readonly generate: () => Promise<string>,
  ) {
    this.details = byId<HTMLDetailsElement>(id);
    this.text.setAttribute("aria-label", this.details.querySelector("summary")?.textContent ?? "");
    byId(`${id}-text`).append(
      copyButton(() => this.text.textContent ?? ""),
      this.text,
    );
    this.details.addEventListener("toggle", () => this.show());
  }

  /** Marks the text as outdated. It is generated again now, or when the element is next opened. */
  invalidate(): void {
    this.current = false;
    this.show();
  }

  private async show(): Promise<void> {
    if (!this.details.open || this.current) return;
    this.current = true;
    let text: string;
    try {
      text = await this.generate();
    } catch (error) {
      text = `# ${error instanceof Error ? error.message : error}`;
    }
    this.text.textContent = text;
  }
}
