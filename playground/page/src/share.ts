// Encodes an input as the fragment of a link. Browsers do not send the fragment to the server.
import type { Input } from "playground";
import { EMPTY, normalise } from "./state";

/** The prefix that identifies the version of the encoding. */
const VERSION = "1:";

/** Some programs truncate links that are longer than this. */
export const LONG_LINK = 8000;

/** Encodes the fields that differ from an empty input, compressed, as a fragment. */
export async function encode(input: Input): Promise<string> {
  const fields = Object.entries(input).filter(([name, value]) => value !== EMPTY[name as keyof Input]);
  const bytes = new TextEncoder().encode(JSON.stringify(Object.fromEntries(fields)));
  const packed = await transform(bytes, new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return VERSION + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes a fragment. Returns undefined if it is not a valid link. */
export async function decode(fragment: string): Promise<Input | undefined> {
  if (!fragment.startsWith(VERSION)) return undefined;
  try {
    const binary = atob(fragment.slice(VERSION.length).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const bytes = await transform(packed, new DecompressionStream("deflate-raw"));
    return normalise(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/**
 * The maximum unpacked size. It exceeds that of any link made by hand and stops decompression
 * bombs.
 */
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;

async function transform(bytes: Uint8Array<ArrayBuffer>, stream: GenericTransformStream): Promise<Uint8Array> {
  const transformed = new Blob([bytes])
    .stream()
    .pipeThrough(stream as ReadableWritablePair<Uint8Array, BufferSource>);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const reader = transformed.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value as Uint8Array<ArrayBuffer>);
    size += value.length;
    if (size > MAX_UNPACKED_BYTES) throw new Error("too large");
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
