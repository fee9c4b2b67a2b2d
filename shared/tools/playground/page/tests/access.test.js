// Accessibility for users of keyboards and screen readers.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { before, test } from "node:test";
import { isFirefox } from "./browser.js";
import { eventually, example, fixture, only, open, paste, request, settled, typeImport } from "./page.js";

/** @import { Page } from "playwright-core" */

const host = fixture();

/** @type {string} */
let axe;

before(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
});

/** The rules of axe-core about colours, in which alone the themes differ. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/**
 * Returns the serious findings of axe-core, by rule and element.
 *
 * @param {Page} page
 * @param {string[]} [rules] the only rules to check
 */
async function seriousFindings(page, rules) {
  await page.evaluate(axe);
  return page.evaluate(async (rules) => {
    const { violations } = await /** @type {any} */ (window).axe.run(document, {
      resultTypes: ["violations"],
      ...(rules ? { runOnly: rules } : {}),
    });
    const serious = violations.filter((/** @type {any} */ { impact }) => ["serious", "critical"].includes(impact));
    return serious.flatMap((/** @type {any} */ { id, nodes }) =>
      nodes.map((/** @type {any} */ { target, failureSummary }) => `${id}: ${target}: ${failureSummary}`),
    );
  }, rules);
}

/**
 * The states of the page, each reached from the one before it.
 *
 * @type {[name: string, reach: (page: Page) => Promise<void>][]}
 */
const STATES = [
  ["tour", async () => {}],
  [
    "drawer",
    async (page) => {
      // The last one first: what opens moves only what is open, and no summary under the pointer.
      for (const section of (await page.locator("#drawer > details").all()).reverse()) {
        await section.locator("summary").click();
        await section.locator("> div > *").first().waitFor();
      }
      await page.locator("#deploy pre").waitFor();
    },
  ],
  ["changed", (page) => only(page, "selinux")],
  ["not looked at", (page) => only(page, "node-pods")],
  ["warned", (page) => example(page, "warn-and-audit:", "pod-security")],
  [
    "policies",
    async (page) => {
      await paste(page, "Settings of pod-security", "levle: x");
      await page.locator(".reference > summary").first().click();
      await page.locator(".reference table").first().waitFor();
    },
  ],
  [
    "request",
    async (page) => {
      await request(page, { Operation: "UPDATE", User: "named" });
    },
  ],
  [
    "unreadable",
    (page) => paste(page, "Objects", "a: b: c\n---\nkind: Pod\napiVersion: v1\nmetadata: {name: a}\nspce: {}\n"),
  ],
  [
    "examples",
    async (page) => {
      await page.getByRole("button", { name: "Examples", exact: true }).click();
      await page.getByRole("searchbox", { name: "Search" }).fill("");
      await page.locator("#examples-list h3").nth(8).waitFor();
    },
  ],
  [
    "import",
    async (page) => {
      await page.keyboard.press("Escape");
      await typeImport(
        page,
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n  labels:\n    pod-security.kubernetes.io/enforce: baseline\n",
      );
      await page.locator("#import-verdicts table").waitFor();
    },
  ],
  [
    "share",
    async (page) => {
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Share", exact: true }).click();
      await page.locator("#share details summary").click();
      await page.locator("#share details[open]").waitFor();
      await page.locator("#share-yaml > *").first().waitFor({ state: "attached" });
    },
  ],
  [
    "export",
    async (page) => {
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Export", exact: true }).click();
      await page.locator("#export pre").first().waitFor();
    },
  ],
];

for (const theme of /** @type {const} */ (["light", "dark"])) {
  for (const [device, viewport] of /** @type {const} */ ([
    ["desktop", { width: 1400, height: 900 }],
    ["phone", { width: 390, height: 844 }],
  ])) {
    test(`axe-core finds no serious violations in the ${theme} theme on a ${device}`, async () => {
      const { page, closed } = await open(host.browser, host.url, { theme, viewport });
      for (const [name, reach] of STATES) {
        await reach(page);
        await settled(page);
        assert.deepEqual(await seriousFindings(page, theme === "dark" ? COLOURS : undefined), [], name);
      }
      await closed();
    });
  }
}

test("all controls are reachable by keyboard, Tab leaves the editors, and the focus is visible", async () => {
  const { page, closed } = await open(host.browser, host.url);
  /** @type {string[]} */
  const reached = [];
  /** @typedef {{ isMoved: boolean; name: string; outlined: boolean }} Focus */
  const focus = () =>
    page.evaluate(() => {
      const element = document.activeElement ?? document.body;
      const isMoved = element !== /** @type {any} */ (window).last;
      if (element === document.body) return { isMoved, name: "", outlined: true };
      const shown = element.closest(".cm-editor") ?? element;
      const name =
        element.id ||
        element.getAttribute("aria-label") ||
        element.getAttribute("data-row") ||
        element.textContent;
      return { isMoved, name, outlined: getComputedStyle(shown).outlineStyle !== "none" };
    });
  for (let press = 0; press < 80; press++) {
    await page.evaluate(() => void Object.assign(window, { last: document.activeElement }));
    await page.keyboard.press("Tab");
    await eventually(focus, (/** @type {Focus} */ { isMoved }) => isMoved, `Tab after ${reached.at(-1)}`);
    // CodeMirror shows its focus a moment later.
    const { name } = await eventually(focus, (/** @type {Focus} */ { outlined }) => outlined);
    // The order of the keyboard has ended: it begins again, or goes to the browser.
    if (!name || (name === "skip" && press > 0)) break;
    reached.push(name);
  }
  for (const name of [
    "examples-open",
    "import-open",
    "share-open",
    "theme",
    "objects-tab",
    "Objects",
    "export-open",
  ]) {
    assert.ok(reached.includes(name), `${name} is not in ${reached}`);
  }
  assert.ok(reached.includes("0"), `no cell of the grid is in ${reached}`);
  assert.ok(
    reached.some((name) => /line 15$/.test(name)),
    `${reached}`,
  );
  await closed();
});

test("arrow keys select tabs, and the focus goes where it is expected", async () => {
  const { page, closed } = await open(host.browser, host.url);
  const focused = () => page.evaluate(() => document.activeElement?.id);
  await page.locator("#objects-tab").focus();
  await page.keyboard.press("ArrowLeft");
  await eventually(focused, "policies-tab");
  await page.locator("#policies-panel").waitFor();

  await page.locator(".skip").focus();
  await page.keyboard.press("Enter");
  await eventually(focused, "verdict-heading");

  // The dialog receives the focus. Escape closes it and returns the focus to the button.
  await page.locator("#examples-open").focus();
  await page.keyboard.press("Enter");
  await page.locator("#examples").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#examples").waitFor({ state: "hidden" });
  await eventually(focused, "examples-open");
  await closed();
});

test("the live region says a result once", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await page.evaluate(() => {
    const said = Object.assign(window, { said: /** @type {string[]} */ ([]) });
    const region = /** @type {Element} */ (document.getElementById("sentence"));
    new MutationObserver(() => said.said.push(region.textContent)).observe(region, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
  const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostPID: true, containers: [{name: a}]}\n";
  for (const text of [pod, `${pod}# one\n`, `${pod}# two\n`]) await paste(page, "Objects", text);
  await eventually(() => page.evaluate(() => /** @type {any} */ (window).said), ["Pod default/a would be denied"]);
  await closed();
});

test("the theme can be selected and is remembered", async () => {
  const { page, closed } = await open(host.browser, host.url, isFirefox ? {} : { colorScheme: "light" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole("button", { name: "Theme: system" }).click();
  const button = page.getByRole("button", { name: "Theme: light" });
  await button.waitFor();
  assert.equal(await background(), light);
  await button.click();
  await page.getByRole("button", { name: "Theme: dark" }).waitFor();
  const dark = await background();
  assert.notEqual(dark, light);
  await page.reload();
  await settled(page);
  await eventually(background, dark);
  await closed();
});
