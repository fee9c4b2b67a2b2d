// Elements, found and made.

/** The element with an id, which the page has. */
export function byId<Type extends HTMLElement = HTMLElement>(id: string): Type {
  const element = document.getElementById(id);
  if (!element) throw new Error(`#${id} is not there`);
  return element as Type;
}

type Attributes = Record<string, string | boolean | ((event: Event) => void)>;

/** Makes an element. A function is a listener; whatever is text stays text. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Text with `code` in it, as the documentation of settings has it. */
export function prose(text: string): Node[] {
  return text
    .split("`")
    .map((part, index) => (index % 2 ? make("code", {}, part) : document.createTextNode(part)));
}

/** A button that copies a text, and says so. */
export function copyButton(text: () => string): HTMLButtonElement {
  const button = make("button", { type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    button.textContent = (await copy(text())) ? "Copied" : "Not copied: select it and copy it";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
  return button;
}

/** Copies a text; some browsers let no page do it. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
