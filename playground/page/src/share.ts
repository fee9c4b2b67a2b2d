// An input as the part of a link behind its #, which browsers send nowhere.
import type { Input } from "playground";
import { EMPTY, normalised } from "./state";

/** Of the form of links; a later one gets another. */
const VERSION = "1:";

/** Links that are longer are cut by some programs. */
export const LONG = 8000;

/** The fragment for an input: what differs from an empty one, compressed. */
export async function encode(input: Input): Promise<string> {
  const said = Object.entries(input).filter(([name, value]) => value !== EMPTY[name as keyof Input]);
  const bytes = new TextEncoder().encode(JSON.stringify(Object.fromEntries(said)));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return VERSION + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The input of a fragment; nothing if it is of no link. */
export async function decode(fragment: string): Promise<Input | undefined> {
  if (!fragment.startsWith(VERSION)) return undefined;
  try {
    const binary = atob(fragment.slice(VERSION.length).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream("deflate-raw"));
    return normalised(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** No link that a person made unpacks to more. */
const LARGEST = 32 * 1024 * 1024;

async function through(bytes: Uint8Array<ArrayBuffer>, transform: GenericTransformStream): Promise<Uint8Array> {
  const reader = new Blob([bytes])
    .stream()
    .pipeThrough(transform as ReadableWritablePair<Uint8Array, BufferSource>);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const source = reader.getReader(); ;) {
    const { done, value } = await source.read();
    if (done) break;
    parts.push(value as Uint8Array<ArrayBuffer>);
    size += value.length;
    if (size > LARGEST) throw new Error("too large");
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
