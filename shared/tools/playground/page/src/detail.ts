// The details of a cell: what the policy says about the object, and what to do.
import type {
  CellAnswer,
  CellDetail,
  Matrix,
  ObjectDiff,
  ObjectId,
  Outcome,
  PolicyMode,
  SuggestedAction,
  Suspicion,
} from "playground";
import { checkList, suggestionButtons } from "./checks";
import { button, byId, count, make, withBreaks, withLine } from "./dom";
import type { CellName } from "./grid";
import { lazy } from "./lazy";
import { icon, word } from "./outcome";
import { readable, type ViolationListeners, violationGroups } from "./violations";

export interface DetailListeners extends ViolationListeners {
  onAction(action: SuggestedAction, object: ObjectId, policy: number): void;
  onMode(policy: number, mode: PolicyMode): void;
}

const SENTENCES: Partial<Record<Outcome, string>> = {
  Fault: "Could not be evaluated, so it is denied:",
  Unknown: "It is not known what happens, which is never a pass:",
  Monitored: "The policy only monitors: the violations are logged, and the request is admitted.",
  Changed: "Admitted, with these changes:",
  Passed: "Evaluated, and admitted unchanged.",
  NotLookedAt: "Admitted without being evaluated, because a check is not met:",
};

const content = byId("detail");
const loadDiff = lazy(() => import("./diff"));

export class Detail {
  private diffs: { destroy(): void }[] = [];

  constructor(private readonly listeners: DetailListeners) {}

  clear(): void {
    for (const diff of this.diffs) diff.destroy();
    this.diffs = [];
    content.replaceChildren();
  }

  async show(
    matrix: Matrix,
    cell: CellName,
    { answers, suggestions }: CellDetail,
    mode: PolicyMode,
  ): Promise<void> {
    const object = matrix.objects[cell.object];
    const policy = matrix.policies[cell.policy];
    this.clear();
    const heading = make(
      "h3",
      { id: "detail-heading", tabindex: "-1" },
      `${policy?.name ?? ""}: ${object?.title ?? ""}`,
    );
    const doubtful = object?.suspicions.length ? " doubtful" : "";
    const decidedBy = matrix.cells[cell.object]?.[cell.policy]?.decidedBy;
    const fixable = answers.some(({ groups }) =>
      groups.some(({ violations }) => violations.some(({ fix }) => fix)),
    );
    const groups = new Set(answers.flatMap(({ groups }) => groups.map(({ control }) => control)));
    const fixAll = fixable && groups.size > 1 ? [button("Fix all…", () => this.listeners.onFix([]), "fix")] : [];
    content.append(
      make("div", { class: "row heading" }, heading, ...fixAll),
      this.evaluatedAs(cell.policy, mode),
      ...suspicions(object?.suspicions ?? [], this.listeners),
    );
    for (const answer of answers) content.append(this.answer(answer, answers.length > 1, doubtful, decidedBy));
    if (answers.length === 0) {
      const { headline = "" } = matrix.cells[cell.object]?.[cell.policy] ?? {};
      const broken = "The policy cannot evaluate: its settings or its manifest have errors.";
      content.append(make("p", {}, policy?.problems.length ? broken : headline));
    }
    const act = (action: SuggestedAction) => object && this.listeners.onAction(action, object.id, cell.policy);
    content.append(...suggestionButtons(suggestions, act));
    await this.showDiffs(answers.flatMap(({ diff }) => diff ?? []));
  }

  private async showDiffs(changed: ObjectDiff[]): Promise<void> {
    if (changed.length === 0) return;
    const places = [...content.querySelectorAll<HTMLElement>(".diff")];
    const loaded = await loadDiff().catch(() => undefined);
    if (!loaded) {
      for (const place of places) place.append(make("p", { class: "error" }, "The changes could not be loaded."));
      return;
    }
    // The diffs measure their place, so that they are created in the page.
    for (const [index, diff] of changed.entries()) {
      const place = places[index];
      if (place?.isConnected) this.diffs.push(loaded.showDiff(place, diff));
    }
  }

  /** Says what the policy evaluates, and switches it. */
  private evaluatedAs(policy: number, mode: PolicyMode): HTMLElement {
    const [says, other, label]: [string, PolicyMode, string] =
      mode === "RulesOnly"
        ? [
            "Rules only, without the selectors and conditions of a deployment.",
            "AsDeployed",
            "Evaluate as deployed",
          ]
        : ["As deployed, with selectors, conditions and mode.", "RulesOnly", "Evaluate by rules only"];
    const change = button(label, () => this.listeners.onMode(policy, other), "quiet");
    return make("p", { class: "row hint" }, says, " ", change);
  }

  private answer(answer: CellAnswer, titled: boolean, doubtful: string, decidedBy?: string): HTMLElement {
    const { outcome, reason, concernsPods, warnings, checks, diff, lookUps } = answer;
    const title = concernsPods ? "The pods that it would make" : answer.title;
    const says = make("p", { class: "says" }, SENTENCES[outcome] ?? "");
    const section = make(
      "section",
      { class: `answer ${outcome}`, "aria-label": title },
      make(
        "h4",
        {},
        make("span", { class: `badge tone ${outcome}${doubtful}` }, icon(outcome, decidedBy), word(outcome)),
        titled ? ` ${title}` : ` ${violationCount(answer)}`,
      ),
      ...(SENTENCES[outcome] ? [says] : []),
      ...(reason ? [make("p", { class: "reason" }, readable(reason))] : []),
      ...violationGroups(answer, this.listeners),
    );
    if (warnings.length) {
      section.append(make("h5", {}, "Warnings"), make("ul", {}, ...warnings.map((text) => make("li", {}, text))));
    }
    if (diff) section.append(make("div", { class: "diff" }));
    const looksAt = outcome !== "NotLookedAt" && outcome !== "Unknown";
    if (checks.length && !looksAt) section.append(checkList(checks));
    if (lookUps.length) {
      section.append(
        make(
          "details",
          { class: "quiet" },
          make("summary", {}, count(lookUps.length, "look-up")),
          make("ul", {}, ...lookUps.map((lookUp) => make("li", {}, make("code", {}, ...withBreaks(lookUp))))),
        ),
      );
    }
    return section;
  }
}

function violationCount({ groups, more, outcome }: CellAnswer): string {
  const number = groups.reduce((sum, { violations }) => sum + violations.length, more);
  return number || outcome === "Denied" ? count(number, "violation") : "";
}

/** Warns of fields because of which a policy probably admits an object for the wrong reason. */
function suspicions(suspicions: Suspicion[], { onMark }: ViolationListeners): HTMLElement[] {
  if (suspicions.length === 0) return [];
  const items = suspicions
    .slice(0, 20)
    .map(({ message, mark }) => make("li", {}, ...withLine(message, mark, onMark)));
  return [
    make(
      "div",
      { class: "suspicions tone Warned" },
      icon("Warned"),
      make(
        "div",
        {},
        make("strong", {}, "Look at these fields first: the verdict may not mean what it seems to."),
        make("ul", {}, ...items),
      ),
    ),
  ];
}
