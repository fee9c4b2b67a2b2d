// Judges the input and shows the verdict.
import type { Input, InputProblem, JudgeResult, Line, Mark, RequestVerdict } from "playground";
import { byId } from "./dom";
import type { MarkedMessage } from "./editor";
import { type Engine, Superseded } from "./engine";
import { editors, read } from "./fields";
import * as form from "./form";
import { LazyText } from "./lazy-text";
import { showProblems, showVerdicts, summary } from "./verdict";

/** The input is judged when the user has not typed for this many milliseconds. */
const TYPING_PAUSE = 120;
/** The busy indicator appears after this many milliseconds. */
const BUSY_DELAY = 300;

const pane = byId("verdict-pane");
const verdicts = byId("verdicts");

export class Judgement {
  private timer: number | undefined;
  /** Incremented whenever a verdict is scheduled or requested, to recognise outdated ones. */
  private generation = 0;
  /** The result for the last valid input. */
  private result: JudgeResult | undefined;
  private readonly lazyTexts: LazyText[];

  constructor(private readonly engine: Engine) {
    const deploy = async () => {
      const { policy, settings } = read();
      const { manifest, problem } = await engine.call("clusterAdmissionPolicy", policy, settings);
      if (problem) throw new Error(`invalid settings: ${problem.message}`);
      return manifest;
    };
    const admissionRequest = async () => {
      const { requests, problems } = await engine.call("requests", read());
      if (problems[0]) throw new Error(problems[0].message);
      return requests.join("\n");
    };
    const admissionResponse = async () => this.result?.verdicts.map(({ response }) => response).join("\n") ?? "";
    this.lazyTexts = [
      new LazyText("deploy", deploy),
      new LazyText("admission-request", admissionRequest),
      new LazyText("admission-response", admissionResponse),
    ];
  }

  /** Calls `judge` when the user stops typing. */
  schedule(judge: () => void): void {
    pane.ariaBusy = "true";
    this.generation++;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(judge, TYPING_PAUSE);
  }

  /** Judges the current input immediately. */
  async judgeNow(): Promise<void> {
    window.clearTimeout(this.timer);
    pane.ariaBusy = "true";
    const generation = ++this.generation;
    const busy = window.setTimeout(() => {
      byId("busy").hidden = false;
    }, BUSY_DELAY);
    const input = read();
    try {
      this.show(input, await this.engine.judge(input));
    } catch (error) {
      if (!(error instanceof Superseded)) this.show(input, failure(error));
    }
    window.clearTimeout(busy);
    if (generation !== this.generation) return;
    for (const text of this.lazyTexts) text.invalidate();
    byId("busy").hidden = true;
    pane.ariaBusy = "false";
  }

  /** Scrolls the editor to the first violation that has a location. */
  scrollToFirstViolation(): void {
    const mark = this.result?.verdicts.flatMap(({ violations }) => violations).find((line) => line.mark)?.mark;
    if (mark) editors[mark.field].scrollTo(mark);
  }

  private show(input: Input, result: JudgeResult): void {
    const { problems } = result;
    const stale = problems.length > 0;
    byId("summary").textContent = byId("bar").textContent = summary(result);
    showProblems(byId("problems"), problems, select);
    verdicts.classList.toggle("stale", stale);
    byId("stale").hidden = !stale || this.result === undefined;
    form.setRequestsPasted(result.holdsRequests);
    if (!stale) {
      this.result = result;
      showVerdicts(verdicts, result.verdicts, input.policy, select);
    } else if (!this.result) {
      verdicts.replaceChildren();
    }
    const messages = stale ? problems.flatMap(problemMarks) : result.verdicts.flatMap(verdictMarks);
    for (const [field, editor] of Object.entries(editors)) {
      editor.setMarks(messages.filter(({ mark }) => mark.field === field));
    }
  }
}

function failure(error: unknown): JudgeResult {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `this browser could not judge the input (${reason}); paste a smaller input or reload the page`;
  return { problems: [{ field: "manifest", message }], verdicts: [], holdsRequests: false };
}

function problemMarks({ message, mark }: InputProblem): MarkedMessage[] {
  return mark ? [{ mark, message, severity: "error" }] : [];
}

function verdictMarks({ violations, warnings }: RequestVerdict): MarkedMessage[] {
  const marked = (severity: MarkedMessage["severity"], lines: Line[]): MarkedMessage[] =>
    lines.flatMap(({ message, mark }) => (mark ? [{ mark, message, severity }] : []));
  return [...marked("error", violations), ...marked("warning", warnings)];
}

function select(mark: Mark): void {
  editors[mark.field].select(mark);
}
