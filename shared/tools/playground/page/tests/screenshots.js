// Takes screenshots of the main states of the page for visual review.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.js";
import { cell, example, mode, only, open, paste, request, settled, typeImport } from "./page.js";
import { serve } from "./server.js";

/** @import { Page } from "playwright-core" */

const folder = fileURLToPath(new URL("../../../../../target/playground/screenshots", import.meta.url));
mkdirSync(folder, { recursive: true });

const KYVERNO = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: pod-security
spec:
  validationFailureAction: Enforce
  background: true
  rules:
  - name: baseline
    match:
      any:
      - resources:
          kinds: [Pod]
    validate:
      podSecurity:
        level: baseline
        version: latest
        exclude:
        - controlName: Host Namespaces
`;

/** @type {Record<string, (page: Page) => Promise<void>>} */
const STATES = {
  tour: async () => {},
  changed: async (page) => {
    await example(page, "namespace", "selinux");
  },
  "not-looked-at": async (page) => {
    await cell(page, "Pod shop/worker", "node-pods");
  },
  "unknown-fields": async (page) => {
    await only(page, "pod-security");
    const pod =
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  namespace: shop\nspec:\n  container:\n  - name: web\n    securityContext:\n      privileged: true\n";
    await paste(page, "Objects", pod);
  },
  unreadable: async (page) => {
    await only(page, "pod-security");
    await paste(
      page,
      "Objects",
      `a: b: c\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {hostPID: true, containers: [{name: web}]}\n`,
    );
  },
  policies: async (page) => {
    await only(page, "pod-security", "selinux");
    await mode(page, "pod-security", "As deployed");
    await paste(page, "Settings of pod-security", "level: baseline\nexclude:\n- controlNmae: Seccomp\n");
  },
  request: async (page) => {
    await request(page, { Operation: "UPDATE", User: "kubelet" });
  },
  fix: async (page) => {
    await page.getByRole("button", { name: "Fix all…" }).click();
    await page.locator("#fix .cm-editor").first().waitFor();
  },
  import: async (page) => {
    await typeImport(page, KYVERNO);
    await page.locator("#import-verdicts table").waitFor();
  },
  share: async (page) => {
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByLabel("Title").fill("A privileged Deployment");
    await page.locator("#share details summary").click();
  },
  export: async (page) => {
    await page.getByRole("button", { name: "Export", exact: true }).click();
    await page.locator("#export pre").first().waitFor();
  },
  examples: async (page) => {
    await page.getByRole("button", { name: "Examples", exact: true }).click();
    await page.locator("#examples-list h3").nth(8).waitFor();
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
      await settled(page);
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.screenshot({ path: join(folder, `${state}-${colorScheme}-${device}.png`) });
      await closed();
    }
  }
}
await browser.close();
site.close();
console.log(`Screenshots saved to ${folder}`);
