// Saves the input in the browser, for the current tab and for new tabs.
import type { Input } from "playground";
import { normalise } from "./state";

const DRAFT = "portcullis.draft";
const PREVIOUS = "portcullis.previous";
const SETTINGS = "portcullis.settings";

let tooLarge = false;

/** Loads the last input of this tab, or of any tab if this one is new. */
export function load(): Input | undefined {
  const saved = read(DRAFT);
  return saved === undefined ? undefined : normalise(saved);
}

export function save(input: Input): void {
  tooLarge = !write(DRAFT, input);
}

/** Returns whether the last input was too large to save. */
export function isTooLarge(): boolean {
  return tooLarge;
}

/** Loads the input that was last replaced by an example or a link. */
export function loadPrevious(): Input | undefined {
  const saved = read(PREVIOUS);
  return saved === undefined ? undefined : normalise(saved);
}

export function savePrevious(input: Input | undefined): void {
  if (input) write(PREVIOUS, input);
}

/** Loads the settings of the policies that are not currently selected. */
export function loadSettings(): Map<string, string> {
  const saved = Object.entries(read(SETTINGS) ?? {});
  return new Map(saved.map(([id, text]) => [id, String(text)]));
}

export function saveSettings(settings: Map<string, string>): void {
  write(SETTINGS, Object.fromEntries(settings));
}

function read(key: string): object | undefined {
  for (const storage of storages()) {
    try {
      const saved: unknown = JSON.parse(storage.getItem(key) ?? "null");
      if (typeof saved === "object" && saved !== null) return saved;
    } catch {
      // Ignore values that this page did not write.
    }
  }
  return undefined;
}

/**
 * Returns whether the value fits. If the browser has no storage at all, this is not reported as a
 * failure.
 */
function write(key: string, value: object): boolean {
  const text = JSON.stringify(value);
  let fits = true;
  for (const storage of storages()) {
    try {
      storage.setItem(key, text);
    } catch {
      // No draft is better than an outdated one.
      storage.removeItem(key);
      fits = false;
    }
  }
  return fits;
}

/**
 * Returns the storages in order of precedence. The storage of the tab comes first, so that each tab
 * has its own draft.
 */
function storages(): Storage[] {
  try {
    return [sessionStorage, localStorage];
  } catch {
    return [];
  }
}
