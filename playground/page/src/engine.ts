// The restrictions, in a worker.
import type * as Playground from "playground";
import type { Input, Outcome } from "playground";

/** What the worker is asked. */
export type Api = Pick<
  typeof Playground,
  "restrictions" | "judge" | "requests" | "clusterAdmissionPolicy" | "sampleInput" | "cases" | "caseInput"
>;

export interface Question {
  id: number;
  name: keyof Api;
  args: unknown[];
}

export interface Answer {
  id: number;
  value?: unknown;
  error?: string;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** A judgement that takes longer is given up as soon as there is something newer to judge. */
const PATIENCE = 4000;

/** Told to whoever waited for a worker that was ended for something newer. */
export class Superseded extends Error {}

export class Engine {
  private worker = this.start();
  private pending = new Map<number, Pending>();
  private asked = 0;
  /** When the judgement began that runs, if one does. */
  private begun: number | undefined;
  private next: { input: Input; pending: Pending } | undefined;

  /** Calls a function of the playground. */
  call<Name extends keyof Api>(name: Name, ...args: Parameters<Api[Name]>): Promise<ReturnType<Api[Name]>> {
    return new Promise((resolve, reject) => {
      const id = ++this.asked;
      this.pending.set(id, { resolve: resolve as Pending["resolve"], reject });
      const question: Question = { id, name, args };
      this.worker.postMessage(question);
    });
  }

  /** Judges, one input at a time; of those that wait, the newest. */
  judge(input: Input): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.next?.pending.reject(new Superseded());
      this.next = { input, pending: { resolve: resolve as Pending["resolve"], reject } };
      if (this.begun === undefined) {
        this.judgeNext();
      } else {
        const waiting = this.next;
        const left = Math.max(0, this.begun + PATIENCE - performance.now());
        setTimeout(() => this.next === waiting && this.restart(new Superseded()), left);
      }
    });
  }

  private judgeNext(): void {
    const next = this.next;
    if (!next) return;
    this.next = undefined;
    this.begun = performance.now();
    this.call("judge", next.input)
      .then(next.pending.resolve, next.pending.reject)
      .finally(() => {
        performance.clearMeasures("judge");
        performance.measure("judge", { start: this.begun ?? 0 });
        this.begun = undefined;
        this.judgeNext();
      });
  }

  private start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      if (data.error !== undefined) {
        this.restart(new Error(data.error));
        return;
      }
      this.pending.get(data.id)?.resolve(data.value);
      this.pending.delete(data.id);
    });
    worker.addEventListener("error", (event) => {
      this.restart(new Error(event.message || "the worker could not be loaded; reload the page"));
    });
    return worker;
  }

  private restart(error: Error): void {
    this.worker.terminate();
    const pending = [...this.pending.values()];
    this.pending.clear();
    this.worker = this.start();
    for (const { reject } of pending) reject(error);
  }
}
