// Why a policy does not look at an object: the checks in their order, and what to try.
import type { Check, CheckResult, SuggestedAction, Suggestion } from "playground";
import { button, make } from "./dom";

const RESULTS: Record<CheckResult, { sign: string; word: string }> = {
  Met: { sign: "✓", word: "met" },
  NotMet: { sign: "✗", word: "not met" },
  Failed: { sign: "!", word: "failed" },
  Unknown: { sign: "?", word: "not known" },
  NotReached: { sign: "·", word: "not reached" },
};

export function checkList(checks: Check[]): HTMLElement {
  const items = checks.map(({ name, result, message }) => {
    const { sign, word } = RESULTS[result];
    return make(
      "li",
      { class: `check-${result}` },
      make("span", { class: "sign", "aria-hidden": "true" }, sign),
      make(
        "span",
        {},
        make("strong", {}, name),
        make("span", { class: "visually-hidden" }, ` (${word})`),
        ` ${message}`,
      ),
    );
  });
  return make("ol", { class: "checks" }, ...items);
}

export function suggestionButtons(
  suggestions: Suggestion[],
  act: (action: SuggestedAction) => void,
): HTMLElement[] {
  if (suggestions.length === 0) return [];
  return [
    make("div", { class: "row" }, ...suggestions.map(({ message, action }) => button(message, () => act(action)))),
  ];
}
