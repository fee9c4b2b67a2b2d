// Helpers for tests of the page in a monitored browser.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { launch } from "./browser.js";
import { serve } from "./server.js";

/** @import { Browser, BrowserContext, Page } from "playwright-core" */
/** @import { Input } from "playground" */

/**
 * Provides a browser and a server for the page while the tests of a file run.
 *
 * @returns {{ browser: Browser; url: string }}
 */
export function fixture() {
  const context = /** @type {{ browser: Browser; url: string }} */ ({});
  /** @type {Awaited<ReturnType<typeof serve>> | undefined} */
  let site;
  before(async () => {
    [context.browser, site] = await Promise.all([launch(), serve("/")]);
    context.url = site.url;
  });
  after(async () => {
    site?.close();
    await context.browser?.close();
  });
  return context;
}

/**
 * Opens the page in a new browser context. `closed` closes it and checks that the page sent no
 * requests to other hosts and logged no errors.
 *
 * @param {Browser} browser
 * @param {string} url
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function open(browser, url, options) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const { problems } = watch(context, url);
  const page = await context.newPage();
  await page.goto(url);
  await settled(page);
  const closed = async () => {
    await context.close();
    assert.deepEqual(problems, []);
  };
  return { context, page, closed };
}

/**
 * Collects unexpected requests, console messages and errors.
 *
 * @param {BrowserContext} context
 * @param {string} url
 */
export function watch(context, url) {
  /** @type {string[]} */
  const problems = [];
  const { origin } = new URL(url);
  context.on("request", (request) => {
    const target = new URL(request.url());
    if (target.origin !== origin && !["blob:", "data:"].includes(target.protocol))
      problems.push(`request to ${target}`);
    if (request.method() !== "GET" || request.postData()) problems.push(`data sent to ${target}`);
  });
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  context.on("weberror", (error) => problems.push(`uncaught: ${error.error()}`));
  return { problems };
}

/**
 * Waits for the verdict on the current input.
 *
 * @param {Page} page
 */
export async function settled(page) {
  await page.locator("#verdict-pane[aria-busy=false]").waitFor();
}

/**
 * Returns the input as saved by the page.
 *
 * @param {Page} page
 * @returns {Promise<Input>}
 */
export async function savedInput(page) {
  await settled(page);
  return JSON.parse((await page.evaluate(() => localStorage.getItem("portcullis.draft"))) ?? "null");
}

/**
 * Replaces the text of an editor by pasting.
 *
 * @param {Page} page
 * @param {"Manifest" | "Settings" | "Cluster" | "Old object"} label
 * @param {string} text
 */
export async function paste(page, label, text) {
  const editor = page.getByRole("textbox", { name: label, exact: true });
  await editor.focus();
  await page.keyboard.press("ControlOrMeta+a");
  if (text === "") await page.keyboard.press("Delete");
  else await editor.evaluate(dispatchPaste, text);
  await settled(page);
}

/**
 * @param {Element} editor
 * @param {string} text
 */
function dispatchPaste(editor, text) {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}

/**
 * @param {Page} page
 * @param {string} id
 */
export async function choose(page, id) {
  await page.selectOption("#policy", id);
  await settled(page);
}

/**
 * Loads the first example that matches a search.
 *
 * @param {Page} page
 * @param {string} words
 */
export async function example(page, words) {
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  await page.getByRole("searchbox", { name: "Search" }).fill(words);
  const found = page.locator("#examples-list button").first();
  const title = await found.locator("span").first().textContent();
  await found.click();
  await page
    .locator("#status")
    .filter({ hasText: `Loaded: ${title}` })
    .waitFor();
  await settled(page);
}

/**
 * Returns the lines of a list in the first verdict.
 *
 * @param {Page} page
 * @param {"violations" | "warnings"} list
 */
export async function lines(page, list) {
  const items = page.locator(`#verdicts article:first-child .${list} li`);
  const texts = await items.evaluateAll((items) =>
    items.map((item) => {
      const copy = /** @type {HTMLElement} */ (item.cloneNode(true));
      copy.querySelector("button")?.remove();
      return copy.textContent.trim();
    }),
  );
  return texts;
}
