// Judges away from the page, which stays usable whatever is pasted into it.
import init, * as playground from "playground";
import wasm from "../../../target/playground/pkg/playground_bg.wasm?url";
import type { Answer, Api, Question } from "./engine";

const functions: Api = playground;
const ready = init({ module_or_path: wasm });

self.addEventListener("message", async ({ data }: MessageEvent<Question>) => {
  const { id, name, args } = data;
  let answer: Answer;
  try {
    await ready;
    const call = functions[name] as (...args: unknown[]) => unknown;
    answer = { id, value: call(...args) };
  } catch (error) {
    // Memory or stack at an end: the module is not to be used again.
    answer = { id, error: String(error) };
  }
  self.postMessage(answer);
});
