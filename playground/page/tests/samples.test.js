// For every sample, the page shows the same response as the policy module in the embedded host.
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
 * Returns the response of the module to a sample.
 *
 * @param {string} id
 * @param {string} sample
 */
async function moduleResponse(id, sample) {
  const file = (/** @type {string} */ suffix) => join(root, "policies", id, "samples", `${sample}.${suffix}`);
  const args = [
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
    if (option && suffix && existsSync(file(suffix))) args.push(option, file(suffix));
  }
  // The exit status of a denial is 1.
  const { stdout } = await run(tool, args).catch((error) => (error.code === 1 ? error : Promise.reject(error)));
  return JSON.parse(stdout).response;
}

/** Decodes the patch of a response and removes the uid of the request. */
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
    await page.locator("#admission-response summary").click();
    for (const sample of samples) {
      await example(page, `${sample}:`);
      const expected = await moduleResponse(id, sample);
      const shown = page.locator("#admission-response-text pre");
      const actual = JSON.parse((await shown.textContent()) ?? "");
      assert.deepEqual(readable(actual), readable(expected), sample);
      const violations = await lines(page, "violations");
      assert.equal(violations.join("\n"), expected.status?.message ?? "", sample);
      assert.deepEqual(await lines(page, "warnings"), expected.warnings ?? [], sample);
      const badge = await page.locator("#verdicts .badge").allTextContents();
      const verdict = expected.allowed ? (expected.patch ? "Mutated" : "Admitted") : "Denied";
      assert.deepEqual(badge, [verdict], sample);
      assert.equal(await page.locator("#verdicts .diff").count(), expected.patch ? 1 : 0, sample);
    }
    await closed();
  });
}
