// Parts of the page that are loaded when they are first used.

/**
 * Returns a function that loads a part of the page when it is first called. After a failure, for
 * example without a network, the next call loads it again.
 */
export function lazy<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let part: Promise<Part> | undefined;
  return () =>
    (part ??= load().catch((error: unknown) => {
      part = undefined;
      throw error;
    }));
}
