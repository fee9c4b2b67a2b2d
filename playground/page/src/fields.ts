// The input fields of the page, read and written as one input.
import type { Input, Policy } from "playground";
import { byId } from "./dom";
import { Editor } from "./editor";
import * as form from "./form";
import { showReference } from "./reference";

/** The error of look-ups if the user selects an unreachable API server. */
const UNREACHABLE = "the API server does not answer";

export const policy = byId<HTMLSelectElement>("policy");
const unreachable = byId<HTMLInputElement>("unreachable");

/** Called when the user changes a field. */
let onChange: () => void = () => undefined;
/** Set until the page has started, and while the page itself fills the fields. */
let suspended = true;

const notify = () => {
  if (!suspended) onChange();
};

export const editors = {
  manifest: new Editor(byId("manifest"), "Manifest", "Paste a Kubernetes manifest or an AdmissionReview", notify),
  oldObject: new Editor(byId("old-object"), "Old object", "Paste the object as stored in the cluster", notify),
  settings: new Editor(byId("settings"), "Settings", "# defaults", notify),
  cluster: new Editor(
    byId("cluster"),
    "Cluster",
    "# For example, the output of kubectl get namespaces,nodes -o yaml",
    notify,
  ),
};

export function listen(listener: () => void): void {
  onChange = listener;
  form.listen(notify);
  unreachable.addEventListener("change", notify);
}

/** Reads the input from the fields. */
export function read(): Input {
  return {
    policy: policy.value,
    manifest: editors.manifest.text,
    settings: editors.settings.text,
    cluster: editors.cluster.text,
    oldObject: editors.oldObject.text,
    unreachable: unreachable.checked ? unreachable.dataset.reason || UNREACHABLE : "",
    ...form.read(),
  };
}

/** Writes an input to the fields. */
export function write(input: Input, selected: Policy): void {
  suspended = true;
  policy.value = input.policy;
  editors.manifest.text = input.manifest;
  editors.settings.text = input.settings;
  editors.cluster.text = input.cluster;
  editors.oldObject.text = input.oldObject;
  unreachable.checked = input.unreachable !== "";
  unreachable.dataset.reason = input.unreachable;
  form.write(input);
  describe(selected);
  suspended = false;
}

/** Shows the description, the settings and the subresources of a policy. */
export function describe(selected: Policy): void {
  byId("description").textContent = selected.description;
  showReference(byId("reference-table"), selected);
  form.offerSubresources(selected);
}
