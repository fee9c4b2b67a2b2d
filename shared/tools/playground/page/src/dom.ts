// Helpers for finding and creating elements.
import type { TextMark } from "playground";

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

/** Creates a button. */
export function button(label: string, click: () => void, className = ""): HTMLButtonElement {
  return make("button", { type: "button", class: className, click }, label);
}

/** Converts text with `code` in backticks, as in the documentation of settings, to nodes. */
export function withCode(text: string): Node[] {
  return text
    .split("`")
    .map((part, index) => (index % 2 ? make("code", {}, part) : document.createTextNode(part)));
}

/** Converts a path to nodes that lines break after a dot or a bracket, and not inside a name. */
export function withBreaks(path: string): (Node | string)[] {
  return path.split(/(?<=[.\]/])/).flatMap((part, index) => (index ? [make("wbr"), part] : [part]));
}

/**
 * Returns a message with a button that selects its line: the words of the message that name the
 * line, or else a button before it.
 */
export function withLine(
  message: string,
  mark: TextMark | undefined,
  select: (mark: TextMark) => void,
): (Node | string)[] {
  if (!mark) return [message];
  const link = (words: string) => button(words, () => select(mark), "line");
  const words = `near line ${mark.line}`;
  const at = message.indexOf(`${words}:`);
  if (at < 0) return [link(`line ${mark.line}`), " ", message];
  return [message.slice(0, at), link(words), message.slice(at + words.length)];
}

/** Returns a number with its noun, such as `1 violation` or `2 violations`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

/** Creates a button that copies a text and reports whether this succeeded. */
export function copyButton(text: () => string, label = "Copy"): HTMLButtonElement {
  const created = button(label, async () => {
    created.textContent = (await copy(text())) ? "Copied" : "Copy failed; select the text and copy it manually";
    setTimeout(() => {
      created.textContent = label;
    }, 2000);
  });
  return created;
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

/** Saves a text as a file. */
export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** A place says that it waits for its content after this many milliseconds. */
const WAITING_DELAY = 300;

/** Returns the content of a place, which says in the meantime that it is loaded. */
export async function loading<Content>(place: HTMLElement, content: Promise<Content>): Promise<Content> {
  const timer = window.setTimeout(() => {
    place.replaceChildren(make("p", { class: "hint" }, "Loading…"));
  }, WAITING_DELAY);
  try {
    return await content;
  } finally {
    window.clearTimeout(timer);
  }
}

/** Returns the message of an error. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Creates a scrollable text that the keyboard can scroll. */
export function preformatted(label: string, text: string): HTMLElement {
  return make("pre", { tabindex: "0", role: "region", "aria-label": label }, text);
}
