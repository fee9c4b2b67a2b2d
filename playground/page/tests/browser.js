// The browser that the tests drive.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const LOOK = fileURLToPath(new URL("../../../scripts/browser", import.meta.url));

/** Starts the browser, which asks nobody for anything but what a page asks for. */
export function launch() {
  const executablePath = execFileSync(LOOK, { encoding: "utf8" }).trim();
  const args = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
  ];
  // As root, as in a container, Chromium has no sandbox.
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return chromium.launch({ executablePath, args });
}
