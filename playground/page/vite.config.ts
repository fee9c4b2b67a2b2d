import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Adds the service worker: `offline/worker.js` with the list of what was built. */
function offline(): Plugin {
  return {
    name: "offline",
    apply: "build",
    generateBundle(_, bundle) {
      const files = ["./", ...Object.keys(bundle).filter((file) => file !== "index.html"), "icon.svg"].sort();
      const index = bundle["index.html"];
      const page = index?.type === "asset" ? index.source : "";
      const version = createHash("sha256").update(JSON.stringify(files)).update(page).digest("hex").slice(0, 16);
      const source = readFileSync(here("offline/worker.js"), "utf8")
        .replace('"VERSION"', JSON.stringify(version))
        .replace('["FILES"]', JSON.stringify(files));
      this.emitFile({ type: "asset", fileName: "offline.js", source });
    },
  };
}

export default defineConfig({
  // Works from any folder of any host.
  base: "./",
  resolve: { alias: { playground: here("../../target/playground/pkg/playground.js") } },
  server: { host: "127.0.0.1", fs: { allow: [here("../..")] } },
  preview: { host: "127.0.0.1" },
  worker: { format: "es" },
  build: {
    outDir: here("../../target/playground/site"),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    // What the licences of the packages ask for.
    license: { fileName: "licenses.md" },
  },
  plugins: [offline()],
});
