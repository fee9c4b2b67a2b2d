// Saves the workspace in the browser, for the current tab and for new tabs.
import { normalise, type Workspace } from "./workspace";

const DRAFT = "portcullis.workspace";

/** Loads the last workspace of this tab, or of any tab if this one is new. */
export function load(): Workspace | undefined {
  for (const storage of storages()) {
    try {
      const saved: unknown = JSON.parse(storage.getItem(DRAFT) ?? "null");
      if (typeof saved === "object" && saved !== null) return normalise(saved);
    } catch {
      // Ignore values that this page did not write.
    }
  }
  return undefined;
}

/**
 * Saves a workspace. Returns whether it fits. If the browser has no storage at all, this is not
 * reported as a failure.
 */
export function save(workspace: Workspace): boolean {
  const text = JSON.stringify(workspace);
  let fits = true;
  for (const storage of storages()) {
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
