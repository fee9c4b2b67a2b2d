// The marks in an editor: the problems of its text, and the violations that the engine lists for
// the lines in view.
import type { TextName, ViolationMark } from "playground";
import type { Editor, MarkedMessage } from "./editor";
import type { Engine } from "./engine";

/** The number of lines around the view that are marked as well, so that F8 finds a mark. */
const MARGIN = 500;

export class Marks {
  private problems: MarkedMessage[] = [];
  /** Whether the engine knows the text of the editor. */
  private isCurrent = false;
  private isAsking = false;
  private asksAgain = false;

  constructor(
    private readonly engine: Engine,
    private readonly editor: Editor,
    private readonly text: TextName,
  ) {}

  /** Marks the problems of a text that was evaluated, and its violations if it has verdicts. */
  show(problems: MarkedMessage[], hasVerdicts: boolean): void {
    this.problems = problems;
    this.isCurrent = hasVerdicts;
    if (hasVerdicts) void this.ask();
    else this.editor.setMarks(problems);
  }

  /** Leaves the marks as they are until the changed text is evaluated. */
  wait(): void {
    this.isCurrent = false;
  }

  /** Marks the violations near the lines in view. */
  async ask(): Promise<void> {
    if (!this.isCurrent) return;
    this.asksAgain = this.isAsking;
    if (this.isAsking) return;
    this.isAsking = true;
    const { problems } = this;
    const { first, last } = this.editor.linesInSight();
    const asked = this.engine.ask("marks", this.text, Math.max(1, first - MARGIN), last + MARGIN);
    // After a failure of the engine, the page says so, and shows no verdicts.
    const found = await asked.catch(() => undefined);
    this.isAsking = false;
    if (found && this.isCurrent && this.problems === problems) {
      this.editor.setMarks([...problems, ...found.marks.map(violation)]);
    }
    if (this.asksAgain || this.problems !== problems) await this.ask();
  }
}

function violation({ mark, message, outcome }: ViolationMark): MarkedMessage {
  return { mark, message, severity: outcome === "Denied" || outcome === "Fault" ? "error" : "warning" };
}
