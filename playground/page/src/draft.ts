// What was typed last, kept in this browser.
import type { Input } from "playground";
import { normalised } from "./state";

const KEY = "portcullis.draft";
const SETTINGS = "portcullis.settings";

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

/** The settings of all restrictions that have been left for another one. */
export function loadSettings(): Map<string, string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(SETTINGS) ?? "{}");
    return new Map(Object.entries(kept ?? {}).map(([id, text]) => [id, String(text)]));
  } catch {
    return new Map();
  }
}

export function saveSettings(settings: Map<string, string>): void {
  try {
    localStorage.setItem(SETTINGS, JSON.stringify(Object.fromEntries(settings)));
  } catch {
    // A browser that keeps nothing has them for as long as the page is there.
  }
}
