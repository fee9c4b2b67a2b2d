// An object without and with the changes of a policy.
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Change } from "playground";
import { appearance, readOnly } from "./editor";

/** Narrower than this, two texts beside each other cannot be read. */
const NARROW = "(max-width: 700px)";

/** Shows a change: side by side, or in one text where there is no room. */
export function showChange(parent: HTMLElement, { before, after }: Change): void {
  const collapseUnchanged = { margin: 3, minSize: 6 };
  if (matchMedia(NARROW).matches) {
    const extensions = [
      appearance,
      readOnly("The object, with its changes"),
      unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged }),
    ];
    new EditorView({ parent, state: EditorState.create({ doc: after, extensions }) });
  } else {
    new MergeView({
      parent,
      a: { doc: before, extensions: [appearance, readOnly("The object as it was sent")] },
      b: { doc: after, extensions: [appearance, readOnly("The object as it is admitted")] },
      collapseUnchanged,
    });
  }
}
