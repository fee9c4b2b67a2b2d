// Measures the page on this machine: transfer sizes in bytes and times in milliseconds.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { launch } from "./browser.js";
import { choose, open, paste } from "./page.js";
import { serve, SITE } from "./server.js";

const RUNS = 9;
/** After this many runs, the browser has optimised the module. */
const WARM = 60;

/** @param {number[]} numbers */
const median = (numbers) => numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? NaN;
/** @param {number} number */
const format = (number) => Math.round(number).toLocaleString("en");
/** @param {string} file */
const compressed = (file) => gzipSync(readFileSync(join(SITE, file)), { level: 9 }).length;
/** @param {string[]} files */
const sum = (files) => files.reduce((total, file) => total + compressed(file), 0);

const [browser, site] = await Promise.all([launch(), serve("/")]);

/** @type {number[]} */
const first = [];
for (let run = 0; run < RUNS; run++) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(site.url);
  first.push(await page.evaluate(firstVerdict));
  await context.close();
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
const untilVerdict = all.filter((file) =>
  /^(index\.html|icon\.svg|assets\/(index|worker|playground_bg)-.*)$/.test(file),
);

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

console.log("| measurement | value |\n|---|---|");
console.log(`| bytes to load the first verdict, gzip | ${format(sum(untilVerdict))} |`);
console.log(`| bytes of all files including examples, gzip | ${format(sum(all))} |`);
console.log(`| ms from navigation to first verdict | ${format(median(first))} |`);
for (const id of ["pod-security", "selinux"]) {
  const { page, closed } = await open(browser, site.url);
  await choose(page, id);
  await paste(page, "Manifest", deployment);
  /** @type {number[]} */
  const times = [];
  for (let run = 0; run < WARM + RUNS; run++) {
    await paste(page, "Manifest", `${deployment}# ${run}\n`);
    times.push(await page.evaluate(() => performance.getEntriesByName("judge")[0]?.duration ?? NaN));
  }
  const lines = await page.locator("#verdicts .violations li").count();
  const label = `ms to judge a Deployment with 100 containers, ${id}, ${lines} violations`;
  console.log(`| ${label} | ${format(median(times.slice(0, RUNS)))} |`);
  console.log(`| same, after optimisation by the browser | ${format(median(times.slice(-RUNS)))} |`);
  await closed();
}
await browser.close();
site.close();
