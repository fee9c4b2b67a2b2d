// The entry point of the page: startup, loading of examples and links, and switching of
// policies.
import type { Input, Policy } from "playground";
import { byId, copy, make } from "./dom";
import * as draft from "./draft";
import { Engine } from "./engine";
import { Examples } from "./examples";
import { describe, editors, listen, read, policy, write } from "./fields";
import { Judgement } from "./judgement";
import { decode, encode, LONG_LINK } from "./share";
import { normalise, sameInput } from "./state";
import { setUpThemes } from "./theme";

/** Matches the fragment of a link that contains an input. */
const LINK = /^#\d+:/;

const engine = new Engine();
const judgement = new Judgement(engine);
const examples = new Examples(
  engine,
  (input, title) => replace(input, `Loaded: ${title.replaceAll("`", "")}`, true),
  showStatus,
);

let catalog: Policy[] = [];
/** The input that was last loaded from an example or a link. */
let loaded: Input | undefined;
/**
 * Whether `loaded` is an example. If unchanged, it is replaced when the user selects another
 * policy.
 */
let loadedIsExample = true;
/** The input that was replaced by `loaded`. */
let previous = draft.loadPrevious();
/** The settings of the policies that are not currently selected. */
const otherSettings = draft.loadSettings();
/**
 * The policy of the shown input. It differs from the selected one while a switch is in
 * progress.
 */
let current = "";

function find(id: string): Policy | undefined {
  return catalog.find((policy) => policy.id === id);
}

/** Writes an input to the fields. */
function fill(input: Input): void {
  const selected = find(input.policy);
  if (!selected) return;
  current = selected.id;
  write(input, selected);
}

/** Replaces the input. The previous one can be restored. */
async function replace(input: Input, status: string, example: boolean): Promise<void> {
  const present = read();
  if (!loaded || !sameInput(present, loaded)) previous = present;
  loaded = normalise(input);
  loadedIsExample = example;
  fill(loaded);
  clearLink();
  showStatus(status);
  await saveAndJudge();
  judgement.scrollToFirstViolation();
}

function clearLink(): void {
  if (LINK.test(location.hash)) history.replaceState(null, "", location.pathname + location.search);
}

function showStatus(status: string): void {
  byId("status").textContent = status;
  byId("undo").hidden = previous === undefined;
}

/** Saves and judges the current input. */
async function saveAndJudge(): Promise<void> {
  draft.save(read());
  draft.savePrevious(previous);
  draft.saveSettings(otherSettings);
  byId("not-saved").hidden = !draft.isTooLarge();
  await judgement.judgeNow();
}

function inputChanged(): void {
  // The link in the address bar refers to the input before the change.
  clearLink();
  judgement.schedule(saveAndJudge);
}

async function share(): Promise<void> {
  const fragment = await encode(read());
  history.replaceState(null, "", `#${fragment}`);
  const copied = await copy(location.href);
  const length = location.href.length;
  const long =
    length > LONG_LINK ? ` It is ${length.toLocaleString("en")} characters long; some programs truncate it.` : "";
  showStatus(`${copied ? "Link copied." : "The link is in the address bar."}${long}`);
}

/**
 * Reads the input from the link in the address bar. Returns undefined if the fragment is not such a
 * link.
 */
async function readLink(): Promise<Input | undefined> {
  if (!LINK.test(location.hash)) return undefined;
  const linked = await decode(location.hash.slice(1));
  if (linked && find(linked.policy)) return linked;
  showStatus("The link cannot be read: it is truncated or from another version of this page.");
  return undefined;
}

async function start(): Promise<void> {
  setUpThemes();
  ({ policies: catalog } = await engine.call("policies"));
  policy.replaceChildren(...catalog.map(({ id }) => make("option", { value: id }, id)));
  const linked = await readLink();
  const draftInput = draft.load();
  // A draft from another version of this page can name an unknown policy. Its other fields are
  // still valid.
  const saved = draftInput && {
    ...draftInput,
    policy: (find(draftInput.policy) ?? catalog[0])?.id ?? "",
  };
  const sample = await firstSample(catalog[0]?.id ?? "");
  if (linked && saved && !sameInput(linked, saved) && !(sample && sameInput(saved, sample))) previous = saved;
  loaded = linked ?? sample;
  loadedIsExample = linked === undefined;
  const initial = linked ?? saved ?? sample;
  if (initial) fill(initial);
  if (linked) showStatus("Opened from a link.");
  byId("undo").hidden = previous === undefined;
  byId("inputs").inert = false;
  addListeners();
  await saveAndJudge();
  judgement.scrollToFirstViolation();
}

/** Returns the first sample of a policy. */
async function firstSample(id: string): Promise<Input | undefined> {
  const sample = find(id)?.samples[0];
  return sample && engine.call("sampleInput", id, sample.name);
}

/**
 * Switches to the selected policy: loads its first sample, or keeps the input if the user has
 * changed it.
 */
async function switchPolicy(): Promise<void> {
  const id = policy.value;
  const selected = find(id);
  if (!selected) return;
  const before = { ...read(), policy: current };
  const unchanged = loadedIsExample && loaded !== undefined && sameInput(before, { ...loaded, policy: current });
  if (unchanged) {
    const sample = await firstSample(id);
    // Keep the input if the user has meanwhile selected another policy or started typing.
    const now = { ...read(), policy: current };
    if (!sample || policy.value !== id || !sameInput(now, before)) return;
    loaded = sample;
    fill(sample);
    showStatus("");
  } else {
    otherSettings.set(current, before.settings);
    current = id;
    editors.settings.text = otherSettings.get(id) ?? "";
    describe(selected);
  }
  clearLink();
  await saveAndJudge();
  if (unchanged) judgement.scrollToFirstViolation();
}

/**
 * Moves the focus to the verdict without adding a history entry, which would lead back to a
 * replaced link.
 */
function goToVerdict(event: Event): void {
  event.preventDefault();
  const heading = byId("verdict-heading");
  heading.focus();
  heading.scrollIntoView();
}

function addListeners(): void {
  listen(inputChanged);
  policy.addEventListener("change", switchPolicy);
  byId("share").addEventListener("click", share);
  byId("examples-open").addEventListener("click", () => {
    const selected = find(policy.value);
    if (selected) examples.open(selected);
  });
  byId("undo").addEventListener("click", () => {
    if (previous) replace(previous, "Previous input restored.", false);
  });
  byId("skip").addEventListener("click", goToVerdict);
  byId("bar").addEventListener("click", goToVerdict);
  window.addEventListener("hashchange", async () => {
    const linked = await readLink();
    if (linked) replace(linked, "Opened from a link.", false);
  });
  if (import.meta.env.PROD && "serviceWorker" in navigator) {
    // Registration fails on insecure origins. The page then works, but not offline.
    navigator.serviceWorker.register("./offline.js").catch(() => undefined);
  }
}

start().catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error);
  byId("verdicts").replaceChildren(
    make("p", { class: "hint" }, `The playground could not start: ${reason}. Reload the page.`),
  );
});
