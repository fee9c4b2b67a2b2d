// Accessibility for users of keyboards and screen readers.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { before, test } from "node:test";
import { choose, example, fixture, open, paste, settled } from "./page.js";

/** @import { Page } from "playwright-core" */

const host = fixture();

/** @type {string} */
let axe;

before(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
});

/**
 * Returns the serious findings of axe-core, by rule and element.
 *
 * @param {Page} page
 */
async function seriousFindings(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await /** @type {any} */ (window).axe.run(document, {
      resultTypes: ["violations"],
    });
    const serious = violations.filter((/** @type {any} */ { impact }) => ["serious", "critical"].includes(impact));
    return serious.flatMap((/** @type {any} */ { id, nodes }) =>
      nodes.map((/** @type {any} */ { target, failureSummary }) => `${id}: ${target}: ${failureSummary}`),
    );
  });
}

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  for (const [device, viewport] of /** @type {const} */ ([
    ["desktop", { width: 1400, height: 900 }],
    ["phone", { width: 390, height: 844 }],
  ])) {
    test(`axe-core finds no serious violations in the ${colorScheme} theme on a ${device}`, async () => {
      const { page, closed } = await open(host.browser, host.url, { colorScheme, viewport });
      assert.deepEqual(await seriousFindings(page), [], "denied");
      await choose(page, "selinux");
      assert.deepEqual(await seriousFindings(page), [], "mutated");
      for (const details of await page.locator("details > summary").all()) await details.click();
      assert.deepEqual(await seriousFindings(page), [], "all details open");
      await choose(page, "pod-security");
      await example(page, "warn-and-audit:");
      assert.deepEqual(await seriousFindings(page), [], "warnings");
      await page.selectOption("#operation", "UPDATE");
      await page.selectOption("#user", "named");
      await paste(page, "Settings", "levle: x");
      assert.deepEqual(await seriousFindings(page), [], "problems");
      await page.getByRole("button", { name: "Examples", exact: true }).click();
      await page.getByRole("searchbox", { name: "Search" }).fill("");
      await page.locator("#examples-list h3").nth(3).waitFor();
      assert.deepEqual(await seriousFindings(page), [], "examples");
      await closed();
    });
  }
}

test("all controls are reachable by keyboard and Tab leaves the editors", async () => {
  const { page, closed } = await open(host.browser, host.url);
  /** @type {string[]} */
  const reached = [];
  for (let press = 0; press < 60; press++) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const element = document.activeElement;
      return element === document.body
        ? ""
        : element?.id || element?.getAttribute("aria-label") || element?.textContent;
    });
    if (!name) break;
    reached.push(name);
  }
  for (const name of ["policy", "examples-open", "share", "theme", "Manifest", "operation", "user", "Settings"]) {
    assert.ok(reached.includes(name), `${name} is not in ${reached}`);
  }
  assert.ok(
    reached.includes("Cluster") && reached.includes("unreachable") && reached.includes("line 15"),
    `${reached}`,
  );

  await page.locator(".skip").focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "verdict-heading");

  // The dialog receives the focus. Escape closes it and returns the focus to the button.
  await page.locator("#examples-open").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#examples").isVisible(), false);
  assert.equal(await page.evaluate(() => document.activeElement?.id), "examples-open");
  await closed();
});

test("the theme can be selected and is remembered", async () => {
  const { page, closed } = await open(host.browser, host.url, { colorScheme: "light" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole("button", { name: "Theme: system" }).click();
  assert.equal(await background(), light);
  await page.getByRole("button", { name: "Theme: light" }).click();
  const dark = await background();
  assert.notEqual(dark, light);
  await page.reload();
  await settled(page);
  assert.equal(await background(), dark);
  await closed();
});
