import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const SITE = here("../../../../target/playground/site");

/** The files that are cached when they are first used: the whole engine and the cases. */
const LATER = /^assets\/(whole|cases\/)/;

/**
 * Writes the service worker: `offline/worker.js` with the lists of built files and a version
 * derived from their content.
 */
function offline(): Plugin {
  return {
    name: "offline",
    apply: "build",
    writeBundle(_, bundle) {
      const files = [...Object.keys(bundle), "icon.svg"].filter((file) => file !== "licenses.md").sort();
      if (!files.includes("index.html")) throw new Error("index.html is not among the built files");
      const version = createHash("sha256");
      for (const file of files) version.update(file).update(readFileSync(join(SITE, file)));
      const now = files.filter((file) => !LATER.test(file));
      const urls = now.map((file) => (file === "index.html" ? "./" : file));
      const later = files.filter((file) => LATER.test(file));
      for (const part of ["whole", "cases/"]) {
        if (!later.some((file) => file.startsWith(`assets/${part}`))) throw new Error(`no built file is ${part}`);
      }
      const source = readFileSync(here("offline/worker.js"), "utf8")
        .replace('"VERSION"', JSON.stringify(version.digest("hex").slice(0, 16)))
        .replace('["FILES"]', JSON.stringify(urls))
        .replace('["LATER"]', JSON.stringify(later));
      writeFileSync(join(SITE, "offline.js"), source);
    },
  };
}

export default defineConfig({
  // Relative URLs, so that the page works in any folder of any host.
  base: "./",
  resolve: {
    alias: {
      "playground/first": here("../../../../target/playground/pkg/first.js"),
      playground: here("../../../../target/playground/pkg/whole.js"),
    },
  },
  server: { host: "127.0.0.1", fs: { allow: [here("../../../..")] } },
  preview: { host: "127.0.0.1" },
  worker: { format: "es" },
  build: {
    outDir: SITE,
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    rollupOptions: {
      output: {
        chunkFileNames: ({ facadeModuleId }) =>
          `assets/${facadeModuleId?.includes("/cases/") ? "cases/" : ""}[name]-[hash].js`,
      },
    },
    chunkSizeWarningLimit: 1000,
    // The notices that the licences of the packages require.
    license: { fileName: "licenses.md" },
  },
  plugins: [offline()],
});
