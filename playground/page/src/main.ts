// The page: what is on it when it is opened, and what takes its place.
import type { Input, Restriction } from "playground";
import { byId, copy, make } from "./dom";
import * as draft from "./draft";
import { Engine } from "./engine";
import { Examples } from "./examples";
import { editors, introduce, listen, read, restriction, write } from "./fields";
import { Judgement } from "./judgement";
import { decode, encode, LONG } from "./share";
import { normalised, same } from "./state";
import { offerThemes } from "./theme";

/** What a link to this page has behind it. */
const LINK = /^#\d+:/;

const engine = new Engine();
const judgement = new Judgement(engine);
const examples = new Examples(
  engine,
  (input, title) => replace(input, `Loaded: ${title.replaceAll("`", "")}`, true),
  say,
);

let catalog: Restriction[] = [];
/** What was last put here whole: an example, a link. */
let given: Input | undefined;
/** Whether that is an example, which another restriction has others in place of. */
let exemplary = true;
/** What was here before. */
let former = draft.loadFormer();
/** The settings of the restrictions that are not chosen now. */
const settingsOf = draft.loadSettings();
/** The restriction that is chosen now, also while another one is being chosen. */
let current = "";

function find(id: string): Restriction | undefined {
  return catalog.find((restriction) => restriction.id === id);
}

/** Puts a whole input into the fields. */
function put(input: Input): void {
  const chosen = find(input.restriction);
  if (!chosen) return;
  current = chosen.id;
  write(input, chosen);
}

/** Puts a whole input here; what was here can be brought back. */
async function replace(input: Input, status: string, example: boolean): Promise<void> {
  const present = read();
  if (!given || !same(present, given)) former = present;
  given = normalised(input);
  exemplary = example;
  put(given);
  forgetLink();
  say(status);
  await settle();
  judgement.showFirst();
}

function forgetLink(): void {
  if (LINK.test(location.hash)) history.replaceState(null, "", location.pathname + location.search);
}

function say(status: string): void {
  byId("status").textContent = status;
  byId("undo").hidden = former === undefined;
}

/** Judges what is there now, and keeps it. */
async function settle(): Promise<void> {
  draft.save(read());
  draft.saveFormer(former);
  draft.saveSettings(settingsOf);
  byId("unkept").hidden = !draft.isTooLarge();
  await judgement.now();
}

function changed(): void {
  // The link is one to what was here before.
  forgetLink();
  judgement.await(settle);
}

async function share(): Promise<void> {
  const fragment = await encode(read());
  history.replaceState(null, "", `#${fragment}`);
  const copied = await copy(location.href);
  const length = location.href.length;
  const long = length > LONG ? ` It has ${length.toLocaleString("en")} characters, which some programs cut.` : "";
  say(`${copied ? "Link copied." : "The link is in the address bar."}${long}`);
}

/** The input of the link in the address bar; nothing if there is none, or another place on the page. */
async function follow(): Promise<Input | undefined> {
  if (!LINK.test(location.hash)) return undefined;
  const linked = await decode(location.hash.slice(1));
  if (linked && find(linked.restriction)) return linked;
  say("The link cannot be read: it is cut, or of another version of this page.");
  return undefined;
}

async function begin(): Promise<void> {
  offerThemes();
  ({ restrictions: catalog } = await engine.call("restrictions"));
  restriction.replaceChildren(...catalog.map(({ id }) => make("option", { value: id }, id)));
  const linked = await follow();
  const kept = draft.load();
  // Of a version of this page that had other restrictions, all else is as good as ever.
  const known = kept && { ...kept, restriction: (find(kept.restriction) ?? catalog[0])?.id ?? "" };
  const sample = await first(catalog[0]?.id ?? "");
  if (linked && known && !same(linked, known) && !(sample && same(known, sample))) former = known;
  given = linked ?? sample;
  exemplary = linked === undefined;
  const start = linked ?? known ?? sample;
  if (start) put(start);
  if (linked) say("Opened from a link.");
  byId("undo").hidden = former === undefined;
  byId("inputs").inert = false;
  react();
  await settle();
  judgement.showFirst();
}

/** The first sample of a restriction. */
async function first(id: string): Promise<Input | undefined> {
  const sample = find(id)?.samples[0];
  return sample && engine.call("sampleInput", id, sample.name);
}

/** Another restriction: its first sample, or its settings for what has been typed. */
async function turn(): Promise<void> {
  const id = restriction.value;
  const chosen = find(id);
  if (!chosen) return;
  const before = { ...read(), restriction: current };
  const untouched = exemplary && given !== undefined && same(before, { ...given, restriction: current });
  if (untouched) {
    const sample = await first(id);
    // Whoever has chosen yet another one, or has begun to type, is not to be disturbed.
    const now = { ...read(), restriction: current };
    if (!sample || restriction.value !== id || !same(now, before)) return;
    given = sample;
    put(sample);
    say("");
  } else {
    settingsOf.set(current, before.settings);
    current = id;
    editors.settings.text = settingsOf.get(id) ?? "";
    introduce(chosen);
  }
  forgetLink();
  await settle();
  if (untouched) judgement.showFirst();
}

/** Goes to the verdict without a trace in the history, which would lead back to a link that was left. */
function goToVerdict(event: Event): void {
  event.preventDefault();
  const heading = byId("verdict-heading");
  heading.focus();
  heading.scrollIntoView();
}

function react(): void {
  listen(changed);
  restriction.addEventListener("change", turn);
  byId("share").addEventListener("click", share);
  byId("examples-open").addEventListener("click", () => {
    const chosen = find(restriction.value);
    if (chosen) examples.open(chosen);
  });
  byId("undo").addEventListener("click", () => {
    if (former) replace(former, "Brought back.", false);
  });
  byId("skip").addEventListener("click", goToVerdict);
  byId("bar").addEventListener("click", goToVerdict);
  window.addEventListener("hashchange", async () => {
    const linked = await follow();
    if (linked) replace(linked, "Opened from a link.", false);
  });
  if (import.meta.env.PROD && "serviceWorker" in navigator) {
    // Without one, as on a page that is not served securely, there is only no page without a network.
    navigator.serviceWorker.register("./offline.js").catch(() => undefined);
  }
}

begin().catch((error: unknown) => {
  const why = error instanceof Error ? error.message : String(error);
  byId("verdicts").replaceChildren(
    make("p", { class: "hint" }, `The playground could not start: ${why}. Reload the page.`),
  );
});
