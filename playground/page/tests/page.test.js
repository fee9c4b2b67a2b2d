// Interactions with the page and their results.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { isFirefox } from "./browser.js";
import {
  cell,
  example,
  fixture,
  mode,
  only,
  open,
  paste,
  pasteMany,
  request,
  rows,
  savedInput,
  sentence,
  settled,
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
  assert.equal(await sentence(page), "Pod default/web would be denied");
  assert.deepEqual((await rows(page))[0]?.cells, { "pod-security": "Denied 2 violations" });
  const [hostPid, privileged] = await violations(page);
  assert.match(hostPid ?? "", /^spec\.hostPID: Invalid value: true: Host Namespaces/);
  assert.match(privileged ?? "", /^spec\.containers\[0\]\.securityContext\.privileged: Invalid value: true/);
  assert.deepEqual(await page.locator("#objects .cm-lintRange-error").allTextContents(), [
    "hostPID: true",
    "privileged: true",
  ]);
  await page.getByRole("button", { name: /privileged line 10$/ }).click();
  await page.keyboard.insertText("privileged: false");
  await settled(page);
  assert.equal((await violations(page)).length, 1);
  await page.getByRole("button", { name: /hostPID line 6$/ }).click();
  await page.keyboard.insertText("hostPID: false");
  await settled(page);
  assert.equal(await sentence(page), "Pod default/web would be admitted");
  assert.equal(await page.locator("#objects .cm-lintRange-error").count(), 0);
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
  assert.deepEqual(await active(), ["Service default/s", "object"]);
  for (const [key, expected] of /** @type {const} */ ([
    ["ArrowRight", ["Service default/s", "external-ips"]],
    ["ArrowDown", ["Pod default/web", "external-ips"]],
    ["End", ["Pod default/web", "pod-security"]],
    ["ArrowRight", ["Pod default/web", "pod-security"]],
    ["Control+Home", ["Service default/s", "object"]],
    ["Control+End", ["Pod default/web", "pod-security"]],
  ])) {
    await page.keyboard.press(key);
    assert.deepEqual(await active(), expected, key);
  }
  await page.keyboard.press("Enter");
  await page.locator("#detail-heading").filter({ hasText: "pod-security: Pod default/web" }).waitFor();
  assert.equal(await page.locator("#grid [aria-selected=true]").count(), 1);
  // Tab leaves the grid: one cell of it is in the order of the keyboard.
  assert.equal(await page.locator("#grid [tabindex='0']").count(), 1);
  await closed();
});

test("a stored object makes an update, and its lines are marked where they are", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "node-labels");
  const node = (/** @type {string} */ label) =>
    `apiVersion: v1\nkind: Node\nmetadata:\n  name: worker-1\n  labels:\n    ${label}\n`;
  await paste(page, "Objects", node("node-role.kubernetes.io/control-plane: ''"));
  assert.match((await rows(page))[0]?.cells["node-labels"] ?? "", /^Not looked at/);
  await request(page, { User: "kubelet" });
  assert.match((await rows(page))[0]?.cells["node-labels"] ?? "", /^Denied/);
  await request(page, { Operation: "UPDATE" });
  await paste(page, "Objects", node("other: x"));
  await paste(page, "Stored objects", node("node-role.kubernetes.io/control-plane: ''"));
  assert.match(await page.locator("#detail .at").first().innerText(), /^stored objects, line 6$/);
  assert.equal(await page.locator("#old-objects .cm-lintRange-error").count(), 1);
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
  await page.locator("#request-tab").click();
  await page.locator("#own-request-object").selectOption({ label: "Node b" });
  await page.locator("#own-request-add").click();
  await page.locator(".own-request").getByLabel("User", { exact: true }).selectOption("kubelet");
  await page.locator(".own-request").getByLabel("Node name", { exact: true }).fill("b");
  await settled(page);
  const shown = await rows(page);
  assert.deepEqual(
    shown.map(({ title }) => title),
    ["Node b", "Node a"],
  );
  assert.match(shown[0]?.cells["node-labels"] ?? "", /^Denied/);
  await page.getByRole("button", { name: "Remove the request about Node b" }).click();
  await settled(page);
  assert.match((await rows(page))[1]?.cells["node-labels"] ?? "", /^Not looked at/);
  await closed();
});

test("look-ups read the cluster, and an unreachable API server results in a denial", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await example(page, "create-allowed:", "external-ips");
  assert.match((await sentence(page)) ?? "", /would be admitted$/);
  await page.locator("#cluster-tab").click();
  await page.getByLabel("Simulate an unreachable API server").check();
  await settled(page);
  assert.match((await sentence(page)) ?? "", /would be denied$/);
  assert.match(await page.locator("#detail").innerText(), /the API server does not answer/);
  await closed();
});

test("invalid input is reported with its place and keeps the text", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  for (const [label, text, message] of /** @type {const} */ ([
    ["Objects", `${POD}  - name: [a\n`, /^Objects: .*YAML/],
    ["Objects", "apiVersion: v1\nmetadata: {}\n", /^Objects: .*no kind/],
    ["Settings of pod-security", "\nlevle: baseline\n", /levle: .*did you mean level\?/],
    ["Settings of pod-security", "level: basline\n", /level: .*basline.*baseline/],
    ["Cluster", "a: b: c\n", /^Cluster: .*YAML/],
  ])) {
    await paste(page, "Objects", POD);
    assert.deepEqual(await problems(page), []);
    await paste(page, label, text);
    assert.match((await problems(page))[0] ?? "", message);
    const input = await savedInput(page);
    const settings = input.policies.find(({ id }) => id === "pod-security")?.settings ?? "";
    assert.ok([input.objects, input.cluster, settings].includes(text));
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
  assert.match(await page.locator("#fix-heading").innerText(), /would remove 1 violation/);
  await page.locator("#fix").getByRole("button", { name: "Close" }).click();
  assert.equal((await savedInput(page)).objects, commented);
  await page.getByRole("button", { name: "Fix all…" }).click();
  await page.locator("#fix-apply").click();
  await page.locator("#sentence").filter({ hasText: "would be admitted" }).waitFor();
  // The edit is one that can be undone.
  await page.locator("#objects-tab").click();
  await page.getByRole("textbox", { name: "Objects", exact: true }).focus();
  await page.keyboard.press("ControlOrMeta+z");
  await page.locator("#sentence").filter({ hasText: "would be denied" }).waitFor();
  await settled(page);
  assert.equal((await savedInput(page)).objects, commented);
  await closed();
});

test("an import says what is carried over, what is not, and the verdicts", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await paste(page, "Objects", POD);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const source = page.getByRole("textbox", { name: "Policy to import" });
  await source.focus();
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
  await page.keyboard.insertText(kyverno);
  await page.locator("#import-verdicts table").waitFor();
  assert.match(await page.locator("#import-result .recognised").innerText(), /Kyverno/);
  assert.ok((await page.locator("#import-result .mappings tbody tr").count()) >= 2);
  assert.match(await page.locator("#import-verdicts").innerText(), /Pod default\/web/);
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
  const copied = async () => {
    await page.locator("#share-copy").click();
    await page.locator("#share-status").filter({ hasText: "Link copied." }).waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const link = await copied();
  assert.ok(link.startsWith(`${host.url}#2:`) && link.length < 1500, link);
  await page.locator("#share").getByText("Expected outcomes").click();
  await page.getByRole("combobox", { name: /^Expected: Pod default\/web, pod-security/ }).selectOption("Passed");
  await page.waitForTimeout(300);
  const surprising = await copied();
  await page.locator("#share").getByRole("button", { name: "Close" }).click();
  // A change of the input removes the outdated link from the address bar.
  await paste(page, "Cluster", "");
  assert.equal(page.url(), host.url);
  await closed();

  const other = await open(host.browser, link);
  assert.deepEqual(await savedInput(other.page), shared);
  assert.match(await other.page.locator("#expectation").innerText(), /^Host PID: every outcome is as expected/);
  assert.match(await other.page.title(), /^Host PID · /);
  assert.match((await other.page.locator("#status").textContent()) ?? "", /Why is this denied\?/);
  await other.closed();

  const changed = await open(host.browser, surprising);
  assert.match(await changed.page.locator("#expectation").innerText(), /expected .*admitted.*, now denied/i);
  await changed.closed();

  const truncated = await open(host.browser, link.slice(0, -20));
  assert.match(
    (await truncated.page.locator("#status").textContent()) ?? "",
    /^The link cannot be read: it is truncated/,
  );
  assert.match((await sentence(truncated.page)) ?? "", /would be denied/);
  await truncated.closed();
});

test("a case becomes a test file, and opens again", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await baseline(page);
  await paste(page, "Objects", `${POD}---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n`);
  const shared = await savedInput(page);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByLabel("Title").fill("A privileged pod");
  await page.locator("#share-yaml-tab").click();
  const text = page.locator("#share-yaml pre").first();
  await text.filter({ hasText: "A privileged pod" }).waitFor();
  const yaml = (await text.textContent()) ?? "";
  assert.match(await page.locator("#share-warnings").innerText(), /Secret/);
  await page.locator("#share-issue-tab").click();
  assert.match(await page.locator("#share-issue pre").innerText(), /A privileged pod/);
  await page.locator("#share").getByRole("button", { name: "Close" }).click();
  await example(page, "tour");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("textbox", { name: "Policy to import" }).focus();
  await page.keyboard.insertText(yaml);
  await page.getByRole("button", { name: "Open the test file" }).click();
  await page.locator("#status").filter({ hasText: "Opened from a test file." }).waitFor();
  assert.match((await rows(page))[0]?.cells["pod-security"] ?? "", /^Denied/);
  assert.equal((await savedInput(page)).policies.find(({ id }) => id === "pod-security")?.enabled, true);
  assert.match((await savedInput(page)).objects, /hostPID: true/);
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
    const saved = await page.evaluate(() => /** @type {any} */ (window).saved.text());
    assert.match(saved, pattern, label);
  }
  const commands = await page.locator("#export pre").allTextContents();
  assert.match(commands.join("\n"), /portcullis scan/);
  await closed();
});

test("examples have links, history entries and titles", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await paste(page, "Objects", POD);
  const draft = await savedInput(page);
  await example(page, "create-denied:", "external-ips");
  const loaded = await savedInput(page);
  assert.match(page.url(), /#example=external-ips\/create-denied$/);
  assert.match(await page.title(), /^create-denied: .* · Portcullis playground$/);
  await page.evaluate(() => history.back());
  await page.locator("#grid .name").filter({ hasText: "Pod default/web" }).waitFor();
  assert.deepEqual(await savedInput(page), draft);
  await page.evaluate(() => history.forward());
  await page.locator("#grid .name").filter({ hasText: "Service shop/web" }).waitFor();
  assert.deepEqual(await savedInput(page), loaded);
  const link = page.url();
  await closed();
  const other = await open(host.browser, link);
  assert.deepEqual(await savedInput(other.page), loaded);
  await other.closed();
});

test("a draft survives a reload and can be restored after loading an example", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await baseline(page);
  await paste(page, "Objects", POD);
  const draft = await savedInput(page);
  await page.reload();
  await settled(page);
  assert.deepEqual(await savedInput(page), draft);
  await example(page, "mesh:", "pod-security");
  assert.notDeepEqual(await savedInput(page), draft);
  await undo(page).click();
  await settled(page);
  assert.deepEqual(await savedInput(page), draft);
  await closed();
});

test("keys of settings and objects are completed", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await paste(page, "Settings of pod-security", "exclude:\n- ");
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("contr");
  await page.locator(".cm-tooltip-autocomplete li").filter({ hasText: "controlName" }).first().waitFor();
  await page.keyboard.press("Escape");
  await paste(
    page,
    "Objects",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n    ",
  );
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("secu");
  const option = page.locator(".cm-tooltip-autocomplete li").filter({ hasText: "securityContext" }).first();
  await option.waitFor();
  await page.waitForTimeout(150);
  await page.keyboard.press("Enter");
  await settled(page);
  assert.match((await savedInput(page)).objects, /\n {4}securityContext: $/);
  await closed();
});

test("objects are formatted with their comments", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await paste(page, "Objects", "# a\nkind:   Pod # b\napiVersion: v1\nmetadata:\n     name:  'x'\n");
  await page.getByRole("button", { name: "Format" }).click();
  await page.waitForFunction(() => /kind: Pod # b/.test(localStorage["portcullis.workspace"]));
  assert.equal((await savedInput(page)).objects, "# a\nkind: Pod # b\napiVersion: v1\nmetadata:\n  name: 'x'\n");
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
  assert.equal((await rows(page))[0]?.cells.selinux, "Changed");
  assert.equal(await page.locator("#detail .cm-mergeView .cm-editor").count(), 2);
  await page.locator("#response > summary").click();
  assert.match(await page.locator("#response table").innerText(), /add\s+spec\.securityContext/);
  await closed();

  const phone = await open(host.browser, host.url, { viewport: { width: 390, height: 844 }, hasTouch: true });
  await only(phone.page, "selinux");
  await paste(phone.page, "Objects", POD.replace("  hostPID: true\n", ""));
  assert.equal(await phone.page.locator("#detail .diff .cm-editor").count(), 1);
  assert.ok((await phone.page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await phone.page.locator("#bar").click();
  assert.equal(await phone.page.evaluate(() => document.activeElement?.id), "verdict-heading");
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
  await page.locator("#deploy").getByRole("button", { name: "Copy" }).click();
  await page.locator("#deploy").getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, await text.textContent());
  assert.match(
    copied,
    /kind: ClusterAdmissionPolicy[\s\S]*settings:\n {4}level: restricted\n {4}version: v1\.30\n/,
  );
  await closed();
});

test("the page handles huge inputs", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  const container = (/** @type {number} */ index) =>
    `  - {name: c${index}, securityContext: {privileged: true}}\n`;
  const containers = Array.from({ length: 20_000 }, (_, index) => container(index)).join("");
  const huge = `apiVersion: v1\nkind: Pod\nmetadata: {name: huge}\nspec:\n  containers:\n${containers}`;
  const pasted = pasteMany(page, huge, 0, 1);
  // The page stays responsive while the worker judges.
  await page.locator("#verdict-pane[aria-busy=true]").waitFor();
  await page.locator("#cluster-tab").click();
  assert.equal(await page.locator("#cluster-panel").isVisible(), true);
  await pasted;
  assert.match((await rows(page))[0]?.cells["pod-security"] ?? "", /^Denied [\d,]+ violations$/);

  const pod = (/** @type {number} */ index) => POD.replace("name: web", `name: web-${index}`);
  await paste(page, "Objects", Array.from({ length: 200 }, (_, index) => pod(index)).join("---\n"));
  assert.equal((await rows(page)).length, 50);
  await page.getByRole("button", { name: "Show more objects (150 remaining)" }).click();
  assert.equal((await rows(page)).length, 100);
  assert.equal(await sentence(page), "200 of 200 objects would be denied");

  // A single line with a character before the mark that takes two UTF-16 code units.
  const one = JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "one", annotations: { a: "😀" } },
    spec: { hostPID: true, containers: [{ name: "a" }] },
  });
  await paste(page, "Settings of pod-security", "level: baseline");
  await paste(page, "Objects", one);
  assert.deepEqual(await page.locator("#objects .cm-lintRange-error").allTextContents(), ['"hostPID":true']);

  for (const deep of ["[".repeat(200_000), `a: ${"{a: ".repeat(50_000)}`, "- ".repeat(100_000)]) {
    await paste(page, "Objects", deep);
    assert.doesNotMatch(await page.locator("#verdict-pane").innerText(), /browser could not/);
    assert.ok((await problems(page)).length > 0 || (await page.locator("#grid .spanning").count()) > 0);
  }
  await paste(page, "Objects", POD);
  assert.equal(await sentence(page), "Pod default/web would be denied");
  await closed();
});

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
  assert.ok(
    later().some((file) => /whole_bg.*\.wasm$/.test(file)),
    later().join(),
  );
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
  const outcome = async () => (await page.locator("#grid .cell .word").first().textContent()) ?? "";
  assert.equal(await outcome(), "Not looked at");
  await page.locator("#policies-tab").click();
  await page.getByRole("combobox", { name: "What node-pods judges" }).selectOption("As deployed");
  await page.locator("#loading").filter({ hasText: "loading" }).waitFor();
  await page.locator("#grid .cell.Unknown").waitFor();
  assert.equal(await outcome(), "Not known");
  assert.equal(
    await page.locator("#sentence").textContent(),
    "It is not known whether Pod default/web would be admitted",
  );
  assert.equal(await page.locator("#verdict-pane").getAttribute("aria-busy"), "true");
  release();
  await settled(page);
  assert.equal(await outcome(), "Not looked at");
  assert.equal(await page.locator("#loading").isVisible(), false);
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
  assert.match(await page.locator("#problems").innerText(), /^The rest of the engine could not be loaded/);
  assert.match((await sentence(page)) ?? "", /^It is not known/);
  works = true;
  await paste(page, "Objects", `${POD}# again\n`);
  assert.match((await rows(page))[0]?.cells["node-pods"] ?? "", /^Not looked at/);
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
  const whole = folder.requested.find((file) => /whole_bg.*\.wasm$/.test(file)) ?? "";
  await page.waitForFunction((file) => caches.match(file), whole);
  folder.close();
  await context.setOffline(true);
  await page.reload();
  await settled(page);
  assert.deepEqual(await rows(page), loaded);
  await example(page, "tour");
  assert.equal((await rows(page)).length, 4);
  await example(page, "Cases", "selinux");
  assert.equal((await rows(page)).length, 1);
  await closed();
});

/**
 * Waits for the service worker.
 *
 * @param {Page} page
 */
async function controlled(page) {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller) await new Promise((resolve) => setTimeout(resolve, 20));
  });
}

test("the page reports that its module cannot be loaded and keeps the draft", async () => {
  const { page, context } = await open(host.browser, host.url);
  await paste(page, "Objects", POD);
  const draft = await savedInput(page);
  // Unregister the service worker, whose cached module would bypass the route below.
  await page.evaluate(async () => {
    for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister();
  });
  await context.route("**/*.wasm", (route) => route.abort());
  await page.goto("about:blank");
  await page.goto(host.url);
  await page.locator("#problems").filter({ hasText: "could not start" }).waitFor();
  assert.equal(await page.locator("#inputs").getAttribute("inert"), "");
  await context.unroute("**/*.wasm");
  await page.reload();
  await settled(page);
  assert.deepEqual(await savedInput(page), draft);
  await context.close();
});

test("the search finds samples and cases", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  await page.locator("#examples-policy").selectOption("node-pods");
  const buttons = page.locator("#examples-list button");
  await page.locator("#examples-list h3").filter({ hasText: "Cases of node-pods: labels" }).waitFor();
  const all = await buttons.count();
  assert.ok(all > 100, `${all}`);
  assert.equal(await page.locator("#examples-list h3").filter({ hasText: "could not be loaded" }).count(), 0);
  await page.getByRole("searchbox", { name: "Search" }).fill("munge label");
  const some = await buttons.count();
  assert.ok(some > 0 && some < all, `${some} of ${all}`);
  await page.getByRole("searchbox", { name: "Search" }).fill("no such words");
  assert.equal(await page.locator("#examples-list").innerText(), "No examples found.");
  await page.getByRole("searchbox", { name: "Search" }).fill("cases");
  const title = (await buttons.first().locator("span").first().textContent()) ?? "";
  await buttons.first().click();
  await page.locator("#status").filter({ hasText: title }).waitFor();
  assert.equal((await rows(page)).length, 1);
  await closed();
});

test("only scripts of the page run", async () => {
  const html = await readFile(join(SITE, "index.html"), "utf8");
  assert.doesNotMatch(html, /<script(?![^>]*\ssrc="\.\/assets\/)/);
  assert.doesNotMatch(html, /\son[a-z]+="|unsafe-eval'(?<!wasm-unsafe-eval')/);
  const context = await host.browser.newContext();
  const { problems } = watch(context, host.url);
  const page = await context.newPage();
  await page.goto(host.url);
  await settled(page);
  const title = await page.title();
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'inline'";
    document.head.append(script);
  });
  await page.waitForTimeout(100);
  assert.equal(await page.title(), title);
  // Firefox does not report the blocked script as a message of the console.
  if (!isFirefox) assert.match(problems.join("\n"), /Content Security Policy/);
  // Pasted text is never interpreted as HTML.
  await paste(
    page,
    "Objects",
    "apiVersion: v1\nkind: <img src=x onerror=alert(1)>\nmetadata: {name: '<b>b</b>'}\n",
  );
  assert.equal(await page.locator("#verdict-pane img, #verdict-pane b, #outline b").count(), 0);
  assert.match((await rows(page))[0]?.title ?? "", /<img src=x onerror=alert\(1\)> .*<b>b<\/b>/);
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
  assert.equal(await page.locator("#detail-heading").textContent(), "external-ips: Service shop/web");
  await closed();
});
