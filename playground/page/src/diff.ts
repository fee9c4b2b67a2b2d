// Shows an object before and after mutation.
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { ObjectDiff } from "playground";
import { appearance, readOnly } from "./editor";

/** Below this width, two columns are too narrow to read. */
const NARROW = "(max-width: 700px)";

/** Shows a diff side by side, or as a unified diff on narrow screens. */
export function showDiff(parent: HTMLElement, { before, after }: ObjectDiff): void {
  const collapseUnchanged = { margin: 3, minSize: 6 };
  if (matchMedia(NARROW).matches) {
    const extensions = [
      appearance,
      readOnly("Object with changes"),
      unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged }),
    ];
    new EditorView({ parent, state: EditorState.create({ doc: after, extensions }) });
  } else {
    new MergeView({
      parent,
      a: { doc: before, extensions: [appearance, readOnly("Object as submitted")] },
      b: { doc: after, extensions: [appearance, readOnly("Object as admitted")] },
      collapseUnchanged,
    });
  }
}
