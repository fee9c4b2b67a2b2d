// Encodes a case as the fragment of a link. Browsers do not send the fragment to the server.
import type { ExpectedOutcome } from "playground";
import { outcomes } from "./outcome";
import { normalise, type Workspace } from "./workspace";

/** A workspace with what its author says about it. */
export interface Shared {
  title: string;
  note: string;
  expected: ExpectedOutcome[];
  workspace: Workspace;
}

/** The prefix that identifies the version of the encoding. */
const VERSION = "3:";

/** Matches the fragment of a link that contains a case, of any version. */
export const LINK = /^#\d+:/;

/** Some programs truncate links that are longer than this. */
export const LONG_LINK = 8000;

/** Encodes a case, compressed, as a fragment. */
export async function encode(shared: Shared): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(shared));
  const packed = await transform(bytes, new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return VERSION + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes a fragment. Returns undefined if it is not a valid link. */
export async function decode(fragment: string): Promise<Shared | undefined> {
  if (!fragment.startsWith(VERSION)) return undefined;
  try {
    const binary = atob(fragment.slice(VERSION.length).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const bytes = await transform(packed, new DecompressionStream("deflate-raw"));
    const given = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    return {
      title: String(given.title ?? ""),
      note: String(given.note ?? ""),
      expected: expectations(given.expected),
      workspace: normalise(given.workspace),
    };
  } catch {
    return undefined;
  }
}

function expectations(value: unknown): ExpectedOutcome[] {
  return (Array.isArray(value) ? value : []).flatMap((given: Partial<ExpectedOutcome>) => {
    const outcome = outcomes().find((known) => known === given.outcome);
    const object = Number(given.object);
    return outcome && Number.isInteger(object) ? [{ object, policy: String(given.policy), outcome }] : [];
  });
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
