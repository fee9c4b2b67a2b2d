// The form for the operation, the subresource and the requesting user.
import type { Operation, Policy, User } from "playground";
import { byId, make } from "./dom";

export interface RequestOptions {
  operation: Operation;
  subresource: string;
  user: User;
}

const operation = byId<HTMLSelectElement>("operation");
const subresource = byId<HTMLInputElement>("subresource");
const user = byId<HTMLSelectElement>("user");
const name = byId<HTMLInputElement>("name");
const groups = byId<HTMLInputElement>("groups");

/** The label and the default value of the name field, by kind of user. */
const NAMES: Record<string, [label: string, initial: string]> = {
  controller: ["Service account in kube-system", "replicaset-controller"],
  kubelet: ["Node name", "worker-1"],
  named: ["Username", "system:serviceaccount:shop:deployer"],
};

export function read(): RequestOptions {
  return { operation: operation.value as Operation, subresource: subresource.value.trim(), user: readUser() };
}

function readUser(): User {
  switch (user.value) {
    case "controller":
      return { kind: "controller", account: name.value.trim() };
    case "kubelet":
      return { kind: "kubelet", node: name.value.trim() };
    case "named": {
      const names = groups.value.split(",").map((group) => group.trim());
      return { kind: "named", username: name.value.trim(), groups: names.filter((group) => group !== "") };
    }
    default:
      return { kind: "ordinary" };
  }
}

export function write(options: RequestOptions): void {
  operation.value = options.operation;
  subresource.value = options.subresource;
  user.value = options.user.kind;
  switch (options.user.kind) {
    case "controller":
      name.value = options.user.account;
      break;
    case "kubelet":
      name.value = options.user.node;
      break;
    case "named":
      name.value = options.user.username;
      groups.value = options.user.groups.join(", ");
  }
  updateVisibility();
}

/** Shows only the fields that apply to the selected user and operation. */
function updateVisibility(): void {
  const label = NAMES[user.value]?.[0];
  byId("name-label").textContent = label ?? "Name";
  setVisible(name, label !== undefined);
  setVisible(groups, user.value === "named");
  byId("old-object-section").hidden = operation.value !== "UPDATE";
}

function setVisible(field: HTMLElement, visible: boolean): void {
  const label = field.closest("label");
  if (label) label.hidden = !visible;
}

/** Suggests the subresources in the scope of a policy. */
export function offerSubresources({ subresources }: Policy): void {
  byId("subresources").replaceChildren(...subresources.map((value) => make("option", { value })));
}

/** Disables the form if the manifest contains requests, which specify these fields themselves. */
export function setRequestsPasted(pasted: boolean): void {
  byId<HTMLFieldSetElement>("request").disabled = pasted;
  byId("request-note").textContent = pasted ? "specified by the pasted request" : "";
}

export function listen(onChange: () => void): void {
  for (const field of [operation, subresource, name, groups]) {
    field.addEventListener("input", () => {
      updateVisibility();
      onChange();
    });
  }
  user.addEventListener("input", () => {
    // A name of one kind of user is not valid for another kind.
    name.value = NAMES[user.value]?.[1] ?? "";
    updateVisibility();
    onChange();
  });
}
