// A form for the operation, the subresource and the requesting user.
import type { Operation, RequestInput, User } from "playground";
import { make } from "./dom";

/** The label and the default value of the name field, by kind of user. */
const NAMES: Partial<Record<User["kind"], [label: string, initial: string]>> = {
  controller: ["Service account in kube-system", "replicaset-controller"],
  kubelet: ["Node name", "worker-1"],
  named: ["Username", "system:serviceaccount:shop:deployer"],
};

/** The request in a line, such as `CREATE by alice`; `ordinary` names a user without a role. */
export function describe({ operation, subresource, user }: RequestInput, ordinary: string): string {
  const usernames: Record<User["kind"], string> = {
    ordinary,
    controller: user.kind === "controller" ? `controller ${user.account}` : "",
    kubelet: user.kind === "kubelet" ? `kubelet of ${user.node}` : "",
    named: user.kind === "named" ? user.username : "",
  };
  return `${operation}${subresource ? ` of ${subresource}` : ""} by ${usernames[user.kind]}`;
}

export class RequestForm {
  readonly element: HTMLElement;
  private readonly operation: HTMLSelectElement;
  private readonly subresource = make("input", {
    list: "subresources",
    placeholder: "none",
    autocomplete: "off",
    spellcheck: "false",
  });
  private readonly user: HTMLSelectElement;
  private readonly name = make("input", { autocomplete: "off", spellcheck: "false" });
  private readonly nameLabel = make("span");
  private readonly groups = make("input", { autocomplete: "off", spellcheck: "false" });
  /** The last name of each kind of user: a name of one kind is not valid for another. */
  private readonly names = new Map<string, string>();

  constructor(label: string, onChange: () => void) {
    this.operation = choice([
      ["CREATE", "CREATE"],
      ["UPDATE", "UPDATE"],
      ["DELETE", "DELETE"],
    ]);
    this.user = choice([
      ["ordinary", "Ordinary user"],
      ["controller", "Controller"],
      ["kubelet", "Kubelet"],
      ["named", "Custom user"],
    ]);
    const field = (label: string | Node, input: HTMLElement) => {
      // The text of a label around a choice would include its options.
      if (typeof label === "string") input.ariaLabel = label;
      return make("label", {}, typeof label === "string" ? make("span", {}, label) : label, input);
    };
    this.element = make(
      "div",
      { class: "request-form", role: "group", "aria-label": label },
      field("Operation", this.operation),
      field("Subresource", this.subresource),
      field("User", this.user),
      field(this.nameLabel, this.name),
      field("Groups (comma-separated)", this.groups),
    );
    this.user.addEventListener("input", () => {
      const kind = this.user.value as User["kind"];
      this.name.value = this.names.get(kind) ?? NAMES[kind]?.[1] ?? "";
    });
    this.name.addEventListener("input", () => this.names.set(this.user.value, this.name.value));
    this.element.addEventListener("input", () => {
      this.showFields();
      onChange();
    });
    this.showFields();
  }

  get value(): RequestInput {
    const operation = this.operation.value as Operation;
    return { operation, subresource: this.subresource.value.trim(), user: this.readUser() };
  }

  set value({ operation, subresource, user }: RequestInput) {
    this.operation.value = operation;
    this.subresource.value = subresource;
    this.user.value = user.kind;
    const name = { ordinary: "", controller: "account", kubelet: "node", named: "username" }[user.kind];
    this.name.value = String((user as unknown as Record<string, unknown>)[name] ?? "");
    if (name) this.names.set(user.kind, this.name.value);
    this.groups.value = user.kind === "named" ? user.groups.join(", ") : "";
    this.showFields();
  }

  private readUser(): User {
    const name = this.name.value.trim();
    switch (this.user.value as User["kind"]) {
      case "controller":
        return { kind: "controller", account: name };
      case "kubelet":
        return { kind: "kubelet", node: name };
      case "named": {
        const groups = this.groups.value.split(",").map((group) => group.trim());
        return { kind: "named", username: name, groups: groups.filter((group) => group !== "") };
      }
      case "ordinary":
        return { kind: "ordinary" };
    }
  }

  /** Shows only the fields that apply to the selected user. */
  private showFields(): void {
    const kind = this.user.value as User["kind"];
    const label = NAMES[kind]?.[0];
    this.nameLabel.textContent = this.name.ariaLabel = label ?? "Name";
    setVisible(this.name, label !== undefined);
    setVisible(this.groups, kind === "named");
  }
}

function choice(options: [value: string, label: string][]): HTMLSelectElement {
  return make("select", {}, ...options.map(([value, label]) => make("option", { value }, label)));
}

function setVisible(field: HTMLElement, visible: boolean): void {
  const label = field.closest("label");
  if (label) label.hidden = !visible;
}
