// What was typed, kept in this browser: for each tab, and for the next one.
import type { Input } from "playground";
import { normalised } from "./state";

const DRAFT = "portcullis.draft";
const FORMER = "portcullis.former";
const SETTINGS = "portcullis.settings";

let tooLarge = false;

/** What was typed last, in this tab or else in any. */
export function load(): Input | undefined {
  const kept = read(DRAFT);
  return kept === undefined ? undefined : normalised(kept);
}

export function save(input: Input): void {
  tooLarge = !write(DRAFT, input);
}

/** Whether there was no room for what was to be kept last. */
export function isTooLarge(): boolean {
  return tooLarge;
}

/** What was here before an example or a link took its place. */
export function loadFormer(): Input | undefined {
  const kept = read(FORMER);
  return kept === undefined ? undefined : normalised(kept);
}

export function saveFormer(input: Input | undefined): void {
  if (input) write(FORMER, input);
}

/** The settings of all restrictions that have been left for another one. */
export function loadSettings(): Map<string, string> {
  const kept = Object.entries(read(SETTINGS) ?? {});
  return new Map(kept.map(([id, text]) => [id, String(text)]));
}

export function saveSettings(settings: Map<string, string>): void {
  write(SETTINGS, Object.fromEntries(settings));
}

function read(key: string): object | undefined {
  for (const storage of storages()) {
    try {
      const kept: unknown = JSON.parse(storage.getItem(key) ?? "null");
      if (typeof kept === "object" && kept !== null) return kept;
    } catch {
      // Of no version of this page.
    }
  }
  return undefined;
}

/** Whether there was room. A browser that keeps nothing at all has been told so by who set it up. */
function write(key: string, value: object): boolean {
  const text = JSON.stringify(value);
  let room = true;
  for (const storage of storages()) {
    try {
      storage.setItem(key, text);
    } catch {
      // Better none than one that is out of date.
      storage.removeItem(key);
      room = false;
    }
  }
  return room;
}

/** The tab's own storage comes first: two tabs are two drafts. */
function storages(): Storage[] {
  try {
    return [sessionStorage, localStorage];
  } catch {
    return [];
  }
}
