// What was typed last, kept in this browser.
import type { Input } from "playground";
import { normalised } from "./state";

const KEY = "portcullis.draft";

/** What is kept; nothing if nothing is, or if the browser keeps nothing. */
export function load(): Input | undefined {
  try {
    const text = localStorage.getItem(KEY);
    return text === null ? undefined : normalised(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Keeps an input; a browser has room for some megabytes, and some keep nothing. */
export function save(input: Input): boolean {
  try {
    localStorage.setItem(KEY, JSON.stringify(input));
    return true;
  } catch {
    return false;
  }
}
