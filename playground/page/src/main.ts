// The page: from what is typed to what becomes of it.
import type { Input, Mark, Outcome, Problem, Restriction } from "playground";
import { byId, copy, make } from "./dom";
import * as draft from "./draft";
import { Editor, type Remark } from "./editor";
import { Engine, Superseded } from "./engine";
import { Examples } from "./examples";
import * as form from "./form";
import { Listing } from "./listing";
import { showReference } from "./reference";
import { decode, encode, LONG } from "./share";
import { normalised, same } from "./state";
import { offerThemes } from "./theme";
import { showProblems, showVerdicts, summary } from "./verdict";

/** How long nobody has to have typed. */
const PAUSE = 120;
/** Who judges for longer says so. */
const NOTICEABLE = 300;
/** What a link to this page has behind it. */
const LINK = /^#\d+:/;
/** Why look-ups fail where somebody wants them to. */
const UNREACHABLE = "the API server does not answer";

const engine = new Engine();
const restriction = byId<HTMLSelectElement>("restriction");
const unreachable = byId<HTMLInputElement>("unreachable");
const verdicts = byId("verdicts");
const pane = byId("verdict-pane");

const editors = {
  manifest: new Editor(byId("manifest"), "Manifest", "Paste a Kubernetes manifest or an AdmissionReview", changed),
  oldObject: new Editor(byId("old-object"), "Old object", "Paste the object as it is stored", changed),
  settings: new Editor(byId("settings"), "Settings", "# defaults", changed),
  cluster: new Editor(
    byId("cluster"),
    "Cluster",
    "# for example the output of kubectl get namespaces,nodes -o yaml",
    changed,
  ),
};

let catalog: Restriction[] = [];
/** What was last put here whole: an example, a link. */
let given: Input | undefined;
/** What was here before that. */
let former: Input | undefined;
/** The settings of the restrictions that are not chosen now. */
const settingsOf = draft.loadSettings();
let outcome: Outcome | undefined;
let timer: number | undefined;
/** How many judgements were begun. */
let judgements = 0;
/** While a whole input is put into its fields, one by one. */
let filling = false;

const deploy = new Listing("deploy", async () => {
  const { manifest, problem } = await engine.call(
    "clusterAdmissionPolicy",
    restriction.value,
    editors.settings.text,
  );
  if (problem) throw new Error(`the settings are not understood: ${problem.message}`);
  return manifest;
});
const asked = new Listing("asked", async () => {
  const { requests, problems } = await engine.call("requests", read());
  if (problems[0]) throw new Error(problems[0].message);
  return requests.join("\n");
});
const answered = new Listing(
  "answered",
  async () => outcome?.verdicts.map(({ response }) => response).join("\n") ?? "",
);
const examples = new Examples(engine, (input, title) => replace(input, `Loaded: ${title.replaceAll("`", "")}`));

/** What the fields say. */
function read(): Input {
  return {
    restriction: restriction.value,
    manifest: editors.manifest.text,
    settings: editors.settings.text,
    cluster: editors.cluster.text,
    oldObject: editors.oldObject.text,
    unreachable: unreachable.checked ? unreachable.dataset.reason || UNREACHABLE : "",
    ...form.read(),
  };
}

function write(input: Input): void {
  filling = true;
  restriction.value = input.restriction;
  editors.manifest.text = input.manifest;
  editors.settings.text = input.settings;
  editors.cluster.text = input.cluster;
  editors.oldObject.text = input.oldObject;
  unreachable.checked = input.unreachable !== "";
  unreachable.dataset.reason = input.unreachable;
  form.write(input);
  introduce();
  filling = false;
}

/** Puts a whole input here; what was here can be brought back. */
async function replace(input: Input, status: string): Promise<void> {
  const present = read();
  former = given && same(present, given) ? former : present;
  given = normalised(input);
  write(given);
  forgetLink();
  say(status);
  await settle();
  showFirst();
}

function forgetLink(): void {
  history.replaceState(null, "", location.pathname + location.search);
}

/** Scrolls to what the first line of the verdict is about. */
function showFirst(): void {
  const mark = outcome?.verdicts.flatMap(({ violations }) => violations).find((line) => line.mark)?.mark;
  if (mark) editors[mark.field].show(mark);
}

function say(status: string): void {
  byId("status").textContent = status;
  byId("undo").hidden = former === undefined;
}

/** The chosen restriction, in words. */
function introduce(): void {
  const chosen = catalog.find(({ id }) => id === restriction.value);
  if (!chosen) return;
  byId("description").textContent = chosen.description;
  showReference(byId("reference-table"), chosen);
  form.offer(chosen);
}

/** Something has been typed or chosen. */
function changed(): void {
  if (filling) return;
  pane.ariaBusy = "true";
  // The link is one to what was here before.
  if (LINK.test(location.hash)) forgetLink();
  window.clearTimeout(timer);
  timer = window.setTimeout(settle, PAUSE);
}

/** Judges what is there now, and keeps it. */
async function settle(): Promise<void> {
  window.clearTimeout(timer);
  pane.ariaBusy = "true";
  const judgement = ++judgements;
  const input = read();
  if (!draft.save(input)) say("This is too large to be kept as a draft in this browser.");
  const busy = window.setTimeout(() => {
    byId("busy").hidden = false;
  }, NOTICEABLE);
  try {
    show(input, await engine.judge(input));
  } catch (error) {
    if (!(error instanceof Superseded)) show(input, failed(error));
  }
  window.clearTimeout(busy);
  deploy.outdate();
  asked.outdate();
  answered.outdate();
  if (judgement === judgements) {
    byId("busy").hidden = true;
    pane.ariaBusy = "false";
  }
}

function failed(error: unknown): Outcome {
  const why = error instanceof Error ? error.message : String(error);
  const message = `this browser could not judge it (${why}); it is too large or nested too deeply, give less of it`;
  return { problems: [{ field: "manifest", message }], verdicts: [], holdsRequests: false };
}

function show(input: Input, judged: Outcome): void {
  const { problems } = judged;
  byId("summary").textContent = byId("bar").textContent = summary(judged);
  showProblems(byId("problems"), problems, reveal);
  verdicts.classList.toggle("stale", problems.length > 0);
  if (problems.length === 0) {
    outcome = judged;
    showVerdicts(verdicts, judged.verdicts, input.restriction, reveal);
    form.leaveTo(judged.holdsRequests);
  } else if (!outcome) {
    verdicts.replaceChildren();
  }
  const remarks = problems.length > 0 ? problems.flatMap(remarkOf) : judged.verdicts.flatMap(remarksOf);
  for (const [field, editor] of Object.entries(editors)) {
    editor.remark(remarks.filter(({ mark }) => mark.field === field));
  }
}

function remarkOf({ message, mark }: Problem): Remark[] {
  return mark ? [{ mark, message, severity: "error" }] : [];
}

function remarksOf({ violations, warnings }: Outcome["verdicts"][number]): Remark[] {
  const of = (severity: Remark["severity"], lines: typeof violations): Remark[] =>
    lines.flatMap(({ message, mark }) => (mark ? [{ mark, message, severity }] : []));
  return [...of("error", violations), ...of("warning", warnings)];
}

function reveal(mark: Mark): void {
  editors[mark.field].reveal(mark);
}

async function share(): Promise<void> {
  const fragment = await encode(read());
  history.replaceState(null, "", `#${fragment}`);
  const copied = await copy(location.href);
  const length = location.href.length;
  const long = length > LONG ? ` It has ${length.toLocaleString("en")} characters, which some programs cut.` : "";
  say(`${copied ? "Link copied." : "The link is in the address bar."}${long}`);
}

/** The input of the link that the page was opened with. */
async function follow(): Promise<Input | undefined> {
  const fragment = location.hash.slice(1);
  // A place on the page, or none.
  if (!LINK.test(location.hash)) return undefined;
  const linked = await decode(fragment);
  if (linked && catalog.some(({ id }) => id === linked.restriction)) return linked;
  say("The link cannot be read: it is cut, or of another version of this page.");
  return undefined;
}

async function begin(): Promise<void> {
  offerThemes();
  ({ restrictions: catalog } = await engine.call("restrictions"));
  restriction.replaceChildren(...catalog.map(({ id }) => make("option", { value: id }, id)));
  const kept = draft.load();
  const known = kept && catalog.some(({ id }) => id === kept.restriction) ? kept : undefined;
  const linked = await follow();
  given = await first();
  if (linked && known && !same(linked, known) && !(given && same(known, given))) former = known;
  if (linked) given = linked;
  const start = linked ?? known ?? given;
  if (start) write(normalised(start));
  if (former) say("Opened from a link.");
  await settle();
  showFirst();
  restriction.dataset.former = restriction.value;
  listen();
}

/** The first sample of a restriction. */
async function first(id = catalog[0]?.id ?? ""): Promise<Input | undefined> {
  const sample = catalog.find((restriction) => restriction.id === id)?.samples[0];
  return sample && engine.call("sampleInput", id, sample.name);
}

/** Another restriction: its first sample, or its settings for what has been typed. */
async function turn(): Promise<void> {
  const id = restriction.value;
  const before = restriction.dataset.former ?? id;
  restriction.dataset.former = id;
  const untouched = given !== undefined && same({ ...read(), restriction: before }, given);
  if (untouched) {
    given = await first(id);
    if (given) write(given);
    say("");
  } else {
    settingsOf.set(before, editors.settings.text);
    draft.saveSettings(settingsOf);
    editors.settings.text = settingsOf.get(id) ?? "";
    introduce();
  }
  await settle();
  if (untouched) showFirst();
}

function listen(): void {
  restriction.addEventListener("change", turn);
  unreachable.addEventListener("change", changed);
  form.listen(changed);
  byId("share").addEventListener("click", share);
  byId("examples-open").addEventListener("click", () => {
    const chosen = catalog.find(({ id }) => id === restriction.value);
    if (chosen) examples.open(chosen);
  });
  byId("undo").addEventListener("click", () => {
    const input = former;
    if (!input) return;
    replace(input, "Brought back.");
    restriction.dataset.former = restriction.value;
  });
  window.addEventListener("hashchange", async () => {
    const linked = await follow();
    if (linked) replace(linked, "Opened from a link.");
  });
  if (import.meta.env.PROD && "serviceWorker" in navigator) {
    // Without one, as on a page that is not served securely, there is only no page without a network.
    navigator.serviceWorker.register("./offline.js").catch(() => undefined);
  }
}

begin().catch((error: unknown) => {
  verdicts.replaceChildren(
    make("p", { class: "hint" }, `The playground could not start: ${error}. Reload the page.`),
  );
});
