// Who does what.
import type { Operation, Restriction, User } from "playground";
import { byId, make } from "./dom";

export interface Chosen {
  operation: Operation;
  subresource: string;
  user: User;
}

const operation = byId<HTMLSelectElement>("operation");
const subresource = byId<HTMLInputElement>("subresource");
const user = byId<HTMLSelectElement>("user");
const name = byId<HTMLInputElement>("name");
const groups = byId<HTMLInputElement>("groups");

/** What the name is of, and what it is if nobody has typed one. */
const NAMES: Record<string, [label: string, example: string]> = {
  controller: ["Service account in kube-system", "replicaset-controller"],
  kubelet: ["Node", "worker-1"],
  named: ["Name", "system:serviceaccount:shop:deployer"],
};

export function read(): Chosen {
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

export function write(chosen: Chosen): void {
  operation.value = chosen.operation;
  subresource.value = chosen.subresource;
  user.value = chosen.user.kind;
  switch (chosen.user.kind) {
    case "controller":
      name.value = chosen.user.account;
      break;
    case "kubelet":
      name.value = chosen.user.node;
      break;
    case "named":
      name.value = chosen.user.username;
      groups.value = chosen.user.groups.join(", ");
  }
  arrange();
}

/** Shows the fields that the chosen user and operation have. */
function arrange(): void {
  const label = NAMES[user.value]?.[0];
  byId("name-label").textContent = label ?? "Name";
  show(name, label !== undefined);
  show(groups, user.value === "named");
  byId("old-object-section").hidden = operation.value !== "UPDATE";
}

function show(field: HTMLElement, shown: boolean): void {
  const label = field.closest("label");
  if (label) label.hidden = !shown;
}

/** Offers the subresources that a restriction judges. */
export function offer({ subresources }: Restriction): void {
  byId("subresources").replaceChildren(...subresources.map((value) => make("option", { value })));
}

/** Requests say themselves who does what: the form has no say then. */
export function leaveTo(requests: boolean): void {
  byId<HTMLFieldSetElement>("request").disabled = requests;
  byId("request-note").textContent = requests ? "said by what is pasted" : "";
}

export function listen(changed: () => void): void {
  for (const field of [operation, subresource, name, groups]) {
    field.addEventListener("input", () => {
      arrange();
      changed();
    });
  }
  user.addEventListener("input", () => {
    // The name of one kind of user is none of another.
    name.value = NAMES[user.value]?.[1] ?? "";
    arrange();
    changed();
  });
}
