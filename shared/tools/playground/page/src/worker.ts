// Runs the playground crate in a web worker, which keeps the page responsive for any input. Begins
// with the small engine, which evaluates rules only, and loads the whole one when it is needed.
import initFirst, * as first from "playground/first";
import firstWasm from "../../../../../target/playground/pkg/first_bg.wasm?url";
import wholeWasm from "../../../../../target/playground/pkg/whole_bg.wasm?url";
import type { Workspace } from "playground";
import type { WorkerCall, WorkerLoading, WorkerReply } from "./engine";

type Callable = Record<string, ((...args: unknown[]) => unknown) | undefined>;

interface Loaded {
  functions: Callable;
  playground: first.Playground;
  create(): first.Playground;
}

let loaded: Promise<Loaded> | undefined;
/** Whether an engine was loaded. */
let started = false;
let whole: Promise<Loaded> | undefined;
/** The last workspace, which a newly loaded engine evaluates again. */
let last: Workspace | undefined;

async function loadFirst(): Promise<Loaded> {
  await initFirst({ module_or_path: firstWasm });
  const create = () => new first.Playground();
  started = true;
  return { functions: first as unknown as Callable, playground: create(), create };
}

async function loadWhole(): Promise<Loaded> {
  const module = await import("playground");
  await module.default({ module_or_path: wholeWasm });
  const create = () => new module.Playground() as unknown as first.Playground;
  const playground = create();
  if (last) playground.evaluate(last);
  const ready = { functions: module as unknown as Callable, playground, create };
  loaded = Promise.resolve(ready);
  return ready;
}

/** Returns the whole engine. After a failure, for example without a network, it is loaded again. */
function wholeEngine(): Promise<Loaded> {
  if (!whole) {
    post({ loading: true });
    whole = loadWhole()
      .catch((error: unknown) => {
        whole = undefined;
        throw error;
      })
      .finally(() => post({ loading: false }));
  }
  return whole;
}

/** Returns the engine that is loaded, or the whole one if only that has the function. */
async function engineWith({ target, name }: WorkerCall): Promise<Loaded> {
  const present = await (loaded ??= loadFirst());
  const owner = (target === "function" ? present.functions : present.playground) as Callable;
  return target === "aside" || target === "whole" || !owner[name] ? wholeEngine() : present;
}

async function answer(call: WorkerCall): Promise<unknown> {
  const engine = await engineWith(call);
  switch (call.target) {
    case "whole":
      return undefined;
    case "evaluate":
      last = call.args[0] as Workspace;
      return engine.playground.evaluate(last);
    case "function":
      return engine.functions[call.name]?.(...call.args);
    case "question":
      return (engine.playground as unknown as Callable)[call.name]?.call(engine.playground, ...call.args);
    case "aside": {
      const playground = engine.create();
      try {
        return playground.evaluate(call.args[0] as Workspace);
      } finally {
        playground.free();
      }
    }
  }
}

function post(message: WorkerReply | WorkerLoading): void {
  self.postMessage(message);
}

/** The calls run in their order, also while an engine is loaded. */
let queue: Promise<void> = Promise.resolve();

self.addEventListener("message", ({ data }: MessageEvent<WorkerCall>) => {
  queue = queue.then(async () => {
    const { id } = data;
    let reply: WorkerReply;
    try {
      reply = { id, value: await answer(data) };
    } catch (error) {
      // After a trap, the module is out of memory or stack space and must not be used again. The
      // page cannot do without an engine that could not be loaded either.
      const fatal = !started || error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
      reply = { id, error: error instanceof Error ? error.message : String(error), fatal };
    }
    post(reply);
  });
});
