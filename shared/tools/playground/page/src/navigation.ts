// The history of the tab: an entry with a title for each example, case and import that is opened.
import { normalise, type Workspace } from "./workspace";

const NAME = "Portcullis playground";

/** A named example in the fragment of a link: `#example=POLICY/NAME`, or `POLICY/FILE/NAME`. */
const EXAMPLE = /^#example=(.+)$/;

/** The workspaces of entries that were left, of which at most this many are kept. */
const MAX_KEPT = 30;
/** The workspaces are stored when the page is left, for a reload. */
const STORED = "portcullis.history";
const kept = new Map<number, { workspace: Workspace; title: string }>(load());
window.addEventListener("pagehide", store);

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

function load(): [number, { workspace: Workspace; title: string }][] {
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORED) ?? "[]") as [
      number,
      { workspace: unknown; title: string },
    ][];
    return stored.map(([id, { workspace, title }]) => [id, { workspace: normalise(workspace), title }]);
  } catch {
    // There is no storage, or this page did not write the text.
    return [];
  }
}

/** Stores the newest workspaces, as many as fit. */
function store(): void {
  const entries = [...kept];
  while (entries.length > 0) {
    try {
      sessionStorage.setItem(STORED, JSON.stringify(entries));
      return;
    } catch {
      entries.shift();
    }
  }
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
