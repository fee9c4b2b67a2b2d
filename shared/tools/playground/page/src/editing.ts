// Search and completion, which an editor loads when it is first used.
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import type { Extension } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { type Complete, completionSource } from "./completion";

/** Returns the extensions of an editor that is used. */
export function editing(complete?: Complete): Extension {
  return [
    highlightSelectionMatches(),
    keymap.of(searchKeymap),
    complete ? [autocompletion({ override: [completionSource(complete)] }), keymap.of(completionKeymap)] : [],
  ];
}
