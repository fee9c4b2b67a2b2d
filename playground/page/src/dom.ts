// Helpers for finding and creating elements.

/** Returns the element with the given id, which must exist. */
export function byId<Type extends HTMLElement = HTMLElement>(id: string): Type {
  const element = document.getElementById(id);
  if (!element) throw new Error(`element #${id} not found`);
  return element as Type;
}

type Attributes = Record<string, string | boolean | ((event: Event) => void)>;

/**
 * Creates an element. Functions become event listeners. Strings among the children become text,
 * never HTML.
 */
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

/** Converts text with `code` in backticks, as in the documentation of settings, to nodes. */
export function withCode(text: string): Node[] {
  return text
    .split("`")
    .map((part, index) => (index % 2 ? make("code", {}, part) : document.createTextNode(part)));
}

/** Creates a button that copies a text and reports whether this succeeded. */
export function copyButton(text: () => string): HTMLButtonElement {
  const button = make("button", { type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    button.textContent = (await copy(text())) ? "Copied" : "Copy failed; select the text and copy it manually";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
  return button;
}

/** Copies a text to the clipboard. Returns false if the browser does not permit it. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
