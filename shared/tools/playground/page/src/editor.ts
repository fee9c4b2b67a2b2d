// Text editors and read-only texts, built on CodeMirror.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, type Extension, type Text } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { TextMark } from "playground";
import type { Complete } from "./completion";
import { language } from "./language";
import { lazy } from "./lazy";

/** A message about a range of a text. */
export interface MarkedMessage {
  mark: TextMark;
  message: string;
  severity: "error" | "warning";
}

// The colours are CSS variables of the page, which define light and dark themes.
const highlighting = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--key)" },
  { tag: [tags.string, tags.content, tags.special(tags.string)], color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--value)" },
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: [tags.meta, tags.labelName, tags.typeName], color: "var(--quiet)" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--paper)", fontSize: "13px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--quiet)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--line)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  ".cm-placeholder": { color: "var(--quiet)" },
  ".cm-tooltip, .cm-panels": {
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    borderColor: "var(--border)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent)",
    color: "var(--on-accent)",
  },
  ".cm-completionInfo": { maxWidth: "40ch" },
  ".cm-button, .cm-textfield": {
    background: "var(--paper)",
    color: "var(--text)",
    borderColor: "var(--border)",
  },
  ".cm-foldPlaceholder": { backgroundColor: "var(--line)", color: "var(--text)", borderColor: "var(--border)" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap", maxWidth: "70ch" },
  ".cm-lintRange-error": { backgroundColor: "var(--error-mark)" },
  ".cm-lintRange-warning": { backgroundColor: "var(--warning-mark)" },
  // The field is missing: the range is only the nearest one that exists.
  ".cm-lintRange.cm-near": {
    background: "none",
    textDecoration: "underline dotted var(--quiet)",
    textUnderlineOffset: "3px",
  },
  ".cm-searchMatch": { backgroundColor: "var(--warning-mark)" },
});

/** The appearance of all texts. */
export const appearance: Extension = [
  theme,
  lineNumbers(),
  highlightSpecialChars(),
  language,
  syntaxHighlighting(highlighting),
  EditorView.contentAttributes.of({ spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
];

/** Makes a text read-only. */
export function readOnly(label: string): Extension {
  return [
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ role: "textbox", "aria-multiline": "true", "aria-readonly": "true" }),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
  ];
}

/** The options of an editor. */
export interface EditorOptions {
  label: string;
  hint: string;
  onChange(): void;
  complete?: Complete;
  /** Called when other lines come into view. */
  onScroll?(): void;
}

const NOT_LOADED: Extension = [];
const loadEditing = lazy(() => import("./editing"));

export class Editor {
  private readonly view: EditorView;
  private readonly extensions: Extension;
  /** The extensions that are loaded when the editor is first used. */
  private readonly place = new Compartment();
  private editing: Extension = NOT_LOADED;

  constructor(parent: HTMLElement, { label, hint, onChange, complete, onScroll }: EditorOptions) {
    this.extensions = [
      appearance,
      highlightActiveLine(),
      highlightActiveLineGutter(),
      history(),
      foldGutter({ markerDOM: foldMarker }),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      lintGutter(),
      placeholder(hint),
      // Tab moves the focus out of the editor, for keyboard users.
      keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap]),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      EditorView.domEventHandlers({
        focus: () => void this.use(complete),
        // The page opens what is dropped; CodeMirror would insert it.
        drop: (event) => event.dataTransfer?.types.includes("Files") ?? false,
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange();
        else if (update.viewportChanged) onScroll?.();
      }),
    ];
    this.view = new EditorView({ parent, state: this.create("") });
  }

  private create(doc: string): EditorState {
    return EditorState.create({ doc, extensions: [this.place.of(this.editing), this.extensions] });
  }

  /** Loads search and completion. Without a network, the editor does without them. */
  private async use(complete: Complete | undefined): Promise<void> {
    const loaded = await loadEditing().catch(() => undefined);
    if (!loaded || this.editing !== NOT_LOADED) return;
    this.editing = loaded.editing(complete);
    this.view.dispatch({ effects: this.place.reconfigure(this.editing) });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Opens another text, with an undo history of its own. */
  open(text: string): void {
    if (text === this.text) return;
    this.view.setState(this.create(text));
    this.view.scrollDOM.scrollTop = 0;
  }

  /** Changes the text as an edit that can be undone. */
  change(text: string): void {
    const before = this.text;
    if (text === before) return;
    let start = 0;
    const shorter = Math.min(text.length, before.length);
    while (start < shorter && text[start] === before[start]) start++;
    let end = 0;
    while (end < shorter - start && text.at(-1 - end) === before.at(-1 - end)) end++;
    this.view.dispatch({
      changes: { from: start, to: before.length - end, insert: text.slice(start, text.length - end) },
    });
  }

  /** Returns the first and the last line that are drawn. */
  linesInSight(): { first: number; last: number } {
    const { viewport, state } = this.view;
    return { first: state.doc.lineAt(viewport.from).number, last: state.doc.lineAt(viewport.to).number };
  }

  /** Whether an element is in the editor. */
  contains(element: Node): boolean {
    return this.view.dom.contains(element);
  }

  /** Marks ranges of the text and replaces all previous marks. */
  setMarks(messages: MarkedMessage[]): void {
    const { state } = this.view;
    const range = ranges(state.doc);
    const diagnostics = messages.map(({ mark, message, severity }): Diagnostic => {
      return { ...range(mark), message, severity, ...(mark.isExact ? {} : { markClass: "cm-near" }) };
    });
    diagnostics.sort((one, other) => one.from - other.from);
    this.view.dispatch(setDiagnostics(state, diagnostics));
  }

  /**
   * Scrolls the text to a range that is not in sight, and never the page: CodeMirror's own effect
   * scrolls everything around the editor, too.
   */
  scrollTo(mark: TextMark): void {
    const { from } = ranges(this.view.state.doc)(mark);
    this.view.requestMeasure({
      read: (view) => {
        const { top, bottom } = view.lineBlockAt(from);
        const { scrollTop, clientHeight } = view.scrollDOM;
        const isInSight = top >= scrollTop && bottom <= scrollTop + clientHeight;
        return isInSight ? scrollTop : top - clientHeight / 3;
      },
      write: (top, view) => {
        view.scrollDOM.scrollTop = top;
      },
    });
  }

  /** Scrolls to a range of the text, selects it and moves the focus to it. */
  select(mark: TextMark): void {
    const { from, to } = ranges(this.view.state.doc)(mark);
    this.view.dispatch({ selection: { anchor: from, head: to } });
    this.scrollTo(mark);
    this.view.dom.scrollIntoView({ block: "nearest" });
    this.view.focus();
  }
}

function foldMarker(open: boolean): HTMLElement {
  const marker = document.createElement("span");
  marker.textContent = open ? "⌄" : "›";
  marker.title = open ? "Fold" : "Unfold";
  return marker;
}

/**
 * Converts marks to offsets in a text, which can have become shorter. Marks count Unicode
 * characters, CodeMirror counts UTF-16 code units.
 */
function ranges(doc: Text): (mark: TextMark) => { from: number; to: number } {
  // The offsets are cached for each line: a text on a single line can have a thousand marks.
  const offsets = new Map<number, (column: number) => number>();
  return (mark) => {
    const line = doc.line(Math.min(Math.max(mark.line, 1), doc.lines));
    let offset = offsets.get(line.number);
    if (!offset) {
      offset = offsetsOf(line.text);
      offsets.set(line.number, offset);
    }
    const from = Math.min(line.from + offset(mark.column), line.to);
    const to = mark.endColumn > mark.column ? Math.min(line.from + offset(mark.endColumn), line.to) : line.to;
    return { from, to: Math.max(from, to) };
  };
}

function offsetsOf(text: string): (column: number) => number {
  if (!/[\ud800-\udbff]/.test(text)) return (column) => column - 1;
  const starts: number[] = [];
  let at = 0;
  for (const character of text) {
    starts.push(at);
    at += character.length;
  }
  return (column) => starts[column - 1] ?? text.length;
}
