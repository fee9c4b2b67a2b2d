// Interactions with the page and their results.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { choose, example, fixture, lines, open, paste, savedInput, settled, watch } from "./page.js";
import { SITE, serve } from "./server.js";

/** @import { Page } from "playwright-core" */

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
const verdict = (page) => page.locator("#verdicts h3").allTextContents();
/** @param {Page} page */
const problems = (page) => page.locator("#problems li").allTextContents();
/** @param {Page} page */
const undo = (page) => page.getByRole("button", { name: "Restore previous input" });

test("the verdict updates while typing and marks the lines of violations", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await choose(page, "pod-security");
  await paste(page, "Settings", "level: baseline");
  await paste(page, "Manifest", POD);
  assert.deepEqual(await verdict(page), ["Denied CREATE Pod default/web"]);
  const [hostPid, privileged] = await lines(page, "violations");
  assert.match(hostPid ?? "", /^spec\.hostPID: Invalid value: true: Host Namespaces/);
  assert.match(privileged ?? "", /^spec\.containers\[0\]\.securityContext\.privileged: Invalid value: true/);
  assert.deepEqual(await page.locator("#manifest .cm-lintRange-error").allTextContents(), [
    "hostPID: true",
    "privileged: true",
  ]);
  assert.equal(await page.locator("#manifest .cm-lint-marker-error").count(), 2);
  assert.equal(await page.locator("#summary").textContent(), "Denied: CREATE Pod default/web, 2 violations");

  await page.getByRole("button", { name: "line 10" }).click();
  await page.keyboard.insertText("privileged: false");
  await settled(page);
  assert.equal((await lines(page, "violations")).length, 1);
  await page.getByRole("button", { name: "line 6" }).click();
  await page.keyboard.insertText("hostPID: false");
  await settled(page);
  assert.deepEqual(await verdict(page), ["Admitted CREATE Pod default/web"]);
  assert.equal(await page.locator("#manifest .cm-lintRange-error").count(), 0);
  await closed();
});

test("each object of a manifest has its own verdict with its own lines", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await choose(page, "pod-security");
  const list = `kind: List\napiVersion: v1\nitems:\n- ${POD.replaceAll("\n", "\n  ").trim()}\n`;
  await paste(page, "Manifest", `${POD}---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\n---\n${list}`);
  await paste(page, "Settings", "{level: baseline}");
  const titles = [
    "Denied CREATE Pod default/web",
    "Admitted CREATE Service default/s",
    "Denied CREATE Pod default/web",
  ];
  assert.deepEqual(await verdict(page), titles);
  const named = await page.locator("#verdicts button.line").allTextContents();
  assert.deepEqual(named, ["line 6", "line 10", "line 25", "line 29"]);
  assert.match(await page.locator("#verdicts").innerText(), /This request is outside the scope of pod-security/);
  await closed();
});

test("the form sets operation, user and old object", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await choose(page, "node-labels");
  const node = (/** @type {string} */ label) =>
    `apiVersion: v1\nkind: Node\nmetadata:\n  name: worker-1\n  labels:\n    ${label}\n`;
  await paste(page, "Manifest", node("node-role.kubernetes.io/control-plane: ''"));
  await page.selectOption("#user", "kubelet");
  await settled(page);
  assert.deepEqual(await verdict(page), ["Denied CREATE Node worker-1"]);
  await page.selectOption("#user", "ordinary");
  await settled(page);
  assert.deepEqual(await verdict(page), ["Admitted CREATE Node worker-1"]);

  await page.selectOption("#operation", "UPDATE");
  await page.selectOption("#user", "kubelet");
  await settled(page);
  assert.deepEqual(await problems(page), [
    "Old object: Node worker-1 is missing; paste the stored object, or choose CREATE",
  ]);
  await paste(page, "Old object", node("other: x"));
  assert.deepEqual(await verdict(page), ["Denied UPDATE Node worker-1"]);
  // A removed label exists only in the old object and is marked there.
  await paste(page, "Manifest", node("other: x"));
  await paste(page, "Old object", node("node-role.kubernetes.io/control-plane: ''"));
  assert.deepEqual(await page.locator("#verdicts button.line").allTextContents(), ["old object, line 6"]);
  assert.equal(await page.locator("#old-object .cm-lintRange-error").count(), 1);

  await page.selectOption("#operation", "DELETE");
  await page.getByLabel("Node name", { exact: true }).fill("worker-2");
  await settled(page);
  assert.deepEqual(await verdict(page), ["Denied DELETE Node worker-1"]);
  await page.locator("#admission-request summary").click();
  const text = page.locator("#admission-request-text pre");
  await text.filter({ hasText: "DELETE" }).waitFor();
  const request = JSON.parse((await text.textContent()) ?? "");
  assert.deepEqual(request.userInfo, {
    groups: ["system:nodes", "system:authenticated"],
    username: "system:node:worker-2",
  });
  assert.equal(request.oldObject.metadata.name, "worker-1");
  await closed();
});

test("an AdmissionReview overrides operation and user", async () => {
  const { page, closed } = await open(host.browser, host.url);
  const review = await readFile(
    new URL("../../../policies/external-ips/samples/create-denied.request.json", import.meta.url),
    "utf8",
  );
  await page.selectOption("#operation", "DELETE");
  await paste(page, "Manifest", review);
  assert.deepEqual(await verdict(page), ["Denied CREATE Service shop/web"]);
  assert.equal(await page.locator("#operation").isDisabled(), true);
  const [line] = await page.locator("#verdicts button.line").allTextContents();
  const number = Number(line?.replace("line ", ""));
  assert.match(review.split("\n")[number - 1] ?? "", /192\.0\.2\.80/);
  await paste(page, "Manifest", "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n");
  assert.equal(await page.locator("#operation").isDisabled(), false);
  await closed();
});

test("look-ups read the cluster, and an unreachable API server results in a denial", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await choose(page, "external-ips");
  await example(page, "create-allowed:");
  assert.match((await verdict(page))[0] ?? "", /^Admitted/);
  await page.getByLabel("API server unreachable").check();
  await settled(page);
  assert.match((await verdict(page))[0] ?? "", /^Denied/);
  assert.match((await lines(page, "violations")).join(), /the API server does not answer/);
  await closed();
});

test("invalid input is reported with its line and keeps the text and the last verdict", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await choose(page, "pod-security");
  await paste(page, "Manifest", POD);
  const before = await verdict(page);

  for (const [label, text, message, line] of /** @type {const} */ ([
    ["Manifest", `${POD}  - name: [a\n`, /^Manifest: line \d+ .*YAML: /, true],
    ["Manifest", "apiVersion: v1\nmetadata: {}\n", /^Manifest: kind is missing; add it/, false],
    ["Manifest", "- a\n", /^Manifest: expected a Kubernetes object, found a list/, false],
    ["Manifest", "\n", /^Manifest: nothing to judge; paste a Kubernetes manifest or an AdmissionReview/, false],
    ["Settings", "\nlevle: baseline\n", /^Settings: settings, line 2 levle: .*did you mean level\?/, true],
    ["Settings", "level: basline\n", /^Settings: settings, line 1 level: "basline" .*baseline/, true],
    ["Settings", "- a\n", /^Settings: expected an object, found a list/, false],
    ["Settings", "a: 1\n---\nb: 1\n", /^Settings: expected one document, found 2/, false],
    ["Cluster", "apiVersion: v1\nkind: Namespace\n", /^Cluster: objects\[0\]: metadata: /, false],
    ["Cluster", "a: b: c\n", /^Cluster: cluster, line 1 .*YAML: /, true],
  ])) {
    await paste(page, label, text);
    const [problem] = await problems(page);
    assert.match(problem ?? "", message);
    assert.equal(
      (await page.locator(".cm-lintRange-error").count()) > 0 || problem?.includes("line"),
      line,
      problem,
    );
    // The last verdict remains visible and is marked as stale.
    assert.deepEqual(await verdict(page), before);
    assert.equal(await page.locator("#verdicts.stale").count(), 1);
    const input = await savedInput(page);
    assert.equal({ Manifest: input.manifest, Settings: input.settings, Cluster: input.cluster }[label], text);
    await paste(page, label, label === "Manifest" ? POD : "");
    assert.deepEqual(await problems(page), []);
    assert.equal(await page.locator("#verdicts.stale").count(), 0);
  }
  await closed();
});

test("a link stores the whole input in its fragment", async () => {
  const { page, context, closed } = await open(host.browser, host.url);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await choose(page, "selinux");
  await paste(page, "Manifest", `# größe 漢字 😀\n${POD}`);
  await paste(page, "Settings", "mode: Validate");
  await paste(page, "Cluster", "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n");
  await page.selectOption("#user", "named");
  await page.getByLabel("Groups").fill("a, b");
  const shared = await savedInput(page);
  const sharedVerdict = await verdict(page);
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.locator("#status").filter({ hasText: "Link copied." }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.startsWith(`${host.url}#1:`) && link.length < 600, link);
  // A change of the input removes the outdated link from the address bar.
  await paste(page, "Settings", "mode: Mutate");
  assert.equal(page.url(), host.url);

  const other = await open(host.browser, link);
  assert.deepEqual(await savedInput(other.page), shared);
  assert.deepEqual(await verdict(other.page), sharedVerdict);
  await choose(other.page, "pod-security");
  assert.equal((await savedInput(other.page)).manifest, shared.manifest);
  await other.closed();

  const truncated = await open(host.browser, link.slice(0, -20));
  assert.match(
    (await truncated.page.locator("#status").textContent()) ?? "",
    /^The link cannot be read: it is truncated/,
  );
  assert.equal((await verdict(truncated.page)).length, 1);
  await truncated.closed();

  // The input before opening a link can be restored.
  await page.goto("about:blank");
  await page.goto(link);
  await settled(page);
  assert.equal((await savedInput(page)).settings, "mode: Validate");
  await undo(page).click();
  await settled(page);
  assert.equal((await savedInput(page)).settings, "mode: Mutate");
  await closed();
});

test("a draft survives a reload and can be restored after loading an example", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await choose(page, "pod-security");
  await paste(page, "Manifest", POD);
  await page.selectOption("#operation", "DELETE");
  const draft = await savedInput(page);
  await page.reload();
  await settled(page);
  assert.deepEqual(await savedInput(page), draft);
  await example(page, "mesh:");
  assert.notDeepEqual(await savedInput(page), draft);
  await page.reload();
  await settled(page);
  await undo(page).click();
  await settled(page);
  assert.deepEqual(await savedInput(page), draft);
  await closed();
});

test("switching policies keeps the manifest and has separate settings", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await choose(page, "pod-security");
  await paste(page, "Manifest", POD);
  await paste(page, "Settings", "level: baseline");
  await choose(page, "selinux");
  const input = await savedInput(page);
  assert.deepEqual([input.manifest, input.settings], [POD, ""]);
  await page.reload();
  await settled(page);
  await choose(page, "pod-security");
  assert.equal((await savedInput(page)).settings, "level: baseline");
  await closed();
});

test("the last of several quick policy changes takes effect", async () => {
  const { page, closed } = await open(host.browser, host.url);
  const ids = await page.locator("#policy option").allTextContents();
  for (const id of [...ids, ...ids, "pod-security"]) await page.selectOption("#policy", id);
  await page.waitForFunction(() => /"policy":"pod-security"/.test(sessionStorage["portcullis.draft"] ?? ""));
  await settled(page);
  assert.equal(await page.locator("#policy").inputValue(), "pod-security");
  assert.match((await page.locator("#description").textContent()) ?? "", /Pod Security Standards/);
  assert.equal((await savedInput(page)).policy, "pod-security");
  assert.match((await savedInput(page)).manifest, /kind: Pod/);
  await closed();
});

test("the page reports that its module cannot be loaded and keeps the draft", async () => {
  const { page, context } = await open(host.browser, host.url);
  await choose(page, "selinux");
  await paste(page, "Manifest", POD);
  const draft = await savedInput(page);
  // Unregister the service worker, whose cached module would bypass the route below.
  await page.evaluate(async () => {
    for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister();
  });
  let fetches = 0;
  await context.route("**/*.wasm", (route) => {
    fetches++;
    return route.abort();
  });
  await page.goto("about:blank");
  await page.goto(host.url);
  await page.locator("#verdicts").filter({ hasText: "could not start" }).waitFor();
  await page.waitForTimeout(300);
  assert.ok(fetches <= 2, `${fetches}`);
  assert.equal(await page.locator("#inputs").getAttribute("inert"), "");
  await context.unroute("**/*.wasm");
  await page.reload();
  assert.deepEqual(await savedInput(page), draft);
  await context.close();
});

test("the search finds samples and cases", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await choose(page, "node-pods");
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  const buttons = page.locator("#examples-list button");
  await page.locator("#examples-list h3").filter({ hasText: "Cases: labels" }).waitFor();
  const all = await buttons.count();
  assert.ok(all > 100, `${all}`);
  assert.equal(await page.locator("#examples-list h3").filter({ hasText: "could not be loaded" }).count(), 0);
  await page.getByRole("searchbox", { name: "Search" }).fill("munge label");
  const some = await buttons.count();
  assert.ok(some > 0 && some < all, `${some} of ${all}`);
  await page.getByRole("searchbox", { name: "Search" }).fill("no such words");
  assert.equal(await page.locator("#examples-list").innerText(), "No examples found.");
  await page.getByRole("searchbox", { name: "Search" }).fill("cases:");
  const title = (await buttons.first().locator("span").first().textContent()) ?? "";
  await buttons.first().click();
  await page.locator("#status").filter({ hasText: title }).waitFor();
  await settled(page);
  assert.equal((await verdict(page)).length, 1);
  await closed();
});

test("a mutation is shown side by side, and as a unified diff on a phone", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await choose(page, "selinux");
  await paste(page, "Settings", "");
  await paste(page, "Cluster", "{apiVersion: v1, kind: Namespace, metadata: {name: default, uid: a}}");
  await paste(page, "Manifest", POD.replace("hostPID: true", "restartPolicy: Never"));
  assert.match((await verdict(page))[0] ?? "", /^Mutated/);
  assert.equal(await page.locator("#verdicts .cm-mergeView .cm-editor").count(), 2);
  assert.equal(await page.locator("#verdicts .cm-merge-a").getByText("seLinuxOptions").count(), 0);
  assert.ok((await page.locator("#verdicts .cm-merge-b").getByText("seLinuxOptions").count()) > 0);
  const input = await savedInput(page);
  await closed();

  const phone = await open(host.browser, host.url, { viewport: { width: 390, height: 844 }, hasTouch: true });
  await phone.page.evaluate((text) => {
    sessionStorage.clear();
    localStorage.setItem("portcullis.draft", text);
  }, JSON.stringify(input));
  await phone.page.reload();
  await settled(phone.page);
  assert.equal(await phone.page.locator("#verdicts .diff .cm-editor").count(), 1);
  assert.ok((await phone.page.locator("#verdicts .cm-inlineChangedLine, #verdicts .cm-changedLine").count()) > 0);
  // The page fits the screen, and the verdict bar is visible while typing.
  assert.equal(await phone.page.evaluate(() => document.documentElement.scrollWidth), 390);
  assert.match(await phone.page.locator("#bar").innerText(), /^Mutated: CREATE Pod default\/web/);
  await phone.page.locator("#bar").tap();
  assert.equal(await phone.page.evaluate(() => document.activeElement?.id), "verdict-heading");
  await phone.closed();
});

test("the deployment manifest contains the settings", async () => {
  const { page, context, closed } = await open(host.browser, host.url);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await choose(page, "pod-security");
  await page.locator("#deploy summary").click();
  const text = page.locator("#deploy-text pre");
  await paste(page, "Settings", "level: restricted\nversion: v1.30\n");
  await text.filter({ hasText: "version: v1.30" }).waitFor();
  await page.locator("#deploy").getByRole("button", { name: "Copy" }).click();
  await page.locator("#deploy").getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, await text.textContent());
  assert.match(
    copied,
    /kind: ClusterAdmissionPolicy[\s\S]*settings:\n {4}level: restricted\n {4}version: v1\.30\n/,
  );
  await paste(page, "Settings", "level: 7");
  await text.filter({ hasText: "# invalid settings: level: " }).waitFor();
  await closed();
});

test("the page handles huge inputs", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await choose(page, "pod-security");
  const container = (/** @type {number} */ index) =>
    `  - {name: c${index}, securityContext: {privileged: true}}\n`;
  const containers = Array.from({ length: 20_000 }, (_, index) => container(index)).join("");
  const huge = `apiVersion: v1\nkind: Pod\nmetadata: {name: huge}\nspec:\n  containers:\n${containers}`;
  const pasted = paste(page, "Manifest", huge);
  // The page stays responsive while the worker judges.
  await page.locator("#reference summary").click();
  assert.equal(await page.locator("#reference").getAttribute("open"), "");
  await pasted;
  // As many violations as fit into a message, and the number of the others.
  const listed = await lines(page, "violations");
  assert.ok(listed.length > 100 && listed.length < 1000, String(listed.length));
  assert.match(listed.at(-1) ?? "", /^… and \d+ more violations$/);

  const pod = (/** @type {number} */ index) => POD.replace("name: web", `name: web-${index}`);
  await paste(page, "Manifest", Array.from({ length: 200 }, (_, index) => pod(index)).join("---\n"));
  assert.equal((await verdict(page)).length, 50);
  await page.getByRole("button", { name: "Show more (150 remaining)" }).click();
  assert.equal((await verdict(page)).length, 100);
  assert.equal(await page.locator("#summary").textContent(), "Denied: 200");

  // A single line with a character before the mark that takes two UTF-16 code units.
  const one = JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "one", annotations: { a: "😀" } },
    spec: { hostPID: true, containers: [] },
  });
  await paste(page, "Manifest", one);
  assert.deepEqual(await page.locator("#manifest .cm-lintRange-error").allTextContents(), ['"hostPID":true']);

  for (const deep of ["[".repeat(200_000), `a: ${"{a: ".repeat(50_000)}`, "- ".repeat(100_000)]) {
    await paste(page, "Manifest", deep);
    const [problem] = await problems(page);
    assert.match(problem ?? "", /^Manifest: /);
    assert.doesNotMatch(problem ?? "", /this browser could not/);
  }
  await paste(page, "Manifest", POD);
  assert.deepEqual(await verdict(page), ["Denied CREATE Pod default/web"]);
  await closed();
});

test("the page works below any path, and offline once loaded", async () => {
  const folder = await serve("/some/folder/");
  const { page, context, closed } = await open(host.browser, folder.url);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller) await new Promise((resolve) => setTimeout(resolve, 20));
  });
  folder.close();
  await context.setOffline(true);
  await page.reload();
  await settled(page);
  assert.equal((await verdict(page)).length, 1);
  await choose(page, "selinux");
  await example(page, "Cases:");
  assert.equal((await verdict(page)).length, 1);
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
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'inline'";
    document.head.append(script);
  });
  assert.equal(await page.title(), "Portcullis playground");
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? "", /Content Security Policy/);
  // Pasted text is never interpreted as HTML.
  await paste(
    page,
    "Manifest",
    "apiVersion: v1\nkind: <img src=x onerror=alert(1)>\nmetadata: {name: '<b>b</b>'}\n",
  );
  assert.equal(await page.locator("#verdicts img, #verdicts b").count(), 0);
  assert.match((await verdict(page))[0] ?? "", /<img src=x onerror=alert\(1\)> <b>b<\/b>/);
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
