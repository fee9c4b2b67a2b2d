// Runs the playground crate in web workers.
import type * as Playground from "playground";
import type { Input, JudgeResult } from "playground";

/** The functions that can be called in a worker. */
export type Api = Pick<
  typeof Playground,
  "policies" | "judge" | "requests" | "clusterAdmissionPolicy" | "sampleInput" | "cases" | "caseInput"
>;

export interface WorkerCall {
  id: number;
  name: keyof Api;
  args: unknown[];
}

export interface WorkerReply {
  id: number;
  value?: unknown;
  error?: string;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * After this many milliseconds, a running call of `judge` is cancelled as soon as a newer input is
 * waiting.
 */
const MAX_DELAY = 4000;

/** The error of a call of `judge` that was cancelled in favour of a newer input. */
export class Superseded extends Error {}

/** A client for a worker, which is started on the first call and again after a failure. */
class WorkerClient {
  private worker: Worker | undefined;
  private pending = new Map<number, Pending>();
  private lastId = 0;

  call(name: keyof Api, args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.lastId;
      this.pending.set(id, { resolve, reject });
      const call: WorkerCall = { id, name, args };
      this.worker ??= this.start();
      this.worker.postMessage(call);
    });
  }

  /** Terminates the worker and rejects all pending calls with the given error. */
  terminate(error: Error): void {
    this.worker?.terminate();
    this.worker = undefined;
    const pending = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of pending) reject(error);
  }

  private start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<WorkerReply>) => {
      if (data.error !== undefined) {
        this.terminate(new Error(data.error));
        return;
      }
      this.pending.get(data.id)?.resolve(data.value);
      this.pending.delete(data.id);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.terminate(new Error(event.message || "its worker could not be loaded"));
    });
    return worker;
  }
}

export class Engine {
  private readonly main = new WorkerClient();
  /** Serves other calls while `main` is busy with `judge`. */
  private readonly secondary = new WorkerClient();
  /** The start time of the running call of `judge`, if any. */
  private startedAt: number | undefined;
  private next: { input: Input; pending: Pending } | undefined;

  /** Calls a function of the playground crate. */
  call<Name extends keyof Api>(name: Name, ...args: Parameters<Api[Name]>): Promise<ReturnType<Api[Name]>> {
    const client = this.startedAt === undefined ? this.main : this.secondary;
    return client.call(name, args) as Promise<ReturnType<Api[Name]>>;
  }

  /** Judges an input. Only one call runs at a time, and only the newest input waits for it. */
  judge(input: Input): Promise<JudgeResult> {
    return new Promise((resolve, reject) => {
      this.next?.pending.reject(new Superseded());
      this.next = { input, pending: { resolve: resolve as Pending["resolve"], reject } };
      if (this.startedAt === undefined) {
        this.judgeNext();
      } else {
        const waiting = this.next;
        const delay = Math.max(0, this.startedAt + MAX_DELAY - performance.now());
        setTimeout(() => this.next === waiting && this.main.terminate(new Superseded()), delay);
      }
    });
  }

  private judgeNext(): void {
    const next = this.next;
    if (!next) return;
    this.next = undefined;
    const start = performance.now();
    this.startedAt = start;
    this.main
      .call("judge", [next.input])
      .then(next.pending.resolve, next.pending.reject)
      .finally(() => {
        performance.clearMeasures("judge");
        performance.measure("judge", { start });
        this.startedAt = undefined;
        this.judgeNext();
      });
  }
}
