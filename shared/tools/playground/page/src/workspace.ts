// Workspaces: the empty workspace, comparison, validation and completeness.
import type {
  ObjectId,
  ObjectRequest,
  Operation,
  Policies,
  PolicyInput,
  RequestInput,
  User,
  Workspace as PartialWorkspace,
} from "playground";

/** A workspace with all fields, of which the engine requires none. */
export type Workspace = Required<PartialWorkspace>;

const OPERATIONS: Operation[] = ["CREATE", "UPDATE", "DELETE"];

/** Returns whether two identities are those of one object. */
export function sameObject(one: ObjectId, other: ObjectId): boolean {
  const keys = ["kind", "name", "namespace", "apiVersion", "occurrence"] as const;
  return keys.every((key) => one[key] === other[key]);
}

/** Returns whether two workspaces are equal. */
export function sameWorkspace(one: Workspace, other: Workspace): boolean {
  return JSON.stringify(normalise(one)) === JSON.stringify(normalise(other));
}

/**
 * Converts a value from a link or a draft, which can be outdated or malformed, to a valid
 * workspace.
 */
export function normalise(value: unknown): Workspace {
  const given = record(value);
  return {
    objects: text(given.objects),
    oldObjects: text(given.oldObjects),
    cluster: text(given.cluster),
    unreachable: text(given.unreachable),
    request: request(given.request),
    // Those of drafts before the first release name an index.
    requests: list(given.requests)
      .map(objectRequest)
      .filter(({ object }) => object.kind !== ""),
    evaluatesPods: given.evaluatesPods !== false,
    policies: list(given.policies).map(policy),
  };
}

/**
 * Adds the policies of the catalog that a workspace does not have. Returns a workspace that lists
 * them in catalog order, and those that the catalog does not know or has already at the end.
 */
export function complete(workspace: Workspace, { policies }: Policies, enabled: boolean): Workspace {
  const left = [...workspace.policies];
  const ordered = policies.map(({ id }): PolicyInput => {
    const at = left.findIndex((policy) => policy.id === id);
    const [found] = at < 0 ? [] : left.splice(at, 1);
    return found ?? { id, enabled, mode: "RulesOnly", settings: "", manifest: "" };
  });
  return { ...workspace, policies: [...ordered, ...left] };
}

function record(value: unknown): Record<string, unknown> {
  return (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function request(value: unknown): RequestInput {
  const given = record(value);
  return {
    operation: OPERATIONS.find((known) => known === given.operation) ?? "CREATE",
    subresource: text(given.subresource),
    user: user(given.user),
  };
}

function objectRequest(value: unknown): ObjectRequest {
  const given = record(value);
  return { object: objectId(given.object), request: request(given.request) };
}

function objectId(value: unknown): ObjectId {
  const given = record(value);
  const occurrence = Number(given.occurrence);
  return {
    apiVersion: text(given.apiVersion),
    kind: text(given.kind),
    namespace: text(given.namespace),
    name: text(given.name),
    occurrence: Number.isInteger(occurrence) && occurrence >= 0 && occurrence < 2 ** 32 ? occurrence : 0,
  };
}

function policy(value: unknown): PolicyInput {
  const given = record(value);
  return {
    id: text(given.id),
    enabled: given.enabled === true,
    mode: given.mode === "AsDeployed" ? "AsDeployed" : "RulesOnly",
    settings: text(given.settings),
    manifest: text(given.manifest),
  };
}

function user(value: unknown): User {
  const given = record(value);
  switch (given.kind) {
    case "controller":
      return { kind: "controller", account: text(given.account) };
    case "kubelet":
      return { kind: "kubelet", node: text(given.node) };
    case "named":
      return { kind: "named", username: text(given.username), groups: list(given.groups).map(String) };
    default:
      return { kind: "ordinary" };
  }
}
