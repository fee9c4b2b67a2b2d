// Launches the browser for the tests.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const FIND_BROWSER = fileURLToPath(new URL("../../../scripts/browser", import.meta.url));

/**
 * Launches the browser with background network traffic disabled, so that only pages send requests.
 */
export function launch() {
  const executablePath = execFileSync(FIND_BROWSER, { encoding: "utf8" }).trim();
  const args = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
  ];
  // Chromium cannot use its sandbox as root, which is common in containers.
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return chromium.launch({ executablePath, args });
}
