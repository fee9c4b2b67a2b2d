// Runs the playground crate in web workers.
import type * as Module from "playground";
import type { Matrix, Playground } from "playground";
import type { Workspace } from "./workspace";

/** The functions of the crate that a worker calls. */
export type Functions = Pick<
  typeof Module,
  | "policies"
  | "sampleWorkspace"
  | "caseWorkspace"
  | "cases"
  | "importSource"
  | "addNamespaces"
  | "openCase"
  | "settingsCompletions"
  | "objectCompletions"
  | "version"
>;

/** The questions about the last evaluated workspace. */
export type Questions = Pick<
  Playground,
  "cell" | "marks" | "fix" | "compare" | "caseText" | "report" | "commands" | "deployment"
>;

/**
 * A call of a worker: of `evaluate`, of a function, of a question about the last workspace, of
 * `evaluate` with a workspace that does not become the last one, or of the loading of the whole
 * engine.
 */
export interface WorkerCall {
  id: number;
  target: "evaluate" | "function" | "question" | "aside" | "whole";
  name: string;
  args: unknown[];
}

export interface WorkerReply {
  id: number;
  value?: unknown;
  error?: string;
  /** Whether the module must not be used again. */
  fatal?: boolean;
}

/** Says that a worker begins or ends to load the whole engine. */
export interface WorkerLoading {
  loading: boolean;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * After this many milliseconds, a running call of `evaluate` is cancelled as soon as a newer
 * workspace is waiting.
 */
const MAX_DELAY = 4000;

/** The error of a call that was cancelled in favour of a newer workspace. */
export class Superseded extends Error {}

/** A client for a worker, which is started on the first call and again after a failure. */
class WorkerClient {
  /** Whether the worker loads the whole engine. */
  isLoading = false;
  private worker: Worker | undefined;
  private pending = new Map<number, Pending>();
  private lastId = 0;

  constructor(private readonly onLoading: () => void) {}

  call(target: WorkerCall["target"], name: string, args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.lastId;
      this.pending.set(id, { resolve, reject });
      this.worker ??= this.start();
      this.worker.postMessage({ id, target, name, args } satisfies WorkerCall);
    });
  }

  /** Terminates the worker and rejects all pending calls with the given error. */
  terminate(error: Error): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.load(false);
    const pending = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of pending) reject(error);
  }

  private load(isLoading: boolean): void {
    this.isLoading = isLoading;
    this.onLoading();
  }

  private start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<WorkerReply | WorkerLoading>) => {
      if ("loading" in data) {
        this.load(data.loading);
        return;
      }
      if (data.fatal) {
        this.terminate(new Error(data.error));
        return;
      }
      const pending = this.pending.get(data.id);
      this.pending.delete(data.id);
      if (data.error === undefined) pending?.resolve(data.value);
      else pending?.reject(new Error(data.error));
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.terminate(new Error(event.message || "its worker could not be loaded"));
    });
    return worker;
  }
}

export class Engine {
  private readonly main: WorkerClient;
  /** Serves functions while `main` is busy with `evaluate`. */
  private readonly secondary: WorkerClient;
  /** The start time of the running call of `evaluate`, if any. */
  private startedAt: number | undefined;
  private next: { workspace: Workspace; pending: Pending } | undefined;

  /** `onLoading` learns whether the whole engine is being loaded. */
  constructor(onLoading: (isLoading: boolean) => void) {
    const changed = () => onLoading(this.main.isLoading || this.secondary.isLoading);
    this.main = new WorkerClient(changed);
    this.secondary = new WorkerClient(changed);
  }

  /** Calls a function of the playground crate. */
  call<Name extends keyof Functions>(
    name: Name,
    ...args: Parameters<Functions[Name]>
  ): Promise<ReturnType<Functions[Name]>> {
    const client = this.startedAt === undefined ? this.main : this.secondary;
    return client.call("function", name, args) as Promise<ReturnType<Functions[Name]>>;
  }

  /** Asks about the last evaluated workspace. */
  ask<Name extends keyof Questions>(
    name: Name,
    ...args: Parameters<Questions[Name]>
  ): Promise<ReturnType<Questions[Name]>> {
    return this.main.call("question", name, args) as Promise<ReturnType<Questions[Name]>>;
  }

  /** Evaluates a workspace without making it the one that `ask` asks about. */
  evaluateAside(workspace: Workspace): Promise<Matrix> {
    return this.secondary.call("aside", "evaluate", [workspace]) as Promise<Matrix>;
  }

  /** Loads the whole engine. `evaluate` must be called again, because the result can differ. */
  async loadWhole(): Promise<void> {
    await this.main.call("whole", "", []);
  }

  /** Evaluates a workspace. One call runs at a time, and only the newest workspace waits for it. */
  evaluate(workspace: Workspace): Promise<Matrix> {
    return new Promise((resolve, reject) => {
      this.next?.pending.reject(new Superseded());
      this.next = { workspace, pending: { resolve: resolve as Pending["resolve"], reject } };
      if (this.startedAt === undefined) {
        this.evaluateNext();
      } else {
        this.cancelFor(this.next, Math.max(0, this.startedAt + MAX_DELAY - performance.now()));
      }
    });
  }

  /** Cancels the running call of `evaluate` if a workspace still waits for it after a delay. */
  private cancelFor(waiting: Engine["next"], delay: number): void {
    setTimeout(() => {
      if (this.next !== waiting) return;
      // A worker that is terminated would load the whole engine again.
      if (this.main.isLoading) this.cancelFor(waiting, MAX_DELAY);
      else this.main.terminate(new Superseded());
    }, delay);
  }

  private evaluateNext(): void {
    const next = this.next;
    if (!next) return;
    this.next = undefined;
    const start = performance.now();
    this.startedAt = start;
    this.main
      .call("evaluate", "evaluate", [next.workspace])
      .then(next.pending.resolve, next.pending.reject)
      .finally(() => {
        performance.clearMeasures("evaluate");
        performance.measure("evaluate", { start });
        this.startedAt = undefined;
        this.evaluateNext();
      });
  }
}
