// Saves the workspace in the browser, for the current tab and for new tabs, and the one that a link
// replaced.
import { normalise, type Workspace } from "./workspace";

const DRAFT = "portcullis.workspace";
const REPLACED = "portcullis.replaced";

/** Loads the last workspace of this tab, if it is not new, and that of any tab. */
export function load(): Workspace[] {
  return read(DRAFT);
}

/** Loads the workspace that a link replaced, in this tab and in any tab. */
export function loadReplaced(): Workspace[] {
  return read(REPLACED);
}

/** Saves the workspace that a link replaced, until another one does, or it is restored. */
export function saveReplaced(workspace: Workspace | undefined): void {
  const text = JSON.stringify(workspace);
  for (const storage of storages()) {
    try {
      if (text === undefined) storage.removeItem(REPLACED);
      else storage.setItem(REPLACED, text);
    } catch {
      storage.removeItem(REPLACED);
    }
  }
}

function read(key: string): Workspace[] {
  return storages().flatMap((storage) => {
    try {
      const saved: unknown = JSON.parse(storage.getItem(key) ?? "null");
      return typeof saved === "object" && saved !== null ? [normalise(saved)] : [];
    } catch {
      // Ignore values that this page did not write.
      return [];
    }
  });
}

/**
 * Saves a workspace for this tab, and for new tabs unless it is that of a link. Returns whether it
 * fits. If the browser has no storage at all, this is not reported as a failure.
 */
export function save(workspace: Workspace, isOfLink: boolean): boolean {
  const text = JSON.stringify(workspace);
  let fits = true;
  for (const storage of isOfLink ? storages().slice(0, 1) : storages()) {
    try {
      storage.setItem(DRAFT, text);
    } catch {
      // No draft is better than an outdated one.
      storage.removeItem(DRAFT);
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
