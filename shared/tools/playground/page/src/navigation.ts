// The history of the tab: an entry with a title for each example, case and import that is opened.
import type { Workspace } from "./workspace";

const NAME = "Portcullis playground";

/** A named example in the fragment of a link: `#example=POLICY/NAME`, or `POLICY/FILE/NAME`. */
const EXAMPLE = /^#example=(.+)$/;

/** The workspaces of entries that were left, of which at most this many are kept. */
const MAX_KEPT = 30;
const kept = new Map<number, { workspace: Workspace; title: string }>();

let lastId = Date.now();

/** Returns the parts of the name of the example in the address bar. */
export function linkedExample(): string[] | undefined {
  const parts = EXAMPLE.exec(location.hash)?.[1]?.split("/");
  try {
    return parts?.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Returns the fragment of a link to an example. */
export function exampleFragment(parts: string[]): string {
  return `#example=${parts.map(encodeURIComponent).join("/")}`;
}

/** Titles the tab and the present entry of the history. */
export function title(text: string): void {
  document.title = text ? `${text} · ${NAME}` : NAME;
}

/** Keeps the workspace of the present entry, which `back` brings back. */
export function keep(workspace: Workspace): void {
  let id = (history.state as { id?: number } | null)?.id;
  if (id === undefined) {
    id = ++lastId;
    history.replaceState({ id }, "", location.href);
  }
  kept.delete(id);
  kept.set(id, { workspace, title: document.title });
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}

/** Adds an entry with a fragment. */
export function push(fragment: string): void {
  history.pushState({ id: ++lastId }, "", location.pathname + location.search + fragment);
}

/** Writes a fragment into the present entry, or removes the one that it has. */
export function replaceFragment(fragment: string): void {
  if (location.hash === fragment) return;
  history.replaceState(history.state, "", location.pathname + location.search + fragment);
}

/** Calls a function with the kept workspace when the user moves through the history. */
export function onMove(listener: (workspace: Workspace | undefined) => void): void {
  window.addEventListener("popstate", ({ state }: PopStateEvent) => {
    const entry = kept.get((state as { id?: number } | null)?.id ?? -1);
    if (entry) document.title = entry.title;
    listener(entry?.workspace);
  });
}
