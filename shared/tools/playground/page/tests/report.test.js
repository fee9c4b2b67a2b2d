// The HTML report of `portcullis scan`, opened from a file as users do, and the JUnit report.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "./browser.js";
import { eventually, patientContext } from "./page.js";

/** @import { Browser, BrowserContextOptions, Page } from "playwright-core" */

const SAMPLE = fileURLToPath(new URL("../../../../native/report/tests/formats/sample.html", import.meta.url));
const FINDINGS = 20_000;

/** @type {Browser} */
let browser;
/** @type {string} */
let folder;
/** @type {string} */
let axe;
/** @type {string} */
let sample;

before(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  sample = await readFile(SAMPLE, "utf8");
  folder = await mkdtemp(join(tmpdir(), "portcullis-report-"));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Opens a report. `closed` closes it and checks that it sent no requests and logged nothing.
 *
 * @param {string} html
 * @param {BrowserContextOptions} [options]
 */
async function open(html, options) {
  const file = join(folder, "report.html");
  await writeFile(file, html);
  const context = await patientContext(browser, { viewport: { width: 1300, height: 900 }, ...options });
  /** @type {string[]} */
  const problems = [];
  const url = pathToFileURL(file).href;
  context.on("request", (request) => {
    if (request.url().split("#")[0] !== url) problems.push(`request to ${request.url()}`);
  });
  context.on("console", (message) => problems.push(`console: ${message.text()}`));
  context.on("weberror", (error) => problems.push(`uncaught: ${error.error()}`));
  context.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const page = await context.newPage();
  const spent = await work(page);
  await page.goto(url);
  const closed = async () => {
    await context.close();
    assert.deepEqual(problems, []);
  };
  return { page, spent, closed };
}

/**
 * Returns a function that says how many milliseconds of a processor the page has taken: others on
 * the same machine do not change it much.
 *
 * @param {Page} page
 */
async function work(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN);
  };
}

/**
 * Returns the findings that the page shows.
 *
 * @param {Page} page
 */
function shown(page) {
  return page.locator("#findings li:visible");
}

/**
 * Waits for the sentence on the number of findings.
 *
 * @param {Page} page
 * @param {string} text
 */
async function says(page, text) {
  await page.getByRole("status").filter({ hasText: text }).waitFor();
}

/**
 * Returns the sample with its groups repeated until it has as many findings.
 *
 * @param {number} number
 */
function large(number) {
  const start = sample.indexOf('<details class="group"');
  const end = sample.lastIndexOf("</details>") + "</details>".length;
  const groups = sample.slice(start, end).replaceAll(" open>", ">");
  const each = groups.split("<li ").length - 1;
  const copies = Array.from({ length: Math.ceil(number / each) }, (_, copy) =>
    groups.replaceAll("shop/web", `shop/web-${copy}`),
  );
  const head = sample.slice(0, start).replace("<main>", '<main class="large">');
  return { html: head + copies.join("\n") + sample.slice(end), findings: copies.length * each };
}

test("the JUnit report is well-formed, and its counts are right", async () => {
  const xml = await readFile(SAMPLE.replace(/html$/, "junit.xml"), "utf8");
  const { page, closed } = await open(sample);
  const suites = await page.evaluate((xml) => {
    const document = new DOMParser().parseFromString(xml, "application/xml");
    const error = document.querySelector("parsererror")?.textContent;
    if (error) throw new Error(error);
    return [...document.querySelectorAll("testsuites, testsuite")].map((suite) => {
      const named = ["tests", "failures", "errors", "skipped"].map((name) => Number(suite.getAttribute(name)));
      const cases = ["testcase", "failure", "error", "skipped"].map(
        (name) => suite.getElementsByTagName(name).length,
      );
      return { named, cases };
    });
  }, xml);
  assert.equal(suites.length, 6);
  for (const { named, cases } of suites) assert.deepEqual(named, cases);
  await closed();
});

test("hostile names add no markup, script or request", async () => {
  const { page, closed } = await open(sample);
  assert.equal(await page.locator("script").count(), 1);
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.locator("[onclick], [onerror]").count(), 0);
  assert.match((await page.locator("#findings").textContent()) ?? "", /<img src=x onerror=alert\(1\)>/);
  await closed();
});

test("the policy of the page refuses scripts and styles of others", async () => {
  const { page } = await open(sample);
  const ran = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    const style = document.createElement("style");
    style.textContent = "h1 { font-size: 99px }";
    document.head.append(style);
    const size = getComputedStyle(/** @type {Element} */ (document.querySelector("h1"))).fontSize;
    return { script: "ran" in window, style: size === "99px" };
  });
  assert.deepEqual(ran, { script: false, style: false });
  await page.context().close();
});

test("without scripts the page is the whole list", async () => {
  const { page, closed } = await open(sample, { javaScriptEnabled: false });
  await eventually(() => shown(page).count(), await page.locator("#findings li").count());
  assert.equal(await page.getByRole("form").count(), 0);
  await closed();
});

test("filters combine, count and reset", async () => {
  const { page, closed } = await open(sample);
  const all = await shown(page).count();
  await says(page, `${all} findings`);
  await page.getByRole("combobox", { name: "Policy" }).selectOption({ label: "pod-security" });
  await says(page, `4 findings of ${all} match`);
  await page.getByRole("combobox", { name: "Rule" }).selectOption({ label: "Privileged Containers" });
  await says(page, `2 findings of ${all} match`);
  await eventually(() => shown(page).count(), 2);
  await page.getByLabel("Text").fill("containers[1]  WEB");
  await says(page, `1 finding of ${all} matches`);
  await page.getByLabel("Text").fill("not there");
  await says(page, `0 findings of ${all} match`);
  await page.getByRole("button", { name: "Show all" }).click();
  await says(page, `${all} findings`);
  await page.getByLabel("Owner").fill("deployment api");
  await says(page, `2 findings of ${all} match`);
  await page.getByLabel("Owner").fill("");
  await page.getByRole("combobox", { name: "Severity" }).selectOption("critical");
  await page.getByRole("combobox", { name: "Result" }).selectOption("excepted");
  await says(page, `1 finding of ${all} matches`);
  await eventually(() => shown(page).allTextContents(), /until the driver is gone/);
  await closed();
});

test("a cell of the map filters by namespace and policy, with the keyboard too", async () => {
  const { page, closed } = await open(sample);
  const cell = page.locator("#map a").first();
  await cell.focus();
  await page.keyboard.press("Enter");
  await says(page, "4 findings of 11 match");
  const chosen = (/** @type {string} */ name) =>
    page.getByRole("combobox", { name }).locator("option:checked").textContent();
  await eventually(() => chosen("Policy"), "pod-security");
  await eventually(() => chosen("Namespace"), "shop");
  await closed();
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  for (const width of [1300, 390]) {
    test(`axe-core finds no violations in the ${colorScheme} theme at ${width} pixels`, async () => {
      const { page, closed } = await open(sample, {
        colorScheme,
        bypassCSP: true,
        viewport: { width, height: 900 },
      });
      await page.evaluate(axe);
      const violations = await page.evaluate(async () => {
        const { violations } = await /** @type {any} */ (window).axe.run(document, {
          resultTypes: ["violations"],
        });
        return violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes[0].target}`);
      });
      assert.deepEqual(violations, []);
      await eventually(() => page.evaluate(() => document.documentElement.scrollWidth), width);
      await closed();
    });
  }
}

/**
 * Opens a report with findings and filters them. Returns the work of the page for each step.
 *
 * @param {number} number
 */
async function worked(number) {
  const { html, findings } = large(number);
  const { page, spent, closed } = await open(html);
  await says(page, `${findings.toLocaleString("en")} findings`);
  const loaded = await spent();
  /** @param {string} name @param {string} value */
  const filter = async (name, value) => {
    const before = await spent();
    await page.evaluate(
      async ({ name, value }) => {
        const field = /** @type {HTMLInputElement} */ (document.querySelector(`#filters [name=${name}]`));
        const before = document.querySelector("#shown")?.textContent;
        field.value = value;
        field.dispatchEvent(new Event("input", { bubbles: true }));
        while (document.querySelector("#shown")?.textContent === before)
          await new Promise((resolve) => setTimeout(resolve, 1));
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(undefined))));
      },
      { name, value },
    );
    return (await spent()) - before;
  };
  const work = {
    loaded,
    select: await filter("p", "0"),
    text: await filter("t", "web-7"),
    again: await filter("t", "web-77"),
  };
  await closed();
  return work;
}

test(`${FINDINGS} findings open at once and are filtered without delay`, async () => {
  // Four times as many findings are four times the work. Work that grows with the square would be
  // sixteen times as much.
  const growth = async () => {
    const few = await worked(FINDINGS / 4);
    const many = await worked(FINDINGS);
    console.log(`${FINDINGS / 4} and ${FINDINGS} findings, in ms: ${JSON.stringify([few, many])}`);
    const steps = /** @type {(keyof typeof few)[]} */ (Object.keys(few));
    return Math.max(...steps.map((step) => many[step] / few[step]));
  };
  await eventually(growth, (/** @type {number} */ growth) => growth < 9, "growth");
});
