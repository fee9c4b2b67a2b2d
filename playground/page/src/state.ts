// What somebody has typed and chosen.
import type { Input, Operation, User } from "playground";

export const EMPTY: Input = {
  restriction: "",
  manifest: "",
  settings: "",
  cluster: "",
  unreachable: "",
  operation: "CREATE",
  subresource: "",
  oldObject: "",
  user: { kind: "ordinary" },
};

const OPERATIONS: Operation[] = ["CREATE", "UPDATE", "DELETE"];

/** Whether two inputs say the same. */
export function same(one: Input, other: Input): boolean {
  return JSON.stringify(normalised(one)) === JSON.stringify(normalised(other));
}

/** An input out of a link or a draft, which may be of an older version of the page, or anything. */
export function normalised(value: unknown): Input {
  const given = (value ?? {}) as Record<string, unknown>;
  const text = (name: keyof Input) => (typeof given[name] === "string" ? given[name] : "");
  return {
    restriction: text("restriction"),
    manifest: text("manifest"),
    settings: text("settings"),
    cluster: text("cluster"),
    unreachable: text("unreachable"),
    operation: OPERATIONS.find((known) => known === given.operation) ?? "CREATE",
    subresource: text("subresource"),
    oldObject: text("oldObject"),
    user: user(given.user),
  };
}

function user(value: unknown): User {
  const given = (value ?? {}) as Record<string, unknown>;
  const text = (name: string) => (typeof given[name] === "string" ? given[name] : "");
  switch (given.kind) {
    case "controller":
      return { kind: "controller", account: text("account") };
    case "kubelet":
      return { kind: "kubelet", node: text("node") };
    case "named": {
      const groups = Array.isArray(given.groups) ? given.groups.map(String) : [];
      return { kind: "named", username: text("username"), groups };
    }
    default:
      return { kind: "ordinary" };
  }
}
