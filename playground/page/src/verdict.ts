// What becomes of the input, on the page.
import type { Line, Mark, Outcome, Problem, Verdict, VerdictKind } from "playground";
import { showChange } from "./diff";
import { make } from "./dom";

const WORDS: Record<VerdictKind, string> = {
  admitted: "Admitted",
  notConcerned: "Admitted",
  mutated: "Mutated",
  denied: "Denied",
  fault: "Denied",
};

const FIELDS: Record<Problem["field"], string> = {
  manifest: "Manifest",
  settings: "Settings",
  cluster: "Cluster",
  oldObject: "Old object",
};

/** So many verdicts are told one by one, and their changes are open. */
const FEW = 3;
/** So many are on the page at once. */
const SHOWN = 50;

type Reveal = (mark: Mark) => void;

/** One sentence for who does not see the page. */
export function summary({ problems, verdicts }: Outcome): string {
  const [problem] = problems;
  if (problem) return `${FIELDS[problem.field]}: ${problem.message}`;
  if (verdicts.length > FEW) {
    const counts = new Map<string, number>();
    for (const { kind } of verdicts) counts.set(WORDS[kind], (counts.get(WORDS[kind]) ?? 0) + 1);
    return [...counts].map(([word, count]) => `${word}: ${count}`).join(", ");
  }
  return verdicts
    .map(({ kind, title, violations }) => {
      const count = violations.length;
      const why = kind === "denied" ? `, ${count} ${count === 1 ? "violation" : "violations"}` : "";
      return `${WORDS[kind]}: ${title}${why}`;
    })
    .join(". ");
}

/** What cannot be read. */
export function showProblems(parent: HTMLElement, problems: Problem[], reveal: Reveal): void {
  const items = problems.map(({ field, message, mark }) =>
    make("li", {}, make("strong", {}, FIELDS[field]), " ", ...link(mark, reveal), message),
  );
  parent.replaceChildren(...(items.length ? [make("ul", { class: "problems" }, ...items)] : []));
}

/** The verdicts, as many at once as a page is good for. */
export function showVerdicts(parent: HTMLElement, verdicts: Verdict[], restriction: string, reveal: Reveal): void {
  const open = verdicts.length <= FEW;
  const show = (from: number): (Node | string)[] => {
    const articles: Node[] = verdicts
      .slice(from, from + SHOWN)
      .map((verdict) => article(verdict, restriction, reveal, open));
    const left = verdicts.length - from - SHOWN;
    if (left > 0) {
      const more = make("button", { type: "button" }, `Show more: ${left} are left`);
      more.addEventListener("click", () => more.replaceWith(...show(from + SHOWN)));
      articles.push(more);
    }
    return articles;
  };
  parent.replaceChildren(...show(0));
}

function article(verdict: Verdict, restriction: string, reveal: Reveal, open: boolean): HTMLElement {
  const { kind, title, violations, warnings, auditAnnotations, change } = verdict;
  const article = make(
    "article",
    { class: `verdict ${kind}` },
    make("h3", {}, make("span", { class: "badge" }, WORDS[kind]), " ", title),
  );
  if (kind === "notConcerned") {
    article.append(make("p", { class: "hint" }, `${restriction} does not judge such requests.`));
  }
  if (kind === "fault") {
    article.append(make("p", { class: "hint" }, "It could not be judged, which is a denial:"));
  }
  if (violations.length) article.append(lines("violations", violations, reveal));
  if (warnings.length) article.append(make("h4", {}, "Warnings"), lines("warnings", warnings, reveal));
  if (change) {
    const diff = make("div", { class: "diff" });
    const details = make("details", { class: "change", open }, make("summary", {}, "Changes"), diff);
    const fill = () => {
      if (details.open && !diff.hasChildNodes()) showChange(diff, change);
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

function lines(name: string, lines: Line[], reveal: Reveal): HTMLElement {
  return make(
    "ul",
    { class: name },
    ...lines.map(({ message, mark }) => make("li", {}, ...link(mark, reveal), message)),
  );
}

function link(mark: Mark | undefined, reveal: Reveal): (Node | string)[] {
  if (!mark) return [];
  const where = mark.field === "manifest" ? "" : `${FIELDS[mark.field].toLowerCase()}, `;
  const attributes = { type: "button", class: "line", click: () => reveal(mark) };
  return [make("button", attributes, `${where}line ${mark.line}`), " "];
}
