// Launches the browsers for the tests: Chromium, or Firefox if PLAYGROUND_ENGINE says so.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { chromium, firefox } from "playwright-core";

const FIND_BROWSER = fileURLToPath(new URL("../../../../../scripts/browser", import.meta.url));

export const isFirefox = process.env.PLAYGROUND_ENGINE === "firefox";

/** The settings of Firefox that stand for what Chromium's contexts emulate. */
const EMULATED = {
  forcedColors: { "browser.display.document_color_use": 2 },
  reducedMotion: { "ui.prefersReducedMotion": 1 },
};

/**
 * Launches the browser with background network traffic disabled, so that only pages send requests.
 *
 * @param {(keyof typeof EMULATED)[]} [emulated] the features to emulate in Firefox; for Chromium, a
 *   context emulates them
 */
export function launch(emulated = []) {
  const engine = isFirefox ? "firefox" : "chromium";
  const executablePath = execFileSync(FIND_BROWSER, [engine], { encoding: "utf8" }).trim();
  if (isFirefox) {
    const firefoxUserPrefs = {
      // Tests read and write the clipboard without asking.
      "dom.events.testing.asyncClipboard": true,
      ...Object.assign({}, ...emulated.map((name) => EMULATED[name])),
    };
    // This channel drives unpatched builds of Firefox, through WebDriver BiDi. Playwright after
    // 1.64 needs a command that no ESR of Firefox has yet.
    return firefox.launch({ channel: "moz-firefox", executablePath, firefoxUserPrefs });
  }
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
