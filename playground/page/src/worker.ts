// Runs the playground crate in a web worker, which keeps the page responsive for any input.
import init, * as playground from "playground";
import wasm from "../../../target/playground/pkg/playground_bg.wasm?url";
import type { Api, WorkerCall, WorkerReply } from "./engine";

const functions: Api = playground;
const ready = init({ module_or_path: wasm });

self.addEventListener("message", async ({ data }: MessageEvent<WorkerCall>) => {
  const { id, name, args } = data;
  let reply: WorkerReply;
  try {
    await ready;
    const call = functions[name] as (...args: unknown[]) => unknown;
    reply = { id, value: call(...args) };
  } catch (error) {
    // The module is out of memory or stack space and must not be used again.
    reply = { id, error: String(error) };
  }
  self.postMessage(reply);
});
