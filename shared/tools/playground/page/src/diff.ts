// Shows a text before and after a change.
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { ObjectDiff } from "playground";
import { appearance, readOnly } from "./editor";

/** Below this width of the place, two columns are too narrow to read. */
const MIN_WIDTH = 800;

/**
 * Shows a diff side by side, or as a unified diff in narrow places. The views hold observers and
 * listeners: call `destroy` before the parent is emptied.
 */
export function showDiff(parent: HTMLElement, { before, after }: ObjectDiff): { destroy(): void } {
  const collapseUnchanged = { margin: 3, minSize: 6 };
  if (parent.clientWidth < MIN_WIDTH) {
    const extensions = [
      appearance,
      readOnly("Changes"),
      unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged }),
    ];
    return new EditorView({ parent, state: EditorState.create({ doc: after, extensions }) });
  }
  return new MergeView({
    parent,
    a: { doc: before, extensions: [appearance, readOnly("Before")] },
    b: { doc: after, extensions: [appearance, readOnly("After")] },
    collapseUnchanged,
  });
}
