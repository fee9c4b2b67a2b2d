// For every sample, the page shows the same response as the policy module in the embedded host.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { eventually, example, fixture, open, violations } from "./page.js";

const root = fileURLToPath(new URL("../../../../..", import.meta.url));
const tool = join(root, "target/debug/portcullis");
const run = promisify(execFile);

const host = fixture();

/**
 * Returns the responses of the module to samples.
 *
 * @param {string} id
 * @param {string[]} samples
 */
async function moduleResponses(id, samples) {
  const folder = join(root, "policies", id, "samples");
  const files = samples.map((sample) => join(folder, `${sample}.request.json`));
  const modules = join(root, "target/policies");
  const args = ["run", id, "--engine", "wasm", "--modules", modules, "--output", "json", "--samples", ...files];
  // The exit status of a denial is 1.
  const { stdout } = await run(tool, args).catch((error) => (error.code === 1 ? error : Promise.reject(error)));
  const reviews = stdout
    .trim()
    .split("\n")
    .map((/** @type {string} */ review) => JSON.parse(review));
  assert.equal(reviews.length, samples.length);
  return new Map(samples.map((sample, index) => [sample, reviews[index].response]));
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
    await page.locator("#response > summary").click();
    for (const [sample, expected] of await moduleResponses(id, samples)) {
      await example(page, `${sample}:`, id);
      const shown = page.locator("#response pre").first();
      const actual = async () => readable(JSON.parse((await shown.textContent()) ?? ""));
      await eventually(actual, readable(expected), sample);
      // The page groups violations by control, in the order of the message.
      const message = (expected.status?.message ?? "").replaceAll("Callback evaluation failure: ", "");
      const listed = async () => (await violations(page)).filter((line) => message.includes(line)).sort();
      await eventually(listed, message.split("\n").filter(Boolean).sort(), sample);
      const warned = expected.warnings?.length ? "Warned" : "Passed|Not looked at";
      const verdict = expected.allowed ? (expected.patch ? "Changed" : warned) : "Denied";
      const word = async () => (await page.locator("#detail .answer .badge").allTextContents())[0];
      await eventually(word, new RegExp(`^(${verdict})$`), sample);
      await eventually(
        async () => (await page.locator("#detail .diff").count()) > 0,
        Boolean(expected.patch),
        sample,
      );
    }
    await closed();
  });
}
