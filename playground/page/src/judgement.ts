// From what is in the fields to what becomes of it.
import type { Input, Line, Mark, Outcome, Problem } from "playground";
import { byId } from "./dom";
import type { Remark } from "./editor";
import { type Engine, Superseded } from "./engine";
import { editors, read } from "./fields";
import * as form from "./form";
import { Listing } from "./listing";
import { showProblems, showVerdicts, summary } from "./verdict";

/** How long nobody has to have typed. */
const PAUSE = 120;
/** Who judges for longer says so. */
const NOTICEABLE = 300;

const pane = byId("verdict-pane");
const verdicts = byId("verdicts");

export class Judgement {
  private timer: number | undefined;
  /** How often somebody has typed, or something was judged: what is not of the last time is not the last word. */
  private times = 0;
  /** Of the last input that could be read. */
  private outcome: Outcome | undefined;
  private readonly listings: Listing[];

  constructor(private readonly engine: Engine) {
    const deploy = async () => {
      const { restriction, settings } = read();
      const { manifest, problem } = await engine.call("clusterAdmissionPolicy", restriction, settings);
      if (problem) throw new Error(`the settings are not understood: ${problem.message}`);
      return manifest;
    };
    const asked = async () => {
      const { requests, problems } = await engine.call("requests", read());
      if (problems[0]) throw new Error(problems[0].message);
      return requests.join("\n");
    };
    const answered = async () => this.outcome?.verdicts.map(({ response }) => response).join("\n") ?? "";
    this.listings = [
      new Listing("deploy", deploy),
      new Listing("asked", asked),
      new Listing("answered", answered),
    ];
  }

  /** Judges as soon as nobody goes on typing. */
  await(settle: () => void): void {
    pane.ariaBusy = "true";
    this.times++;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(settle, PAUSE);
  }

  /** Judges what is there now. */
  async now(): Promise<void> {
    window.clearTimeout(this.timer);
    pane.ariaBusy = "true";
    const time = ++this.times;
    const busy = window.setTimeout(() => {
      byId("busy").hidden = false;
    }, NOTICEABLE);
    const input = read();
    try {
      this.show(input, await this.engine.judge(input));
    } catch (error) {
      if (!(error instanceof Superseded)) this.show(input, failed(error));
    }
    window.clearTimeout(busy);
    if (time !== this.times) return;
    for (const listing of this.listings) listing.outdate();
    byId("busy").hidden = true;
    pane.ariaBusy = "false";
  }

  /** Scrolls to what the first line of the verdict is about. */
  showFirst(): void {
    const mark = this.outcome?.verdicts.flatMap(({ violations }) => violations).find((line) => line.mark)?.mark;
    if (mark) editors[mark.field].show(mark);
  }

  private show(input: Input, judged: Outcome): void {
    const { problems } = judged;
    const stale = problems.length > 0;
    byId("summary").textContent = byId("bar").textContent = summary(judged);
    showProblems(byId("problems"), problems, reveal);
    verdicts.classList.toggle("stale", stale);
    byId("stale").hidden = !stale || this.outcome === undefined;
    form.leaveTo(judged.holdsRequests);
    if (!stale) {
      this.outcome = judged;
      showVerdicts(verdicts, judged.verdicts, input.restriction, reveal);
    } else if (!this.outcome) {
      verdicts.replaceChildren();
    }
    const remarks = stale ? problems.flatMap(remarkOf) : judged.verdicts.flatMap(remarksOf);
    for (const [field, editor] of Object.entries(editors)) {
      editor.remark(remarks.filter(({ mark }) => mark.field === field));
    }
  }
}

function failed(error: unknown): Outcome {
  const why = error instanceof Error ? error.message : String(error);
  const message = `this browser could not judge it (${why}); give less of it, or reload the page`;
  return { problems: [{ field: "manifest", message }], verdicts: [], holdsRequests: false };
}

function remarkOf({ message, mark }: Problem): Remark[] {
  return mark ? [{ mark, message, severity: "error" }] : [];
}

function remarksOf({ violations, warnings }: Outcome["verdicts"][number]): Remark[] {
  const of = (severity: Remark["severity"], lines: Line[]): Remark[] =>
    lines.flatMap(({ message, mark }) => (mark ? [{ mark, message, severity }] : []));
  return [...of("error", violations), ...of("warning", warnings)];
}

function reveal(mark: Mark): void {
  editors[mark.field].reveal(mark);
}
