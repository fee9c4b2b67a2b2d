// Measures the page on this machine: transfer sizes in bytes and times in milliseconds. Fails if a
// browser loads more than the budgets permit.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { launch } from "./browser.js";
import { cell, only, open, paste, pasteMany, rows, settled } from "./page.js";
import { serve, SITE } from "./server.js";

const RUNS = 9;
/** After this many runs, the browser has optimised the module. */
const WARM = 40;
/** The most bytes that a browser may load, compressed by gzip. */
const BUDGETS = { first: 850_000, visit: 1_200_000 };
const POLICIES = ["external-ips", "node-labels", "node-pods", "pod-security", "selinux"];

/** @param {number[]} numbers */
const median = (numbers) => numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? NaN;
/** @param {number} number */
const format = (number) => Math.round(number).toLocaleString("en");
/** @param {string} file */
const compressed = (file) => gzipSync(readFileSync(join(SITE, file)), { level: 9 }).length;
/** @param {string[]} files */
const sum = (files) => files.reduce((total, file) => total + compressed(file), 0);

/** Returns a small Pod. @param {number} index */
const small = (index) => `apiVersion: v1
kind: Pod
metadata: { name: pod-${index}, namespace: shop }
spec:
  containers:
  - name: app
    image: registry.example.com/app:${index}
    securityContext: { privileged: ${index % 2 === 0} }
`;

// Static hosts let browsers keep files for some minutes. Without this, the service worker would
// load again what the page has just loaded.
const headers = { "cache-control": "max-age=600" };
const [browser, site] = await Promise.all([launch(), serve("/", { headers })]);

/** @type {number[]} */
const first = [];
/** The bytes of each load. @type {number[]} */
const firstBytes = [];
/** @type {number[]} */
const visitBytes = [];
for (let run = 0; run < RUNS; run++) {
  site.requested.length = 0;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(site.url);
  first.push(await page.evaluate(firstVerdict));
  await visit(page);
  // After the first verdict, the page registers the service worker.
  firstBytes.push(sum(site.requested.slice(0, site.requested.indexOf("offline.js"))));
  visitBytes.push(sum(site.requested));
  await context.close();
}

/**
 * Makes an ordinary visit: waits until the page works offline, edits objects and settings, and
 * looks at verdicts.
 *
 * @param {import("playwright-core").Page} page
 */
async function visit(page) {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await pasteMany(page, `${small(0)}# NUMBER\n`, 0, 2);
  await page.keyboard.type("#");
  await settled(page);
  await paste(page, "Settings of pod-security", "level: baseline");
  await cell(page, "Pod shop/pod-0", "selinux");
  await page.waitForTimeout(500);
}

/** Returns the milliseconds from the start of the navigation to the first verdict. */
async function firstVerdict() {
  while (document.getElementById("verdict-pane")?.ariaBusy !== "false") {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return performance.now();
}

const all = readdirSync(SITE, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(SITE.length + 1));
const container = (/** @type {number} */ index) => `      - name: c${index}
        image: registry.example.com/app:${index}
        ports: [{ containerPort: 8080 }]
        env: [{ name: A, value: b }, { name: C, value: d }]
        resources: { limits: { cpu: 100m, memory: 64Mi }, requests: { cpu: 10m, memory: 32Mi } }
        securityContext:
          privileged: ${index % 2 === 0}
          capabilities: { drop: [ALL] }
`;
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  replicas: 1
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
${Array.from({ length: 100 }, (_, index) => container(index)).join("")}`;

const twenty = Array.from({ length: 20 }, (_, index) => small(index)).join("---\n");
const large = Array.from({ length: ((5 * 1024 * 1024) / 220) | 0 }, (_, index) => small(index)).join("---\n");

console.log("| measurement | value |\n|---|---|");
const bytes = { first: Math.max(...firstBytes), visit: Math.max(...visitBytes) };
console.log(`| bytes to load the first verdict, gzip | ${format(bytes.first)} |`);
console.log(`| bytes of an ordinary visit with its copy for offline use, gzip | ${format(bytes.visit)} |`);
console.log(`| bytes of all files, with the whole engine and all examples, gzip | ${format(sum(all))} |`);
console.log(`| ms from navigation to first verdict | ${format(median(first))} |`);

const { page, closed } = await open(browser, site.url);
await only(page, ...POLICIES);
await page.evaluate(() => {
  const frames = Object.assign(window, { longest: 0, evaluated: /** @type {number[]} */ ([]) });
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === "evaluate") frames.evaluated.push(duration);
  }).observe({ type: "measure" });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) frames.longest = Math.max(frames.longest, duration);
  }).observe({ type: "longtask" });
});
const measured = () =>
  page.evaluate(() => {
    const frames = /** @type {{ longest: number; evaluated: number[] }} */ (/** @type {unknown} */ (window));
    const { longest, evaluated } = frames;
    Object.assign(frames, { longest: 0, evaluated: [] });
    return { longest, evaluated };
  });

await pasteMany(page, `${deployment}# NUMBER\n`, 0, WARM + RUNS);
const [row] = await rows(page);
const { evaluated } = await measured();
console.log(
  `| ms to evaluate a Deployment with 100 containers against five policies (${row?.cells["pod-security"]}) | ${format(median(evaluated.slice(0, RUNS)))} |`,
);
console.log(`| same, after optimisation by the browser | ${format(median(evaluated.slice(-RUNS)))} |`);

await pasteMany(page, `${twenty}# NUMBER\n`, 0, 5);
await measured();
await page.getByRole("textbox", { name: "Objects", exact: true }).focus();
await page.keyboard.press("Control+Home");
for (const key of "# a comment that is typed slowly") {
  await page.keyboard.type(key);
  await page.waitForTimeout(200);
}
const typed = await measured();
console.log(`| ms to evaluate 20 Pods against five policies while typing | ${format(median(typed.evaluated))} |`);
console.log(
  `| ms of the longest task of the page while typing (0: none of 50 or more) | ${format(typed.longest)} |`,
);

const started = performance.now();
await pasteMany(page, `${large}# NUMBER\n`, 0, 1);
console.log(
  `| ms from the paste of ${format(large.length / 1024)} KiB to the verdicts on ${format(large.split("---").length)} Pods | ${format(performance.now() - started)} |`,
);
const clicked = performance.now();
await page.locator("#cluster-tab").click();
console.log(`| ms to select a tab then | ${format(performance.now() - clicked)} |`);
await closed();
await browser.close();
site.close();
for (const name of /** @type {const} */ (["first", "visit"])) {
  if (bytes[name] <= BUDGETS[name]) continue;
  console.error(`the ${name} bytes exceed ${format(BUDGETS[name])}: load less, or later`);
  process.exitCode = 1;
}
