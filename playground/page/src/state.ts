// Inputs: the empty input, comparison and validation.
import type { Input, Operation, User } from "playground";

export const EMPTY: Input = {
  policy: "",
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

/** Returns whether two inputs are equal. */
export function sameInput(one: Input, other: Input): boolean {
  return JSON.stringify(normalise(one)) === JSON.stringify(normalise(other));
}

/**
 * Converts a value from a link or a draft, which can be outdated or malformed, to a valid input.
 */
export function normalise(value: unknown): Input {
  const given = (value ?? {}) as Record<string, unknown>;
  const text = (name: keyof Input) => (typeof given[name] === "string" ? given[name] : "");
  return {
    policy: text("policy"),
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
