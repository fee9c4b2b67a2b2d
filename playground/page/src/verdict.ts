// Shows verdicts and problems.
import type { InputProblem, JudgeResult, Line, Mark, RequestVerdict, VerdictKind } from "playground";
import { showDiff } from "./diff";
import { make } from "./dom";

const KIND_LABELS: Record<VerdictKind, string> = {
  admitted: "Admitted",
  notMatched: "Admitted",
  mutated: "Mutated",
  denied: "Denied",
  fault: "Denied",
};

const FIELD_LABELS: Record<InputProblem["field"], string> = {
  manifest: "Manifest",
  settings: "Settings",
  cluster: "Cluster",
  oldObject: "Old object",
};

/** Up to this many verdicts are summarised one by one, with their changes expanded. */
const MAX_EXPANDED = 3;
/** The number of verdicts that are shown at once. */
const PAGE_SIZE = 50;

type Select = (mark: Mark) => void;

/** Summarises a result in a sentence for screen readers. */
export function summary({ problems, verdicts }: JudgeResult): string {
  const [problem] = problems;
  if (problem) return `${FIELD_LABELS[problem.field]}: ${problem.message}`;
  if (verdicts.length > MAX_EXPANDED) {
    const counts = new Map<string, number>();
    for (const { kind } of verdicts) counts.set(KIND_LABELS[kind], (counts.get(KIND_LABELS[kind]) ?? 0) + 1);
    return [...counts].map(([label, count]) => `${label}: ${count}`).join(", ");
  }
  return verdicts
    .map(({ kind, title, violations }) => {
      const count = violations.length;
      const detail = kind === "denied" ? `, ${count} ${count === 1 ? "violation" : "violations"}` : "";
      return `${KIND_LABELS[kind]}: ${title}${detail}`;
    })
    .join(". ");
}

/** Shows the problems of the input. */
export function showProblems(parent: HTMLElement, problems: InputProblem[], select: Select): void {
  const items = problems.map(({ field, message, mark }) =>
    make("li", {}, make("strong", {}, `${FIELD_LABELS[field]}:`), " ", ...lineLink(mark, select), message),
  );
  parent.replaceChildren(...(items.length ? [make("ul", { class: "problems" }, ...items)] : []));
}

/** Shows verdicts, one page at a time. */
export function showVerdicts(
  parent: HTMLElement,
  verdicts: RequestVerdict[],
  policy: string,
  select: Select,
): void {
  const expanded = verdicts.length <= MAX_EXPANDED;
  const show = (from: number): (Node | string)[] => {
    const articles: Node[] = verdicts
      .slice(from, from + PAGE_SIZE)
      .map((verdict) => article(verdict, policy, select, expanded));
    const remaining = verdicts.length - from - PAGE_SIZE;
    if (remaining > 0) {
      const more = make("button", { type: "button" }, `Show more (${remaining} remaining)`);
      more.addEventListener("click", () => more.replaceWith(...show(from + PAGE_SIZE)));
      articles.push(more);
    }
    return articles;
  };
  parent.replaceChildren(...show(0));
}

function article(verdict: RequestVerdict, policy: string, select: Select, expanded: boolean): HTMLElement {
  const { kind, title, violations, warnings, auditAnnotations, diff } = verdict;
  const article = make(
    "article",
    { class: `verdict ${kind}` },
    make("h3", {}, make("span", { class: "badge" }, KIND_LABELS[kind]), " ", title),
  );
  if (kind === "notMatched") {
    article.append(make("p", { class: "hint" }, `This request is outside the scope of ${policy}.`));
  }
  if (kind === "fault") {
    article.append(make("p", { class: "hint" }, "The request could not be judged and is therefore denied:"));
  }
  if (violations.length) article.append(lineList("violations", violations, select));
  if (warnings.length) article.append(make("h4", {}, "Warnings"), lineList("warnings", warnings, select));
  if (diff) {
    const content = make("div", { class: "diff" });
    const summary = make("summary", {}, "Changes");
    const details = make("details", { class: "change", open: expanded }, summary, content);
    const fill = () => {
      if (details.open && !content.hasChildNodes()) showDiff(content, diff);
    };
    details.addEventListener("toggle", fill);
    fill();
    article.append(details);
  }
  if (auditAnnotations.length) {
    const entries = auditAnnotations.flatMap(({ key, value }) => [make("dt", {}, key), make("dd", {}, value)]);
    article.append(make("h4", {}, "Audit annotations"), make("dl", {}, ...entries));
  }
  return article;
}

function lineList(name: string, lines: Line[], select: Select): HTMLElement {
  return make(
    "ul",
    { class: name },
    ...lines.map(({ message, mark }) => make("li", {}, ...lineLink(mark, select), message)),
  );
}

function lineLink(mark: Mark | undefined, select: Select): (Node | string)[] {
  if (!mark) return [];
  const field = mark.field === "manifest" ? "" : `${FIELD_LABELS[mark.field].toLowerCase()}, `;
  const attributes = { type: "button", class: "line", click: () => select(mark) };
  return [make("button", attributes, `${field}line ${mark.line}`), " "];
}
