// The restrictions, in workers.
import type * as Playground from "playground";
import type { Input, Outcome } from "playground";

/** What a worker is asked. */
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

/** Told to whoever waited for a judgement that was given up for a newer one. */
export class Superseded extends Error {}

/** A worker, started when it is asked first and after it has failed. */
class Workshop {
  private worker: Worker | undefined;
  private pending = new Map<number, Pending>();
  private asked = 0;

  ask(name: keyof Api, args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.asked;
      this.pending.set(id, { resolve, reject });
      const question: Question = { id, name, args };
      this.worker ??= this.start();
      this.worker.postMessage(question);
    });
  }

  /** Ends the worker; whoever waits is told why. */
  end(error: Error): void {
    this.worker?.terminate();
    this.worker = undefined;
    const pending = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of pending) reject(error);
  }

  private start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      if (data.error !== undefined) {
        this.end(new Error(data.error));
        return;
      }
      this.pending.get(data.id)?.resolve(data.value);
      this.pending.delete(data.id);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.end(new Error(event.message || "its worker could not be loaded"));
    });
    return worker;
  }
}

export class Engine {
  private readonly judging = new Workshop();
  /** For what cannot wait until a long judgement is through. */
  private readonly beside = new Workshop();
  /** When the judgement began that runs, if one does. */
  private begun: number | undefined;
  private next: { input: Input; pending: Pending } | undefined;

  /** Calls a function of the playground. */
  call<Name extends keyof Api>(name: Name, ...args: Parameters<Api[Name]>): Promise<ReturnType<Api[Name]>> {
    const workshop = this.begun === undefined ? this.judging : this.beside;
    return workshop.ask(name, args) as Promise<ReturnType<Api[Name]>>;
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
        setTimeout(() => this.next === waiting && this.judging.end(new Superseded()), left);
      }
    });
  }

  private judgeNext(): void {
    const next = this.next;
    if (!next) return;
    this.next = undefined;
    const begun = performance.now();
    this.begun = begun;
    this.judging
      .ask("judge", [next.input])
      .then(next.pending.resolve, next.pending.reject)
      .finally(() => {
        performance.clearMeasures("judge");
        performance.measure("judge", { start: begun });
        this.begun = undefined;
        this.judgeNext();
      });
  }
}
