// A static file server on the loopback interface.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const SITE = fileURLToPath(new URL("../../../../../target/playground/site", import.meta.url));

/** @type {Record<string, string>} */
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/**
 * Serves the built page below a path.
 *
 * @param {string} folder `/` or `/some/folder/`
 * @param {{
 *   headers?: import("node:http").OutgoingHttpHeaders;
 *   before?: (file: string) => unknown;
 * }} [options]
 *   further headers of each response, and what each response waits for; if that fails, the file
 *   does not exist
 */
export async function serve(folder, { headers = {}, before } = {}) {
  /** @type {string[]} The requested files, in order. */
  const requested = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://host").pathname;
    const inside = path.startsWith(folder) ? path.slice(folder.length) : "..";
    requested.push(inside === "" ? "index.html" : inside);
    const file = normalize(join(SITE, inside === "" ? "index.html" : inside));
    try {
      if (!file.startsWith(SITE)) throw new Error("outside");
      await before?.(inside);
      const body = await readFile(file);
      const type = TYPES[extname(file)] ?? "application/octet-stream";
      response.writeHead(200, { ...headers, "content-type": type }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  // Browsers report a connection that is closed while they use it again.
  server.keepAliveTimeout = 0;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  // A test that fails does not close its server, which must not keep the tests from ending.
  server.unref();
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { url: `http://127.0.0.1:${address.port}${folder}`, requested, close: () => server.close() };
}
