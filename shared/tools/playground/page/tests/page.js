// Helpers for tests of the page in a monitored browser.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { launch } from "./browser.js";
import { serve } from "./server.js";

/** @import { Browser, BrowserContext, Page } from "playwright-core" */
/** @import { Workspace } from "../src/workspace" */

/** Milliseconds until a test gives up waiting. Only a failure lasts as long, on any machine. */
export const PATIENCE = 120_000;

/** The tab that holds each editor. */
const TABS = { Objects: "objects", Cluster: "cluster", "Stored objects": "request" };

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
 * Reads a value until it is the expected one, and returns it: the page shows the effect of an
 * action some time after the action. Fails with the last value.
 *
 * @template T
 * @param {() => T | Promise<T>} read
 * @param {unknown} expected a value to equal, a pattern to match, or a condition that holds
 * @param {string} [name] what a failure names
 * @returns {Promise<T>}
 */
export async function eventually(read, expected, name) {
  const deadline = performance.now() + PATIENCE;
  for (let pause = 10; ; pause = Math.min(2 * pause, 50)) {
    const value = await read();
    if (isExpected(value, expected)) return value;
    if (performance.now() > deadline) {
      const named = name === undefined ? "" : `${name}: `;
      if (expected instanceof RegExp) assert.match(String(value ?? ""), expected, name);
      if (typeof expected === "function") assert.fail(`${named}${JSON.stringify(value)} is not ${expected}`);
      assert.deepEqual(value, expected, name);
    }
    await delay(pause);
  }
}

/**
 * @param {unknown} value
 * @param {unknown} expected
 */
function isExpected(value, expected) {
  if (expected instanceof RegExp) return expected.test(String(value ?? ""));
  return typeof expected === "function" ? Boolean(expected(value)) : isDeepStrictEqual(value, expected);
}

/**
 * Creates a browser context whose actions and navigations have as much patience as a test.
 *
 * @param {Browser} browser
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function patientContext(browser, options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  return context;
}

/**
 * Opens the page in a new browser context, and waits for the first verdict. `closed` closes it and
 * checks that the page sent no requests to other hosts and logged no errors.
 *
 * @param {Browser} browser
 * @param {string} url
 * @param {import("playwright-core").BrowserContextOptions & { theme?: "light" | "dark" }} [options]
 */
export async function open(browser, url, { theme, ...options } = {}) {
  const context = await patientContext(browser, { viewport: { width: 1400, height: 900 }, ...options });
  if (theme) {
    await context.addInitScript((theme) => {
      try {
        localStorage.setItem("portcullis.theme", theme);
      } catch {
        // The blank frames of axe-core have no storage.
      }
    }, theme);
  }
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
 * Waits for the verdict on the current input. The page is busy from the event that changes the
 * input, so that this is no older verdict after an action that waits for its events, as those of
 * locators do.
 *
 * @param {Page} page
 */
export async function settled(page) {
  await page.locator("#verdict-pane[aria-busy=false]").waitFor();
}

/**
 * Waits until the page has drawn itself twice: once after all that it does before a frame.
 *
 * @param {Page} page
 */
export async function drawn(page) {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
}

/**
 * Returns the workspace as saved by the page.
 *
 * @param {Page} page
 * @returns {Promise<Workspace>}
 */
export async function savedInput(page) {
  await settled(page);
  return JSON.parse((await page.evaluate(() => sessionStorage.getItem("portcullis.workspace"))) ?? "null");
}

/**
 * Replaces the text of an editor by pasting. The label of settings and manifests is that of the
 * editor, such as `Settings of pod-security`.
 *
 * @param {Page} page
 * @param {string} label
 * @param {string} text
 */
export async function paste(page, label, text) {
  const tab = TABS[/** @type {keyof typeof TABS} */ (label)] ?? "policies";
  await select(page, tab);
  if (tab === "policies") {
    const card = page.getByRole("button", { name: `Settings of ${label.replace(/^.* of /, "")}`, exact: true });
    if ((await card.getAttribute("aria-expanded")) === "false") await card.click();
  }
  const editor = page.getByRole("textbox", { name: label, exact: true });
  await editor.waitFor();
  await editor.evaluate(pasteAll, { template: text, numbers: [""], patience: PATIENCE });
  await settled(page);
}

/**
 * Replaces the objects by pasting texts in turn, each after the verdict on the last one.
 * Runs in the page, which is faster than `paste`.
 *
 * @param {Page} page
 * @param {string} template a text with `NUMBER`
 * @param {number} from
 * @param {number} to
 */
export async function pasteMany(page, template, from, to) {
  await select(page, "objects");
  const numbers = Array.from({ length: to - from }, (_, index) => String(from + index));
  const editor = page.getByRole("textbox", { name: "Objects", exact: true });
  await editor.evaluate(pasteAll, { template, numbers, patience: PATIENCE });
}

/**
 * Selects a tab of the input.
 *
 * @param {Page} page
 * @param {string} tab
 */
export async function select(page, tab) {
  await page.locator(`#${tab}-tab`).click();
  await page.locator(`#${tab}-panel`).waitFor();
}

/**
 * Replaces the text of an editor by a template with each number, and waits for each verdict. Runs
 * in the page, whose editor handles constructed events at once: keys that a browser sends can
 * arrive after the text.
 *
 * @param {Element} element
 * @param {{ template: string; numbers: string[]; patience: number }} pasted
 */
async function pasteAll(element, { template, numbers, patience }) {
  const editor = /** @type {HTMLElement} */ (element);
  const pane = document.getElementById("verdict-pane");
  const isMac = /Mac/.test(navigator.platform);
  const selectAll = { key: "a", code: "KeyA", keyCode: 65, ctrlKey: !isMac, metaKey: isMac };
  const press = (/** @type {KeyboardEventInit} */ keys) =>
    editor.dispatchEvent(new KeyboardEvent("keydown", { ...keys, bubbles: true, cancelable: true }));
  editor.focus();
  for (const number of numbers) {
    press(selectAll);
    if (template === "") {
      press({ key: "Delete", code: "Delete", keyCode: 46 });
    } else {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", template.replaceAll("NUMBER", number));
      // Firefox does not take the data of a constructed event.
      const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true });
      Object.defineProperty(event, "clipboardData", { value: clipboardData });
      editor.dispatchEvent(event);
    }
    const deadline = performance.now() + patience;
    while (pane?.ariaBusy !== "false" && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

/**
 * Enables some policies, and disables the others.
 *
 * @param {Page} page
 * @param {string[]} ids
 */
export async function only(page, ...ids) {
  await select(page, "policies");
  for (const policy of await page.locator("#policy-list .policy").all()) {
    const id = (await policy.locator("strong").first().textContent()) ?? "";
    await policy.getByRole("checkbox").setChecked(ids.includes(id));
  }
  await settled(page);
}

/**
 * Selects what a policy evaluates.
 *
 * @param {Page} page
 * @param {string} id
 * @param {"Rules only" | "As deployed"} mode
 */
export async function mode(page, id, mode) {
  await select(page, "policies");
  await page.getByRole("combobox", { name: `What ${id} evaluates` }).selectOption(mode);
  await settled(page);
}

/**
 * Sets a field of the request about all objects.
 *
 * @param {Page} page
 * @param {Record<string, string>} fields
 */
export async function request(page, fields) {
  await select(page, "request");
  const details = page.locator("#request-details");
  if ((await details.getAttribute("open")) === null) await details.locator("summary").click();
  for (const [label, value] of Object.entries(fields)) {
    const field = page.locator("#shared-request").getByLabel(label, { exact: true });
    const isChoice = await field.evaluate((element) => element instanceof HTMLSelectElement);
    if (isChoice) await field.selectOption(value);
    else await field.fill(value);
  }
  await settled(page);
}

/**
 * Returns the sentence of the result.
 *
 * @param {Page} page
 */
export async function sentence(page) {
  await settled(page);
  return page.locator("#sentence").textContent();
}

/**
 * Returns the rows of the grid: the title of each object, and its outcome at each policy.
 *
 * @param {Page} page
 */
export async function rows(page) {
  await settled(page);
  return page.locator("#grid").evaluate((grid) => {
    /** @type {(element: Element | null) => string} */
    const text = (element) => element?.textContent?.replace(/\s+/g, " ").trim() ?? "";
    return [...grid.querySelectorAll("[role=row]:not(.head)")].map((row) => ({
      title: text(row.querySelector(".name")),
      cells: Object.fromEntries(
        [...row.querySelectorAll(".cell")].map((cell) => [
          text(cell.querySelector(".policy-name")),
          `${text(cell.querySelector(".word"))} ${text(cell.querySelector("small"))}`.trim(),
        ]),
      ),
    }));
  });
}

/**
 * Opens the details of a cell.
 *
 * @param {Page} page
 * @param {string} object
 * @param {string} policy
 */
export async function cell(page, object, policy) {
  const row = page.locator("#grid [role=row]").filter({ hasText: object }).first();
  await row.locator(".cell").filter({ hasText: policy }).first().click();
  await page
    .locator("#detail-heading")
    .filter({ hasText: `${policy}: ${object}` })
    .waitFor();
}

/**
 * Returns the messages of the violations in the details, which are unfolded, in the order of the
 * page.
 *
 * @param {Page} page
 */
export async function violations(page) {
  await settled(page);
  const controls = page.locator("#detail .control");
  await controls.evaluateAll((controls) => {
    for (const control of controls) /** @type {HTMLDetailsElement} */ (control).open = true;
  });
  // An event fills a list that is unfolded.
  await eventually(() => controls.filter({ hasNot: page.locator("li") }).count(), 0);
  await controls.locator("> button").evaluateAll((buttons) => {
    for (const more of /** @type {HTMLElement[]} */ (buttons)) while (!more.hidden) more.click();
  });
  return page.locator("#detail .violations li").evaluateAll((items) =>
    items.map((item) => {
      const copy = /** @type {HTMLElement} */ (item.cloneNode(true));
      for (const extra of copy.querySelectorAll(".at, .hint")) extra.remove();
      return copy.textContent.replace(/\s+: /, ": ").trim();
    }),
  );
}

/**
 * Loads the first example that matches a search.
 *
 * @param {Page} page
 * @param {string} words
 * @param {string} [policy]
 */
export async function example(page, words, policy = "") {
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  await page.locator("#examples-policy").selectOption(policy);
  await page.getByRole("searchbox", { name: "Search" }).fill(words);
  // The list is replaced once the cases are loaded, perhaps while a button is pressed.
  await eventually(() => page.locator("#examples-list > .hint").count(), 0);
  const found = page.locator("#examples-list button").first();
  const title = await found.locator("span").first().textContent();
  // The message of an earlier load of the example would not be waited for.
  await page.locator("#status").evaluate((status) => status.replaceChildren());
  await found.click();
  await page
    .locator("#status")
    .filter({ hasText: `Loaded: ${title}` })
    .waitFor();
  await settled(page);
}

/**
 * Opens the dialog of imports and types a text.
 *
 * @param {Page} page
 * @param {string} text
 */
export async function typeImport(page, text) {
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const source = page.getByRole("textbox", { name: "Policy to import" });
  await source.click();
  await eventually(() => source.evaluate((source) => source === document.activeElement), true);
  await page.keyboard.insertText(text);
}
