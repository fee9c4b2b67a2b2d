// Every sample gets the same on the page as from the module of the policy in the embedded host.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { choose, example, fixture, lines, open } from "./page.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const tool = join(root, "target/debug/portcullis");
const run = promisify(execFile);

const host = fixture();

/**
 * What the module answers to a sample.
 *
 * @param {string} id
 * @param {string} sample
 */
async function answered(id, sample) {
  const file = (/** @type {string} */ suffix) => join(root, "policies", id, "samples", `${sample}.${suffix}`);
  const given = [
    "run",
    id,
    "--modules",
    join(root, "target/policies"),
    "--output",
    "json",
    "--request",
    file("request.json"),
  ];
  for (const [option, suffix] of [
    ["--settings", "settings.yaml"],
    ["--cluster", "cluster.yaml"],
  ]) {
    if (option && suffix && existsSync(file(suffix))) given.push(option, file(suffix));
  }
  // 1 is a denial, which is a verdict.
  const { stdout } = await run(tool, given).catch((error) => (error.code === 1 ? error : Promise.reject(error)));
  return JSON.parse(stdout).response;
}

/** The response, with the patch as text and without the number of the request. */
function readable(/** @type {any} */ { uid, patch, ...response }) {
  const operations = patch ? JSON.parse(Buffer.from(patch, "base64").toString()) : [];
  return { ...response, operations };
}

const policies = readdirSync(join(root, "policies")).sort();
assert.ok(policies.length >= 5);

for (const id of policies) {
  const files = readdirSync(join(root, "policies", id, "samples"));
  const samples = files.flatMap((file) => file.match(/^(.*)\.request\.json$/)?.[1] ?? []);
  test(`${id}: ${samples.length} samples`, async () => {
    assert.ok(samples.length > 0);
    const { page, closed } = await open(host.browser, host.url);
    await choose(page, id);
    await page.locator("#answered summary").click();
    for (const sample of samples) {
      await example(page, `${sample}:`);
      const wanted = await answered(id, sample);
      const shown = page.locator("#answered-text pre");
      const found = JSON.parse((await shown.textContent()) ?? "");
      assert.deepEqual(readable(found), readable(wanted), sample);
      const told = await lines(page, "violations");
      assert.equal(told.join("\n"), wanted.status?.message ?? "", sample);
      assert.deepEqual(await lines(page, "warnings"), wanted.warnings ?? [], sample);
      const badge = await page.locator("#verdicts .badge").allTextContents();
      const verdict = wanted.allowed ? (wanted.patch ? "Mutated" : "Admitted") : "Denied";
      assert.deepEqual(badge, [verdict], sample);
      assert.equal(await page.locator("#verdicts .diff").count(), wanted.patch ? 1 : 0, sample);
    }
    await closed();
  });
}
