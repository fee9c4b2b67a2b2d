// What somebody types and chooses, as one input.
import type { Input, Restriction } from "playground";
import { byId } from "./dom";
import { Editor } from "./editor";
import * as form from "./form";
import { showReference } from "./reference";

/** Why look-ups fail where somebody wants them to. */
const UNREACHABLE = "the API server does not answer";

export const restriction = byId<HTMLSelectElement>("restriction");
const unreachable = byId<HTMLInputElement>("unreachable");

/** Told when somebody has typed or chosen something. */
let changed: () => void = () => undefined;
/** Until the page has begun, and while a whole input is put into its fields, nobody has. */
let quiet = true;

const edited = () => {
  if (!quiet) changed();
};

export const editors = {
  manifest: new Editor(byId("manifest"), "Manifest", "Paste a Kubernetes manifest or an AdmissionReview", edited),
  oldObject: new Editor(byId("old-object"), "Old object", "Paste the object as it is stored", edited),
  settings: new Editor(byId("settings"), "Settings", "# defaults", edited),
  cluster: new Editor(
    byId("cluster"),
    "Cluster",
    "# for example the output of kubectl get namespaces,nodes -o yaml",
    edited,
  ),
};

export function listen(listener: () => void): void {
  changed = listener;
  form.listen(edited);
  unreachable.addEventListener("change", edited);
}

/** What the fields say. */
export function read(): Input {
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

/** Puts a whole input into the fields. */
export function write(input: Input, chosen: Restriction): void {
  quiet = true;
  restriction.value = input.restriction;
  editors.manifest.text = input.manifest;
  editors.settings.text = input.settings;
  editors.cluster.text = input.cluster;
  editors.oldObject.text = input.oldObject;
  unreachable.checked = input.unreachable !== "";
  unreachable.dataset.reason = input.unreachable;
  form.write(input);
  introduce(chosen);
  quiet = false;
}

/** The chosen restriction, in words. */
export function introduce(chosen: Restriction): void {
  byId("description").textContent = chosen.description;
  showReference(byId("reference-table"), chosen);
  form.offer(chosen);
}
