// Interactions with the page and their results.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { inflateRawSync } from "node:zlib";
import { isFirefox } from "./browser.js";
import {
  cell,
  eventually,
  example,
  fixture,
  mode,
  only,
  open,
  paste,
  pasteMany,
  patientContext,
  request,
  rows,
  savedInput,
  select,
  sentence,
  settled,
  typeImport,
  violations,
  watch,
} from "./page.js";
import { SITE, serve } from "./server.js";

/** @import { BrowserContext, Page } from "playwright-core" */

const host = fixture();

const POD = `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  hostPID: true
  containers:
  - name: app
    securityContext:
      privileged: true
  - name: fine
`;

/** The outcome of the first object at a policy. @param {Page} page @param {string} policy */
const outcome = async (page, policy) => (await rows(page))[0]?.cells[policy];
/** @param {Page} page */
const titles = async (page) => (await rows(page)).map(({ title }) => title);
/** @param {Page} page */
const focused = (page) => page.evaluate(() => document.activeElement?.id);
/** @param {Page} page */
const problems = (page) => page.locator("#problems li").allTextContents();
/** @param {Page} page */
const undo = (page) => page.getByRole("button", { name: "Restore previous input" });

/**
 * Permits the page to use the clipboard. Firefox permits it by its settings.
 *
 * @param {BrowserContext} context
 */
async function permitClipboard(context) {
  if (!isFirefox) await context.grantPermissions(["clipboard-read", "clipboard-write"]);
}

/** @param {Page} page */
async function baseline(page) {
  await only(page, "pod-security");
  await paste(page, "Settings of pod-security", "level: baseline");
}

test("the verdict updates while typing and marks the lines of violations", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await baseline(page);
  await paste(page, "Objects", POD);
  await eventually(() => sentence(page), "Pod default/web would be denied");
  await eventually(async () => (await rows(page))[0]?.cells, { "pod-security": "Denied 2 violations" });
  const [hostPid, privileged] = await violations(page);
  assert.match(hostPid ?? "", /^spec\.hostPID: Invalid value: true: Host Namespaces/);
  assert.match(privileged ?? "", /^spec\.containers\[0\]\.securityContext\.privileged: Invalid value: true/);
  const marks = page.locator("#objects .cm-lintRange-error");
  await eventually(() => marks.allTextContents(), ["hostPID: true", "privileged: true"]);
  const selected = () => page.evaluate(() => String(getSelection()));
  await page.getByRole("button", { name: /privileged line 10$/ }).click();
  await eventually(selected, "privileged: true");
  await page.keyboard.insertText("privileged: false");
  await eventually(async () => (await violations(page)).length, 1);
  await page.getByRole("button", { name: /hostPID line 6$/ }).click();
  await eventually(selected, "hostPID: true");
  await page.keyboard.insertText("hostPID: false");
  await eventually(() => sentence(page), "Pod default/web would be admitted");
  await eventually(() => marks.count(), 0);
  await closed();
});

test("objects and policies make a grid that arrow keys move through", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "external-ips", "pod-security");
  const service = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {externalIPs: [192.0.2.1]}\n";
  await paste(page, "Objects", `${service}---\n${POD}`);
  const active = () =>
    page.evaluate(() => [
      document.activeElement?.closest("[role=row]")?.querySelector(".name")?.textContent,
      document.activeElement?.querySelector(".policy-name")?.textContent?.trim() ?? "object",
    ]);
  await page.locator("#grid [tabindex='0']").focus();
  await eventually(active, ["Service default/s", "object"]);
  for (const [key, expected] of /** @type {const} */ ([
    ["ArrowRight", ["Service default/s", "external-ips"]],
    ["ArrowDown", ["Pod default/web", "external-ips"]],
    ["End", ["Pod default/web", "pod-security"]],
    ["ArrowRight", ["Pod default/web", "pod-security"]],
    ["Control+Home", ["Service default/s", "object"]],
    ["Control+End", ["Pod default/web", "pod-security"]],
  ])) {
    await page.keyboard.press(key);
    await eventually(active, expected, key);
  }
  await page.keyboard.press("Enter");
  await page.locator("#detail-heading").filter({ hasText: "pod-security: Pod default/web" }).waitFor();
  await eventually(() => page.locator("#grid [aria-selected=true]").count(), 1);
  // Tab leaves the grid: one cell of it is in the order of the keyboard.
  await eventually(() => page.locator("#grid [tabindex='0']").count(), 1);
  await closed();
});

test("a stored object makes an update, and its lines are marked where they are", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "node-labels");
  const node = (/** @type {string} */ label) =>
    `apiVersion: v1\nkind: Node\nmetadata:\n  name: worker-1\n  labels:\n    ${label}\n`;
  await paste(page, "Objects", node("node-role.kubernetes.io/control-plane: ''"));
  await eventually(() => outcome(page, "node-labels"), /^Not looked at/);
  await request(page, { User: "kubelet" });
  await eventually(() => outcome(page, "node-labels"), /^Denied/);
  await request(page, { Operation: "UPDATE" });
  await paste(page, "Objects", node("other: x"));
  await paste(page, "Stored objects", node("node-role.kubernetes.io/control-plane: ''"));
  await eventually(() => page.locator("#detail .at").first().innerText(), /^stored objects, line 6$/);
  await eventually(() => page.locator("#old-objects .cm-lintRange-error").count(), 1);
  await page.locator("#request > summary").click();
  const text = page.locator("#request pre").first();
  await text.filter({ hasText: "UPDATE" }).waitFor();
  const sent = JSON.parse((await text.textContent()) ?? "");
  assert.equal(sent.userInfo.username, "system:node:worker-1");
  assert.equal(sent.oldObject.metadata.name, "worker-1");
  await closed();
});

test("an object can have a request of its own", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "node-labels");
  const node = (/** @type {string} */ name) =>
    `apiVersion: v1\nkind: Node\nmetadata: {name: ${name}, labels: {node-role.kubernetes.io/control-plane: ''}}\n`;
  await paste(page, "Objects", `${node("a")}---\n${node("b")}`);
  await select(page, "request");
  await page.locator("#own-request-object").selectOption({ label: "Node b" });
  await page.locator("#own-request-add").click();
  await page.locator(".own-request").getByLabel("User", { exact: true }).selectOption("kubelet");
  await page.locator(".own-request").getByLabel("Node name", { exact: true }).fill("b");
  await eventually(() => titles(page), ["Node b", "Node a"]);
  await eventually(() => outcome(page, "node-labels"), /^Denied/);
  await page.getByRole("button", { name: "Remove the request about Node b" }).click();
  await eventually(() => titles(page), ["Node a", "Node b"]);
  await eventually(async () => (await rows(page))[1]?.cells["node-labels"], /^Not looked at/);
  await closed();
});

test("look-ups read the cluster, and an unreachable API server results in a denial", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await example(page, "create-allowed:", "external-ips");
  await eventually(() => sentence(page), /would be admitted$/);
  await select(page, "cluster");
  await page.getByLabel("Simulate an unreachable API server").check();
  await eventually(() => sentence(page), /would be denied$/);
  await eventually(() => page.locator("#detail").innerText(), /the API server does not answer/);
  await closed();
});

test("invalid input is reported with its place and keeps the text", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  for (const [label, text, message] of /** @type {const} */ ([
    ["Objects", `${POD}  - name: [a\n`, /^Objects: Invalid YAML near line 12: unclosed bracket '\['$/],
    ["Objects", "apiVersion: v1\nmetadata: {}\n", /^Objects: .*no kind/],
    ["Settings of pod-security", "\nlevle: baseline\n", /levle: .*did you mean level\?/],
    ["Settings of pod-security", "level: basline\n", /level: .*basline.*baseline/],
    ["Cluster", "a: b: c\n", /^Cluster: Invalid YAML near line 1: .*; check the indentation, or look for /],
    ["Settings of pod-security", "a: [b", /^pod-security, settings: Invalid YAML near line 1: unclosed bracket/],
  ])) {
    await paste(page, "Objects", POD);
    await eventually(() => problems(page), []);
    await paste(page, label, text);
    await eventually(async () => (await problems(page))[0], message);
    const saved = async () => {
      const { objects, cluster, policies } = await savedInput(page);
      return [objects, cluster, policies.find(({ id }) => id === "pod-security")?.settings ?? ""];
    };
    await eventually(saved, (/** @type {string[]} */ texts) => texts.includes(text));
    if (label === "Objects" && text.startsWith(POD)) {
      await page.locator("#problems").getByRole("button", { name: "near line 12", exact: true }).click();
      await eventually(() => page.locator("#objects .cm-activeLine").textContent(), "  - name: [a");
    }
    await paste(page, label, "");
  }
  await closed();
});

test("a fix is previewed, and applied by a second click", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await baseline(page);
  const commented = POD.replace("hostPID: true", "hostPID: true # why?");
  await paste(page, "Objects", commented);
  await page.getByRole("button", { name: "Fix Privileged Containers…" }).click();
  await page.locator("#fix .cm-editor").first().waitFor();
  await eventually(() => page.locator("#fix-heading").innerText(), /would remove 1 violation/);
  await page.locator("#fix").getByRole("button", { name: "Close" }).click();
  await page.locator("#fix").waitFor({ state: "hidden" });
  assert.equal((await savedInput(page)).objects, commented);
  await page.getByRole("button", { name: "Fix all…" }).click();
  await page.locator("#fix-apply").click();
  await page.locator("#sentence").filter({ hasText: "would be admitted" }).waitFor();
  // The edit is one that can be undone.
  await select(page, "objects");
  await page.getByRole("textbox", { name: "Objects", exact: true }).focus();
  await page.keyboard.press("ControlOrMeta+z");
  await page.locator("#sentence").filter({ hasText: "would be denied" }).waitFor();
  await eventually(async () => (await savedInput(page)).objects, commented);
  await closed();
});

test("an import says what is carried over, what is not, and the verdicts", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await paste(page, "Objects", POD);
  const kyverno = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: psa}
spec:
  validationFailureAction: Enforce
  rules:
  - name: restricted
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      podSecurity:
        level: baseline
        version: latest
        exclude:
        - controlName: Host Namespaces
`;
  await typeImport(page, kyverno);
  await page.locator("#import-verdicts table").waitFor();
  await eventually(() => page.locator("#import-result .recognised").innerText(), /Kyverno/);
  await page.locator("#import-result .mappings tbody tr").nth(1).waitFor();
  await eventually(() => page.locator("#import-verdicts").innerText(), /Pod default\/web/);
  await page.locator("#import-result .mappings button.line").first().click();
  await page.locator("#import-apply").click();
  await page.locator("#status").filter({ hasText: "Imported: Kyverno" }).waitFor();
  await settled(page);
  const imported = (await savedInput(page)).policies.filter(({ enabled }) => enabled);
  // One policy denies, and one is for audits in the background.
  assert.deepEqual(new Set(imported.map(({ id }) => id)), new Set(["pod-security"]));
  assert.match(JSON.stringify(imported), /baseline/);
  await closed();
});

test("a link stores the case in its fragment and says what has changed", async () => {
  const { page, context, closed } = await open(host.browser, host.url);
  await permitClipboard(context);
  await only(page, "pod-security", "selinux");
  await paste(page, "Objects", `# größe 漢字 😀\n${POD}`);
  await paste(page, "Cluster", "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n");
  await request(page, { User: "named" });
  await request(page, { "Groups (comma-separated)": "a, b" });
  const shared = await savedInput(page);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByLabel("Title").fill("Host PID");
  await page.getByLabel("Note").fill("Why is this denied?");
  /** Copies the link until it contains the last change. @param {RegExp} change */
  const copied = async (change) => {
    const copy = async () => {
      await page.locator("#share-copy").click();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const link = await eventually(copy, (/** @type {string} */ link) => change.test(contents(link)), `${change}`);
    await page.locator("#share-status").filter({ hasText: "Link copied." }).waitFor();
    return link;
  };
  const link = await copied(/Host PID.*Why is this denied\?/);
  assert.ok(link.startsWith(`${host.url}#3:`) && link.length < 1500, link);
  await page.locator("#share").getByText("Expected outcomes").click();
  await page.getByRole("combobox", { name: /^Expected: Pod default\/web, pod-security/ }).selectOption("Passed");
  const surprising = await copied(/"outcome":"Passed"/);
  await page.locator("#share").getByRole("button", { name: "Close" }).click();
  // A change of the input removes the outdated link from the address bar.
  await paste(page, "Cluster", "");
  await eventually(() => page.url(), host.url);
  await closed();

  const expectation = (/** @type {Page} */ page) => page.locator("#expectation").innerText();
  const status = (/** @type {Page} */ page) => page.locator("#status").textContent();
  const other = await open(host.browser, link);
  await eventually(() => savedInput(other.page), shared);
  await eventually(() => expectation(other.page), /^Host PID: every outcome is as expected/);
  await eventually(() => other.page.title(), /^Host PID · /);
  await eventually(() => status(other.page), /Why is this denied\?/);
  await other.closed();

  const changed = await open(host.browser, surprising);
  await eventually(() => expectation(changed.page), /expected .*admitted.*, now denied/i);
  await changed.closed();

  const truncated = await open(host.browser, link.slice(0, -20));
  await eventually(() => status(truncated.page), /^The link cannot be read: it is truncated/);
  await eventually(() => sentence(truncated.page), /would be denied/);
  await truncated.closed();
});

/** Returns the JSON text in a link, if there is one. @param {string} link */
function contents(link) {
  const packed = /#3:(.*)/.exec(link)?.[1];
  return packed === undefined ? "" : inflateRawSync(Buffer.from(packed, "base64url")).toString();
}

test("a case becomes a test file, and opens again", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await baseline(page);
  await paste(page, "Objects", `${POD}---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n`);
  const shared = await savedInput(page);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByLabel("Title").fill("A privileged pod");
  // The warnings move the tabs. A tab that moves while it is pressed is not clicked.
  await eventually(() => page.locator("#share-warnings").innerText(), /Secret/);
  await page.locator("#share-yaml-tab").click();
  const text = page.locator("#share-yaml pre").first();
  await text.filter({ hasText: "A privileged pod" }).waitFor();
  const yaml = (await text.textContent()) ?? "";
  await page.locator("#share-issue-tab").click();
  await eventually(() => page.locator("#share-issue pre").innerText(), /A privileged pod/);
  await page.locator("#share").getByRole("button", { name: "Close" }).click();
  await example(page, "tour");
  await typeImport(page, yaml);
  await page.getByRole("button", { name: "Open the test file" }).click();
  await page.locator("#status").filter({ hasText: "Opened from a test file." }).waitFor();
  await eventually(() => outcome(page, "pod-security"), /^Denied/);
  const opened = await savedInput(page);
  assert.equal(opened.policies.find(({ id }) => id === "pod-security")?.enabled, true);
  assert.match(opened.objects, /hostPID: true/);
  assert.notEqual(shared.objects, "");
  await closed();
});

test("results are exported as reports and command lines", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await page.getByRole("button", { name: "Export", exact: true }).click();
  // WebDriver BiDi does not say what is downloaded.
  await page.evaluate(() => {
    const create = URL.createObjectURL;
    URL.createObjectURL = (saved) => {
      Object.assign(window, { saved });
      return create(saved);
    };
  });
  const markdown = page.locator("#export").getByRole("button", { name: "Markdown" });
  const before = await markdown.boundingBox();
  const commands = page.locator("#export pre");
  await eventually(async () => (await commands.allTextContents()).join("\n"), /portcullis scan/);
  assert.deepEqual(await markdown.boundingBox(), before, "the buttons stay where they are");
  for (const [label, file, pattern] of /** @type {const} */ ([
    ["Markdown", "portcullis.md", /pod-security/],
    ["SARIF", "portcullis.sarif", /"version": ?"2\.1\.0"/],
    ["HTML", "portcullis.html", /^<!doctype html>/i],
  ])) {
    await page.locator("#export").getByRole("button", { name: label }).click();
    await page
      .locator("#export-status")
      .filter({ hasText: `${file} downloaded.` })
      .waitFor();
    await eventually(() => page.evaluate(() => /** @type {any} */ (window).saved.text()), pattern, label);
  }
  await closed();
});

test("examples have links, history entries and titles", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await paste(page, "Objects", POD);
  const draft = await savedInput(page);
  await example(page, "create-denied:", "external-ips");
  const loaded = await savedInput(page);
  const address = /#example=external-ips\/create-denied$/;
  await eventually(() => page.url(), address);
  await eventually(() => page.title(), /^create-denied: .* · Portcullis playground$/);
  await page.evaluate(() => history.back());
  await page.locator("#grid .name").filter({ hasText: "Pod default/web" }).waitFor();
  await eventually(() => savedInput(page), draft);
  await page.evaluate(() => history.forward());
  await page.locator("#grid .name").filter({ hasText: "Service shop/web" }).waitFor();
  await eventually(() => savedInput(page), loaded);
  const link = await eventually(() => page.url(), address);
  await closed();
  const other = await open(host.browser, link);
  await eventually(() => savedInput(other.page), loaded);
  await other.closed();
});

test("a draft survives a reload and can be restored after loading an example", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await baseline(page);
  await paste(page, "Objects", POD);
  const draft = await savedInput(page);
  await page.reload();
  await eventually(() => savedInput(page), draft);
  await example(page, "mesh:", "pod-security");
  assert.notDeepEqual(await savedInput(page), draft);
  await undo(page).click();
  await eventually(() => savedInput(page), draft);
  await closed();
});

test("keys of settings and objects are completed", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await paste(page, "Settings of pod-security", "exclude:\n- ");
  await typeUntilOffered(page, "contr", "controlName");
  await page.keyboard.press("Escape");
  await paste(
    page,
    "Objects",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n    ",
  );
  await typeUntilOffered(page, "secu", "securityContext");
  // CodeMirror ignores keys in the first 75 ms of a list.
  await delay(150);
  await page.keyboard.press("Enter");
  await eventually(async () => (await savedInput(page)).objects, /\n {4}securityContext: $/);
  await closed();
});

/**
 * Types the beginning of a key at the end of the focused editor until the whole key is offered
 * first: an editor loads completion when it is first used.
 *
 * @param {Page} page
 * @param {string} typed
 * @param {string} key
 */
async function typeUntilOffered(page, typed, key) {
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type(typed);
  // The list of an older text is disabled until it is replaced.
  const offered = page
    .locator(".cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled) li[aria-selected=true]")
    .filter({ hasText: key });
  const isOffered = () =>
    offered.waitFor({ timeout: 10_000 }).then(
      () => true,
      () => false,
    );
  await eventually(
    async () => {
      if (await isOffered()) return true;
      await page.keyboard.press("Backspace");
      await page.keyboard.type(typed.slice(-1));
      return false;
    },
    true,
    key,
  );
}

test("objects are formatted with their comments", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await paste(page, "Objects", "# a\nkind:   Pod # b\napiVersion: v1\nmetadata:\n     name:  'x'\n");
  await page.getByRole("button", { name: "Format" }).click();
  await eventually(
    async () => (await savedInput(page)).objects,
    "# a\nkind: Pod # b\napiVersion: v1\nmetadata:\n  name: 'x'\n",
  );
  await paste(page, "Objects", "a: [b");
  await page.getByRole("button", { name: "Format" }).click();
  await page.locator("#status").filter({ hasText: "not formatted: line 1" }).waitFor();
  await closed();
});

test("a mutation is shown with its decoded patch, and fits a phone", async () => {
  const { page, closed } = await open(host.browser, host.url, { viewport: { width: 1800, height: 900 } });
  await only(page, "selinux");
  await paste(page, "Cluster", "{apiVersion: v1, kind: Namespace, metadata: {name: default, uid: a}}");
  await paste(page, "Objects", POD.replace("  hostPID: true\n", ""));
  await eventually(() => outcome(page, "selinux"), "Changed");
  await eventually(() => page.locator("#detail .cm-mergeView .cm-editor").count(), 2);
  await page.locator("#response > summary").click();
  await eventually(() => page.locator("#response table").innerText(), /add\s+spec\.securityContext/);
  await closed();

  const phone = await open(host.browser, host.url, { viewport: { width: 390, height: 844 }, hasTouch: true });
  await only(phone.page, "selinux");
  await paste(phone.page, "Objects", POD.replace("  hostPID: true\n", ""));
  await eventually(() => phone.page.locator("#detail .diff .cm-editor").count(), 1);
  await eventually(
    () => phone.page.evaluate(() => document.documentElement.scrollWidth),
    (/** @type {number} */ width) => width <= 390,
  );
  await phone.page.locator("#bar").click();
  await eventually(() => focused(phone.page), "verdict-heading");
  await phone.closed();
});

test("the deployment manifest contains the settings", async () => {
  const { page, context, closed } = await open(host.browser, host.url);
  await permitClipboard(context);
  await only(page, "pod-security");
  await paste(page, "Settings of pod-security", "level: restricted\nversion: v1.30\n");
  await page.locator("#deploy > summary").click();
  const text = page.locator("#deploy pre");
  await text.filter({ hasText: "version: v1.30" }).waitFor();
  // The button says so for two seconds, which a test can miss.
  await page.locator("#deploy").evaluate((deploy) => {
    const said = Object.assign(window, { said: "" });
    new MutationObserver(() => (said.said += deploy.textContent)).observe(deploy, {
      childList: true,
      subtree: true,
    });
  });
  await page.locator("#deploy").getByRole("button", { name: "Copy" }).click();
  await eventually(() => page.evaluate(() => /** @type {any} */ (window).said), /Copied/);
  const copied = await eventually(
    () => page.evaluate(() => navigator.clipboard.readText()),
    /kind: ClusterAdmissionPolicy[\s\S]*settings:\n {4}level: restricted\n {4}version: v1\.30\n/,
  );
  assert.equal(copied, await text.textContent());
  await closed();
});

test("the page handles huge inputs", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  const container = (/** @type {number} */ index) =>
    `  - {name: c${index}, securityContext: {privileged: true}}\n`;
  const containers = Array.from({ length: 20_000 }, (_, index) => container(index)).join("");
  const huge = `apiVersion: v1\nkind: Pod\nmetadata: {name: huge}\nspec:\n  containers:\n${containers}`;
  await page.evaluate(countTurns);
  await pasteMany(page, huge, 0, 1);
  await eventually(() => outcome(page, "pod-security"), /^Denied [\d,]+ violations$/);
  // The page stays responsive while the worker evaluates.
  const turns = () => page.evaluate(() => /** @type {{ turns?: number }} */ (window).turns);
  await eventually(turns, (/** @type {number} */ turns) => turns > 0);

  const pod = (/** @type {number} */ index) => POD.replace("name: web", `name: web-${index}`);
  await paste(page, "Objects", Array.from({ length: 200 }, (_, index) => pod(index)).join("---\n"));
  await eventually(async () => (await rows(page)).length, 50);
  await page.getByRole("button", { name: "Show more objects (150 remaining)" }).click();
  await eventually(async () => (await rows(page)).length, 100);
  await eventually(() => sentence(page), "200 of 200 objects would be denied");

  // A single line with a character before the mark that takes two UTF-16 code units.
  const one = JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "one", annotations: { a: "😀" } },
    spec: { hostPID: true, containers: [{ name: "a" }] },
  });
  await paste(page, "Settings of pod-security", "level: baseline");
  await paste(page, "Objects", one);
  await eventually(() => page.locator("#objects .cm-lintRange-error").allTextContents(), ['"hostPID":true']);

  for (const deep of ["[".repeat(200_000), `a: ${"{a: ".repeat(50_000)}`, "- ".repeat(100_000)]) {
    await paste(page, "Objects", deep);
    const unreadable = page.locator("#problems li, #grid .spanning");
    await eventually(
      () => unreadable.count(),
      (/** @type {number} */ count) => count > 0,
    );
    assert.doesNotMatch(await page.locator("#verdict-pane").innerText(), /browser could not/);
  }
  await paste(page, "Objects", POD);
  await eventually(async () => (await savedInput(page)).objects, POD);
  await eventually(() => sentence(page), "Pod default/web would be denied");
  await closed();
});

/** Counts the turns of the event loop of the page between the start and the end of an evaluation.
/** */
function countTurns() {
  const counter = Object.assign(window, { turns: 0 });
  /** @type {number[]} */
  const turns = [];
  setInterval(() => turns.push(performance.now()), 1);
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntriesByName("evaluate")) {
      counter.turns += turns.filter((turn) => turn > startTime && turn < startTime + duration).length;
    }
  }).observe({ type: "measure" });
}

test("a visit loads the whole engine and the cases only when they are needed", async () => {
  const site = await serve("/");
  const { page, closed } = await open(host.browser, site.url);
  const later = () => site.requested.filter((file) => /^assets\/(whole|cases\/)/.test(file));
  await controlled(page);
  await paste(page, "Objects", POD);
  await paste(page, "Settings of pod-security", "level: baseline");
  await request(page, { User: "kubelet" });
  await cell(page, "Pod default/web", "selinux");
  assert.deepEqual(later(), []);
  await mode(page, "node-pods", "As deployed");
  await eventually(() => later().join(), /whole_bg.*\.wasm/);
  await closed();
  site.close();
});

test("what only the whole engine evaluates is not known until it is loaded", async () => {
  /** @type {(value?: unknown) => void} */
  let release = () => {};
  const held = new Promise((resolve) => (release = resolve));
  const site = await serve("/", { before: (file) => (/whole_bg.*\.wasm$/.test(file) ? held : undefined) });
  const { page, closed } = await open(host.browser, site.url);
  await only(page, "node-pods");
  await paste(page, "Objects", POD);
  const word = () => page.locator("#grid .cell .word").first().textContent();
  await eventually(word, "Not looked at");
  await select(page, "policies");
  await page.getByRole("combobox", { name: "What node-pods evaluates" }).selectOption("As deployed");
  await page.locator("#loading").filter({ hasText: "loading" }).waitFor();
  await page.locator("#grid .cell.Unknown").waitFor();
  await eventually(word, "Not known");
  await eventually(
    () => page.locator("#sentence").textContent(),
    "It is not known whether Pod default/web would be admitted",
  );
  assert.equal(await page.locator("#verdict-pane").getAttribute("aria-busy"), "true");
  release();
  await settled(page);
  await eventually(word, "Not looked at");
  await page.locator("#loading").waitFor({ state: "hidden" });
  await closed();
  site.close();
});

test("without the whole engine, the verdict stays unknown and says why", async () => {
  let works = false;
  const refuse = () => {
    if (!works) throw new Error("refused");
  };
  const site = await serve("/", { before: (file) => (/whole_bg.*\.wasm$/.test(file) ? refuse() : undefined) });
  const { page, context } = await open(host.browser, site.url);
  await only(page, "node-pods");
  await paste(page, "Objects", POD);
  await mode(page, "node-pods", "As deployed");
  await eventually(() => page.locator("#problems").innerText(), /^The rest of the engine could not be loaded/);
  await eventually(() => sentence(page), /^It is not known/);
  works = true;
  await paste(page, "Objects", `${POD}# again\n`);
  await eventually(() => outcome(page, "node-pods"), /^Not looked at/);
  await context.close();
  site.close();
});

test("the page works below any path, and offline once loaded", async () => {
  const folder = await serve("/some/folder/");
  const { page, context, closed } = await open(host.browser, folder.url);
  await controlled(page);
  // The service worker caches the whole engine and the cases when they are first used.
  await example(page, "Cases", "selinux");
  const loaded = await rows(page);
  const used = folder.requested.filter((file) => /^assets\/(whole|cases\/)/.test(file));
  assert.match(used.join(), /whole_bg.*\.wasm.*cases\/|cases\/.*whole_bg.*\.wasm/);
  await eventually(() => page.evaluate(notCached, used), []);
  folder.close();
  await context.setOffline(true);
  await page.reload();
  await eventually(() => rows(page), loaded);
  await example(page, "tour");
  await eventually(async () => (await rows(page)).length, 4);
  await example(page, "Cases", "selinux");
  await eventually(async () => (await rows(page)).length, 1);
  await closed();
});

/**
 * Waits for the service worker.
 *
 * @param {Page} page
 */
async function controlled(page) {
  await eventually(() => page.evaluate(() => navigator.serviceWorker.controller !== null), true);
}

/** Returns the files that the service worker has not cached. @param {string[]} files */
async function notCached(files) {
  const found = await Promise.all(files.map((file) => caches.match(file)));
  return files.filter((_, index) => !found[index]);
}

test("the page reports that its module cannot be loaded and keeps the draft", async () => {
  const { page, context } = await open(host.browser, host.url);
  await paste(page, "Objects", POD);
  const draft = await savedInput(page);
  // Unregister the service worker, whose cached module would bypass the route below. One that the
  // page still installs would come back.
  await controlled(page);
  await page.evaluate(async () => {
    for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister();
  });
  await context.route("**/*.wasm", (route) => route.abort());
  await page.goto("about:blank");
  await page.goto(host.url);
  await page.locator("#problems").filter({ hasText: "could not start" }).waitFor();
  await eventually(() => page.locator("#inputs").getAttribute("inert"), "");
  await context.unroute("**/*.wasm");
  await page.reload();
  await eventually(() => savedInput(page), draft);
  await context.close();
});

test("the search finds samples and cases", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  await page.locator("#examples-policy").selectOption("node-pods");
  const buttons = page.locator("#examples-list button");
  await page.locator("#examples-list h3").filter({ hasText: "Cases of node-pods: labels" }).waitFor();
  const all = await eventually(
    () => buttons.count(),
    (/** @type {number} */ all) => all > 100,
  );
  assert.equal(await page.locator("#examples-list h3").filter({ hasText: "could not be loaded" }).count(), 0);
  await page.getByRole("searchbox", { name: "Search" }).fill("munge label");
  const isSome = (/** @type {number} */ some) => some > 0 && some < all;
  await eventually(() => buttons.count(), isSome, `some of ${all}`);
  await page.getByRole("searchbox", { name: "Search" }).fill("no such words");
  await eventually(() => page.locator("#examples-list").innerText(), "No examples found.");
  await page.getByRole("searchbox", { name: "Search" }).fill("cases");
  const title = (await buttons.first().locator("span").first().textContent()) ?? "";
  await buttons.first().click();
  await page.locator("#status").filter({ hasText: title }).waitFor();
  await eventually(async () => (await rows(page)).length, 1);
  await closed();
});

test("only scripts of the page run", async () => {
  const html = await readFile(join(SITE, "index.html"), "utf8");
  assert.doesNotMatch(html, /<script(?![^>]*\ssrc="\.\/assets\/)/);
  assert.doesNotMatch(html, /\son[a-z]+="|unsafe-eval'(?<!wasm-unsafe-eval')/);
  const context = await patientContext(host.browser);
  const { problems } = watch(context, host.url);
  const page = await context.newPage();
  await page.goto(host.url);
  await settled(page);
  // A script that is allowed runs before append returns.
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.documentElement.dataset.ran = ''";
    document.head.append(script);
    return "ran" in document.documentElement.dataset;
  });
  assert.equal(ran, false);
  // Firefox does not report the blocked script as a message of the console.
  if (!isFirefox) await eventually(() => problems.join("\n"), /Content Security Policy/);
  // Pasted text is never interpreted as HTML.
  await paste(
    page,
    "Objects",
    "apiVersion: v1\nkind: <img src=x onerror=alert(1)>\nmetadata: {name: '<b>b</b>'}\n",
  );
  await eventually(async () => (await titles(page))[0], /<img src=x onerror=alert\(1\)> .*<b>b<\/b>/);
  assert.equal(await page.locator("#verdict-pane img, #verdict-pane b, #outline b").count(), 0);
  await context.close();
});

test("the page contains no paths of the build machine", async () => {
  const paths = [join(homedir(), ".cargo"), dirname(dirname(dirname(SITE)))];
  const files = (await readdir(SITE, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  assert.ok(files.length > 10);
  for (const { parentPath, name } of files) {
    const text = await readFile(join(parentPath, name), "latin1");
    for (const path of paths) assert.ok(!text.includes(`${path}/`), `${path} is in ${name}`);
  }
});

test("the details of a cell stay those of the chosen cell while typing", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await cell(page, "Service shop/web", "external-ips");
  const objects = (await savedInput(page)).objects;
  await paste(page, "Objects", `${objects}# a comment\n`);
  await eventually(() => page.locator("#detail-heading").textContent(), "external-ips: Service shop/web");
  await closed();
});
