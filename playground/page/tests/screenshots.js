// Takes screenshots of the main states of the page for visual review.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.js";
import { choose, example, open, paste } from "./page.js";
import { serve } from "./server.js";

/** @import { Page } from "playwright-core" */

const folder = fileURLToPath(new URL("../../../target/playground/screenshots", import.meta.url));
mkdirSync(folder, { recursive: true });

/** @type {Record<string, (page: Page) => Promise<void>>} */
const STATES = {
  denied: async (page) => {
    await choose(page, "pod-security");
    await example(page, "careless:");
  },
  mutated: async (page) => {
    await choose(page, "selinux");
  },
  warnings: async (page) => {
    await choose(page, "pod-security");
    await example(page, "warn-and-audit:");
  },
  problem: async (page) => {
    await choose(page, "external-ips");
    await paste(page, "Settings", "allow:\n- cidrs: [10.0.0.0/33]\n");
  },
  deploy: async (page) => {
    await choose(page, "node-pods");
    await page.locator("#deploy summary").click();
    await page.locator("#deploy-text pre").filter({ hasText: "kind:" }).waitFor();
  },
  examples: async (page) => {
    await choose(page, "selinux");
    await page.getByRole("button", { name: "Examples", exact: true }).click();
    await page.locator("#examples-list h3").nth(3).waitFor();
  },
};

const [browser, site] = await Promise.all([launch(), serve("/")]);
for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  for (const [device, viewport] of /** @type {const} */ ([
    ["desk", { width: 1280, height: 800 }],
    ["phone", { width: 390, height: 844 }],
  ])) {
    for (const [state, reach] of Object.entries(STATES)) {
      const { page, closed } = await open(browser, site.url, { colorScheme, viewport });
      await reach(page);
      await page.screenshot({ path: join(folder, `${state}-${colorScheme}-${device}.png`) });
      await closed();
    }
  }
}
await browser.close();
site.close();
console.log(`Screenshots saved to ${folder}`);
