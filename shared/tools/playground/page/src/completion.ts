// Completion of the keys of YAML in block style. The engine knows the keys; the page only finds the
// path of the line.
import type { CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import type { Text } from "@codemirror/state";
import type { Completions } from "playground";

/** A place in a text: the keys above it, and the first keys of its document. */
export interface Place {
  path: string[];
  apiVersion: string;
  kind: string;
  /** Whether a value is written, and not a key. Its key is the last one of the path. */
  isValue: boolean;
}

export type Complete = (place: Place) => Promise<Completions>;

const KEY = /^(\s*)((?:- +)*)(["']?)([\w.$/-]+)\3:(?:\s|$)/;
const DASHES = /^(\s*)((?:- +)*)/;
const BOUNDARY = /^(---|\.\.\.)(\s|$)/;

/** A document longer than this above the line is not searched. */
const MAX_LINES = 5000;

/** Returns the place of a line. `before` is its text up to the word that is completed. */
export function placeOf(doc: Text, lineNumber: number, before: string): Place {
  const place: Place = { path: [], apiVersion: "", kind: "", isValue: false };
  const own = KEY.exec(`${before} `);
  if (own) {
    place.isValue = true;
    place.path.unshift(own[4] ?? "");
  }
  let level = columns(own ?? DASHES.exec(before));
  for (let number = lineNumber - 1; number >= Math.max(1, lineNumber - MAX_LINES); number--) {
    const { text } = doc.line(number);
    if (BOUNDARY.test(text)) break;
    const key = KEY.exec(text);
    if (!key) continue;
    const found = columns(key);
    // A list may begin at the column of its key: `containers:` above `- name: a`.
    if (level.dash === undefined ? found.key < level.key : found.key <= level.dash) {
      place.path.unshift(key[4] ?? "");
      level = found;
    } else if (level.dash === undefined && found.key === level.key) {
      // The line can begin the item of a list, to which the level then belongs.
      level = found;
    }
    if (found.key === 0 && found.dash === undefined) {
      const scalar = text.slice(text.indexOf(":") + 1).trim();
      if (key[4] === "kind") place.kind = scalar;
      if (key[4] === "apiVersion") place.apiVersion = scalar;
    }
  }
  return place;
}

/** Returns the column of a key, and that of the dash before it. */
function columns(match: RegExpExecArray | null): { key: number; dash: number | undefined } {
  const indent = match?.[1]?.length ?? 0;
  const dashes = match?.[2]?.length ?? 0;
  return { key: indent + dashes, dash: dashes ? indent : undefined };
}

/** Returns a source of completions for an editor. */
export function completionSource(complete: Complete): CompletionSource {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const typed = /[\w.$/-]*$/.exec(before)?.[0] ?? "";
    if (!context.explicit && typed === "") return null;
    const place = placeOf(context.state.doc, line.number, before.slice(0, before.length - typed.length));
    const { options } = await complete(place);
    if (options.length === 0 || context.aborted) return null;
    const suffix = place.isValue ? "" : ": ";
    return {
      from: context.pos - typed.length,
      options: options.map(({ label, detail, info }) => ({
        label,
        apply: label + suffix,
        ...(detail ? { detail } : {}),
        ...(info ? { info } : {}),
      })),
      validFor: /^[\w.$/-]*$/,
    };
  };
}
