// The browser that the tests drive.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The program, from PLAYGROUND_BROWSER or PATH; nothing if there is none. */
export function program() {
  const given = process.env.PLAYGROUND_BROWSER;
  if (given) return given;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(runs);
}

/** @param {string} path */
function runs(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts the browser, which asks nobody for anything but what a page asks for. */
export function launch() {
  const executablePath = program();
  if (!executablePath)
    throw new Error("there is no browser: put chromium on PATH, or name one in PLAYGROUND_BROWSER");
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
