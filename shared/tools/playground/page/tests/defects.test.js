// The findings of a designer in the first version of the page, by number.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isFirefox, launch } from "./browser.js";
import {
  cell,
  drawn,
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
  violations,
} from "./page.js";

/** @import { Page } from "playwright-core" */

const host = fixture();

const POD = `apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
spec:
  hostPID: true
  containers:
  - name: app
    image: registry.example/app:1
    securityContext:
      privileged: true
`;
const GOOD = `apiVersion: v1
kind: Pod
metadata:
  name: good
  namespace: shop
spec:
  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: app
    image: registry.example/app:1
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
`;
const SERVICE =
  "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: shop}\nspec: {ports: [{port: 80}]}\n";

/** The outcome of the first object at a policy. @param {Page} page @param {string} policy */
const outcome = async (page, policy) => (await rows(page))[0]?.cells[policy];
/** @param {Page} page */
const titles = async (page) => (await rows(page)).map(({ title }) => title);
/** @param {Page} page */
const suspicions = (page) => page.locator("#detail .suspicions li").allTextContents();

test("1: fields that no policy reads are warned of next to the verdict", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  const misspelt = POD.replace("containers:", "container:").replace("  hostPID: true\n", "");
  const indented = POD.replace(/spec:\n(.*\n)*/, (spec) => spec.replace(/^/gm, "  ").trimEnd() + "\n");
  for (const [text, expected] of /** @type {const} */ ([
    [misspelt, /container\b.*did you mean containers\?/],
    [indented, /spec/],
  ])) {
    await paste(page, "Objects", text);
    await eventually(async () => (await suspicions(page)).join("\n"), expected);
    // The sentence does not promise anything, and nothing is green.
    await eventually(() => sentence(page), /^Pod .* would be admitted, but look at \d fields? first$/);
    await eventually(() => page.locator("#sentence").getAttribute("class"), "tone warned");
    const green = page.locator("#grid .Passed:not(.doubtful), #detail .Passed.tone:not(.doubtful)");
    await eventually(() => green.count(), 0);
    // The warning is in the grid, too.
    await eventually(() => page.locator("#grid [role=rowheader] .Warned").count(), 1);
  }
  await paste(page, "Objects", GOOD);
  await eventually(() => suspicions(page), []);
  await eventually(() => page.locator("#grid [role=rowheader] .Warned").count(), 0);
  await closed();
});

test("2: passed, not looked at for the kind, and not looked at for the user have three words and looks", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await paste(page, "Objects", GOOD);
  await only(page, "pod-security", "node-pods", "node-labels");
  await eventually(async () => (await rows(page))[0]?.cells, {
    "node-labels": "Not looked at (kind)",
    "node-pods": "Not looked at (user)",
    "pod-security": "Passed",
  });
  const icons = () =>
    page.locator("#grid .cell path").evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
  await eventually(async () => new Set(await icons()).size, 3);

  // The details say which check decided, and what to try.
  await cell(page, "Pod shop/good", "node-pods");
  await eventually(() => page.locator("#detail .check-NotMet").innerText(), /User/);
  await page.locator("#detail .check-Met").first().waitFor();
  await page
    .locator("#detail")
    .getByRole("button", { name: /kubelet/i })
    .click();
  await eventually(() => outcome(page, "node-pods"), /^Denied/);
  await closed();
});

test("2: the first details of a pasted Pod are those of pod-security", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await paste(page, "Objects", POD);
  await eventually(() => page.locator("#detail-heading").textContent(), "pod-security: Pod shop/web");
  await closed();
});

test("3: nodes and listeners after 200 pastes are as many as after 20", async (t) => {
  // Only Chromium counts them.
  if (isFirefox) return t.skip("Firefox does not count nodes and listeners");
  const { page, context, closed } = await open(host.browser, host.url);
  await only(page, "selinux");
  const session = await context.newCDPSession(page);
  const counts = async () => {
    await session.send("HeapProfiler.enable");
    await session.send("HeapProfiler.collectGarbage");
    await session.send("HeapProfiler.collectGarbage");
    const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters");
    return { nodes, jsEventListeners };
  };
  const text = GOOD.replace("good", "good-NUMBER");
  await pasteMany(page, text, 0, 20);
  await eventually(() => titles(page), ["Pod shop/good-19"]);
  await page.locator("#detail .diff .cm-editor").first().waitFor();
  const early = await counts();
  await pasteMany(page, text, 20, 200);
  await eventually(() => titles(page), ["Pod shop/good-199"]);
  // Nodes that tasks and frames still hold are garbage later.
  const isAsBefore = (/** @type {typeof early} */ { nodes, jsEventListeners }) =>
    nodes < early.nodes * 1.5 && jsEventListeners < early.jsEventListeners * 1.5;
  await eventually(counts, isAsBefore, `1.5 times ${JSON.stringify(early)}`);
  await closed();
});

test("4: the page does not jump", async () => {
  const { page, closed } = await open(host.browser, host.url, { viewport: { width: 1280, height: 720 } });
  for (const id of ["node-pods", "node-labels", "external-ips", "pod-security"]) {
    await example(page, "", id);
    await drawn(page);
    assert.equal(await page.evaluate(() => window.scrollY), 0, id);
    assert.ok(((await page.locator("header").boundingBox())?.y ?? -1) >= 0, id);
  }
  await closed();
});

test("4: the layout does not shift while the page loads", async (t) => {
  if (isFirefox) return t.skip("Firefox does not measure layout shifts");
  for (const viewport of [
    { width: 1280, height: 720 },
    { width: 390, height: 844 },
  ]) {
    const context = await patientContext(host.browser, { viewport });
    await context.addInitScript(() => {
      const shifts = Object.assign(window, { shifts: 0 });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const { hadRecentInput, value } = /** @type {any} */ (entry);
          if (!hadRecentInput) shifts.shifts += value;
        }
      }).observe({ type: "layout-shift", buffered: true });
    });
    const page = await context.newPage();
    await page.goto(host.url);
    await settled(page);
    await drawn(page);
    const shifts = await page.evaluate(() => /** @type {any} */ (window).shifts);
    assert.ok(shifts <= 0.05, `${viewport.width}: ${shifts}`);
    await context.close();
  }
});

test("5: as deployed and rules only are two verdicts, told apart", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await paste(page, "Objects", POD.replace("namespace: shop", "namespace: kube-system"));
  await eventually(() => outcome(page, "pod-security"), /^Denied/);
  await mode(page, "pod-security", "As deployed");
  await eventually(() => outcome(page, "pod-security"), /^Not looked at/);
  await page.locator("#detail .check-NotMet").first().waitFor();
  await mode(page, "pod-security", "Rules only");
  await eventually(() => outcome(page, "pod-security"), /^Denied/);
  await closed();
});

test("6: a verdict of another policy does not stay, and its lines cannot be followed", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await paste(page, "Objects", POD);
  await eventually(() => titles(page), ["Pod shop/web"]);
  const before = await rows(page);
  await paste(page, "Objects", `${POD}  - name: [a\n`);
  // The last result stays in sight, marked and inert.
  await eventually(
    () => page.locator("#stale").textContent(),
    /^Last result, before the current error \(pod-security\):$/,
  );
  await eventually(() => rows(page), before);
  await eventually(() => page.locator("#result").getAttribute("inert"), "");
  await only(page, "selinux");
  await page.locator("#stale").waitFor({ state: "hidden" });
  await eventually(async () => (await rows(page)).map(({ cells }) => cells), [{}]);
  await closed();
});

test("6: an unreadable document leaves the verdicts of the others", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await paste(page, "Objects", `${POD}---\na: b: c\n---\n${GOOD}`);
  await eventually(
    () => titles(page),
    (/** @type {string[]} */ titles) => titles.length === 3,
  );
  const shown = await rows(page);
  assert.match(shown[0]?.cells["pod-security"] ?? "", /^Denied/);
  assert.equal(shown.find(({ title }) => title === "Pod shop/good")?.cells["pod-security"], "Passed");
  await eventually(() => page.locator("#outline .error").innerText(), /^Invalid YAML near line 14: /);
  await closed();
});

test("7: audit annotations are a table, and 100 containers are grouped, counted and folded", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  const containers = Array.from(
    { length: 100 },
    (_, index) => `  - {name: c${index}, image: a, securityContext: {privileged: true}}\n`,
  );
  await paste(
    page,
    "Objects",
    `apiVersion: v1\nkind: Pod\nmetadata: {name: many, namespace: shop}\nspec:\n  containers:\n${containers.join("")}`,
  );
  const privileged = page.locator("#detail .control").filter({ hasText: "Privileged Containers" });
  await eventually(() => privileged.locator("summary .number").textContent(), "100");
  await privileged.locator("li").first().waitFor();
  const height = (await page.locator("#detail").boundingBox())?.height ?? Infinity;
  assert.ok(height < 1500, `${height}`);
  await page.locator("#audit > summary").click();
  await page.locator("#audit table tbody tr").first().waitFor();
  assert.doesNotMatch(await page.locator("#audit").innerText(), /[{}]/);
  await closed();
});

test("1: nothing is said to be admitted while the cluster cannot be read, also after a reload", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await paste(page, "Objects", [POD, GOOD].join("---\n"));
  await eventually(() => sentence(page), "1 of 2 objects would be denied");
  await paste(page, "Cluster", "items: [\n");
  await eventually(() => sentence(page), "Cannot be evaluated: see the error");
  await page.reload();
  await eventually(() => sentence(page), "2 of 2 objects are not evaluated");
  await closed();
});

test("8: counts are in sight, and denied objects are first", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await paste(page, "Objects", [GOOD, SERVICE, POD].join("---\n"));
  await eventually(() => sentence(page), "1 of 3 objects would be denied");
  const chips = () =>
    page.locator("#chips button").evaluateAll((chips) =>
      chips.map((chip) =>
        [...chip.children]
          .map((part) => part.textContent)
          .join(" ")
          .trim(),
      ),
    );
  await eventually(chips, ["Denied 1", "Changed 0", "Warned 0", "Passed 1", "Not looked at 1"]);
  await eventually(() => titles(page), ["Pod shop/web", "Pod shop/good", "Service shop/s"]);
  await page.locator("#chips").getByRole("button", { name: "Passed" }).click();
  await eventually(() => titles(page), ["Pod shop/good"]);
  await closed();
});

test("9: a pasted AdmissionReview says its operation and user, and nothing looks editable", async () => {
  const { page, closed } = await open(host.browser, host.url);
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "1",
      kind: { group: "", version: "v1", kind: "Service" },
      resource: { group: "", version: "v1", resource: "services" },
      name: "web",
      namespace: "shop",
      operation: "UPDATE",
      userInfo: { username: "bob", groups: ["team-a"] },
      object: { apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "shop" }, spec: {} },
      oldObject: { apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "shop" }, spec: {} },
    },
  };
  await paste(page, "Objects", JSON.stringify(review, null, 2));
  await select(page, "request");
  const line = page.locator("#request-line");
  await eventually(() => line.textContent(), "UPDATE by bob");
  await eventually(() => page.locator("#request-source").textContent(), "taken from the AdmissionReview");
  await page.locator("#request-details summary").click();
  await page.locator("#given-requests-list").waitFor();
  await eventually(() => page.locator("#given-requests-list").innerText(), /UPDATE by bob \(team-a\)/);
  const editable = page.locator("#request-panel").locator("select, input:not([type=checkbox])");
  await eventually(() => editable.filter({ visible: true }).count(), 0);
  await paste(page, "Objects", SERVICE);
  await select(page, "request");
  await eventually(() => line.textContent(), /^CREATE by /);
  await closed();
});

test("10: settings show all errors, and a pasted manifest offers its import", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await paste(page, "Settings of pod-security", "levle: baseline\nversion: 7\nexclude: yes\n");
  const problems = () => page.locator("#problems li").allTextContents();
  await eventually(problems, (/** @type {string[]} */ problems) => problems.length >= 2);
  await eventually(async () => (await problems()).join("\n"), /levle.*did you mean level\?/);
  const manifest = `apiVersion: policies.kubewarden.io/v1
kind: ClusterAdmissionPolicy
metadata: {name: pods}
spec:
  module: registry://ghcr.io/portcullis/policies/pod-security:v0.1.0
  settings: {level: baseline}
  rules: []
  mutating: false
`;
  await paste(page, "Settings of pod-security", manifest);
  await page.locator("#problems").getByRole("button", { name: "Import it" }).click();
  await page
    .locator("#import-result")
    .filter({ hasText: "Recognised: Kubewarden ClusterAdmissionPolicy" })
    .waitFor();
  await closed();
});

test("11: a missing field marks nothing as forbidden", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await paste(page, "Objects", GOOD.replace("allowPrivilegeEscalation: false, ", ""));
  await eventually(async () => (await violations(page)).join("\n"), /allowPrivilegeEscalation: Required value/);
  await page.locator("#objects .cm-near").first().waitFor();
  await eventually(() => page.locator("#objects .cm-lintRange-error:not(.cm-near)").count(), 0);
  await eventually(() => page.locator("#detail .at").first().innerText(), /^near line/);
  await closed();
});

test("11: the bar of a phone has the colour of its verdict", async () => {
  const { page, closed } = await open(host.browser, host.url, { viewport: { width: 390, height: 844 } });
  const bar = page.locator("#bar");
  const colour = () => bar.evaluate((element) => getComputedStyle(element).color);
  await only(page, "pod-security");
  await paste(page, "Objects", POD);
  await eventually(() => bar.textContent(), /would be denied/);
  const denied = await colour();
  await paste(page, "Objects", GOOD);
  await eventually(() => bar.textContent(), /would be admitted/);
  await eventually(colour, (/** @type {string} */ colour) => colour !== denied);
  await closed();
});

test("11: undo after an example does not restore half of the input", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await paste(page, "Settings of pod-security", "level: baseline");
  await paste(page, "Objects", POD);
  const before = await savedInput(page);
  await example(page, "", "external-ips");
  const loaded = await savedInput(page);
  await select(page, "objects");
  await page.getByRole("textbox", { name: "Objects", exact: true }).focus();
  // The text that follows shows that undo has arrived, and did nothing.
  await page.keyboard.press("ControlOrMeta+z");
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.insertText("# typed");
  await eventually(() => savedInput(page), { ...loaded, objects: `${loaded.objects}# typed` });
  await page.getByRole("button", { name: "Restore previous input" }).click();
  await eventually(() => savedInput(page), before);
  await closed();
});

test("12: diffs fit, and every target has 24 pixels", async () => {
  for (const width of [390, 1000, 1280]) {
    const { page, closed } = await open(host.browser, host.url, { viewport: { width, height: 844 } });
    await only(page, "selinux");
    await paste(page, "Objects", GOOD);
    await page.locator("#detail .diff .cm-editor").first().waitFor();
    // Firefox takes the width of the scroll bar off.
    await eventually(
      () => page.evaluate(() => document.documentElement.scrollWidth),
      (/** @type {number} */ used) => used <= width,
      `pixels of ${width}`,
    );
    await eventually(
      () => page.locator("#detail .diff").evaluate((diff) => diff.scrollWidth - diff.clientWidth),
      (/** @type {number} */ cut) => cut <= 1,
      `${width}: pixels of the diff that are cut off`,
    );
    const targets = page.locator("button, a, select, input, textarea, summary, [role=gridcell], [role=rowheader]");
    const small = () =>
      targets.evaluateAll((targets) =>
        targets
          .filter((target) => !target.closest(".cm-editor, .skip") && target.checkVisibility())
          .map((target) => ({ target, box: target.getBoundingClientRect() }))
          .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
          .map(
            ({ target, box }) => `${target.tagName}#${target.id} ${target.textContent} ${box.width}×${box.height}`,
          ),
      );
    await eventually(small, [], `${width}`);
    await closed();
  }
});

test("12: forced colours keep the marks, and no motion is forced on anyone", async () => {
  const browser = isFirefox ? await launch(["forcedColors", "reducedMotion"]) : host.browser;
  const { page, closed } = await open(browser, host.url, { forcedColors: "active", reducedMotion: "reduce" });
  await eventually(() => page.evaluate(() => matchMedia("(forced-colors: active)").matches), true);
  await only(page, "pod-security");
  await paste(page, "Objects", POD);
  const mark = page.locator("#objects .cm-lintRange-error").first();
  await eventually(() => mark.evaluate((mark) => getComputedStyle(mark).textDecorationLine), "underline");
  const icon = page.locator("#grid .cell .icon").first();
  await eventually(() => icon.evaluate((icon) => getComputedStyle(icon).stroke), /^(?!none$)./);
  await closed();
  if (isFirefox) await browser.close();
});

test("12: the node's name stays with the kind of user, and nothing is offered to restore after a reload", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await request(page, { User: "kubelet" });
  await request(page, { "Node name": "worker-7" });
  await request(page, { User: "controller" });
  await request(page, { User: "kubelet" });
  await eventually(() => page.locator("#shared-request").getByLabel("Node name").inputValue(), "worker-7");
  await eventually(() => page.locator("#request-line").textContent(), "CREATE by kubelet of worker-7");
  await example(page, "", "external-ips");
  await page.locator("#undo").waitFor();
  await page.reload();
  await settled(page);
  assert.equal(await page.locator("#undo").isVisible(), false);
  await closed();
});

test("13: a request and the chosen cell stay with their object, and a request without one is shown", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm, namespace: shop}\n";
  await paste(page, "Objects", `${configMap}---\n${POD}`);
  await eventually(() => titles(page), ["Pod shop/web", "ConfigMap shop/cm"]);
  await select(page, "request");
  await page.locator("#own-request-object").selectOption({ label: "ConfigMap shop/cm" });
  await page.locator("#own-request-add").click();
  await page.locator("#own-requests select").first().selectOption("DELETE");
  await page.locator("#grid .name").filter({ hasText: "ConfigMap" }).locator("..").getByText("DELETE").waitFor();
  // The only object that is left is not deleted instead.
  await paste(page, "Objects", POD);
  await eventually(() => sentence(page), /^Pod shop\/web would be denied/);
  await eventually(
    () => page.locator("#problems").innerText(),
    /one about ConfigMap shop\/cm, which is not among/,
  );
  await select(page, "request");
  await eventually(() => page.locator("#own-requests").innerText(), /ConfigMap shop\/cm, which is not among/);
  await page.locator("#problems").getByRole("button", { name: "Remove it" }).click();
  await eventually(() => page.locator("#problems").innerText(), "");
  await eventually(async () => (await savedInput(page)).requests, []);
  // An object before the chosen one does not become the chosen one.
  await paste(page, "Objects", `${POD}---\n${GOOD}`);
  await cell(page, "Pod shop/good", "pod-security");
  await eventually(() => page.locator("#detail-heading").innerText(), "pod-security: Pod shop/good");
  await paste(page, "Objects", `${configMap}---\n${POD}---\n${GOOD}`);
  await eventually(() => titles(page), ["Pod shop/web", "Pod shop/good", "ConfigMap shop/cm"]);
  await eventually(() => page.locator("#detail-heading").innerText(), "pod-security: Pod shop/good");
  await closed();
});

test("13: a Namespace that no text has is unknown, and can be added", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await paste(page, "Settings of pod-security", "level: baseline\nnamespaceLabels: Honor\n");
  await paste(page, "Objects", GOOD);
  await eventually(() => sentence(page), /^It is not known whether Pod shop\/good would be admitted/);
  const add = page.locator("#detail").getByRole("button", { name: "Add Namespace shop" });
  await add.click();
  await eventually(() => sentence(page), /^All 2 objects would be admitted/);
  const stub = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n";
  await eventually(async () => (await savedInput(page)).objects, `${GOOD}---\n${stub}`);
  // A cluster that is given has all Namespaces.
  await paste(page, "Objects", GOOD);
  await paste(page, "Cluster", stub.replace("shop", "other"));
  await eventually(() => sentence(page), /^Pod shop\/good would be denied/);
  await add.click();
  await eventually(() => sentence(page), /^Pod shop\/good would be admitted/);
  await eventually(async () => (await savedInput(page)).cluster, `${stub.replace("shop", "other")}---\n${stub}`);
  await paste(page, "Cluster", "");
  await eventually(() => sentence(page), /^It is not known/);
  const namespace =
    "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: privileged}}\n";
  await paste(page, "Objects", `${POD}---\n${namespace}`);
  await eventually(
    async () => (await rows(page)).find(({ title }) => title === "Pod shop/web")?.cells["pod-security"],
    "Passed",
  );
  await closed();
});

test("13: every violation of a long text is marked where it is in sight", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  await paste(page, "Objects", Array.from({ length: 1_000 }, () => POD).join("---\n"));
  await eventually(() => sentence(page), "1,000 of 1,000 objects would be denied");
  const scroller = page.locator("#objects .cm-scroller");
  const marked = () =>
    scroller.evaluate((scroller) => {
      const { top, bottom } = scroller.getBoundingClientRect();
      const marks = [...scroller.querySelectorAll(".cm-lintRange-error")].map((mark) =>
        mark.getBoundingClientRect(),
      );
      return marks.filter((mark) => mark.top >= top && mark.bottom <= bottom).length;
    });
  for (const part of [0, 0.5, 1]) {
    await scroller.evaluate((scroller, part) => {
      scroller.scrollTop = part * scroller.scrollHeight;
    }, part);
    await eventually(marked, (/** @type {number} */ count) => count >= 3, `marks at ${part}`);
  }
  await closed();
});

test("13: all files of a choice and of a folder are opened, wherever they are dropped", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await only(page, "pod-security");
  const file = (/** @type {string} */ name, /** @type {string} */ text) => ({
    name,
    mimeType: "text/plain",
    buffer: Buffer.from(text),
  });
  await page
    .locator("#objects-file")
    .setInputFiles([file("b.yaml", POD), file("a.yml", SERVICE), file("c.png", "")]);
  await eventually(() => titles(page), ["Pod shop/web", "Service shop/s"]);
  await eventually(async () => (await savedInput(page)).objects, `---\n# a.yml\n${SERVICE}---\n# b.yaml\n${POD}`);
  await eventually(() => page.locator("#status").textContent(), "1 file without YAML or JSON not opened.");
  // A folder as the browser gives it, dropped outside of the editors.
  const isPrevented = await page.locator("body").evaluate((body, text) => {
    const ofFile = (/** @type {string} */ fullPath) => ({
      fullPath,
      isDirectory: false,
      file: (/** @type {(file: File) => void} */ found) => found(new File([text], fullPath)),
    });
    const ofFolder = (/** @type {string} */ fullPath, /** @type {unknown[][]} */ batches) => ({
      fullPath,
      isDirectory: true,
      createReader: () => ({
        readEntries: (/** @type {(entries: unknown[]) => void} */ found) => found(batches.shift() ?? []),
      }),
    });
    const folder = ofFolder("/app", [
      [ofFile("/app/z.yaml"), ofFolder("/app/.git", [[ofFile("/app/.git/x.yaml")]])],
      [ofFolder("/app/base", [[ofFile("/app/base/pod.json"), ofFile("/app/base/README.md")]])],
    ]);
    const event = new DragEvent("drop", { bubbles: true, cancelable: true });
    const items = [{ kind: "file", webkitGetAsEntry: () => folder, getAsFile: () => null }];
    Object.defineProperty(event, "dataTransfer", { value: { types: ["Files"], items } });
    body.dispatchEvent(event);
    return event.defaultPrevented;
  }, POD);
  assert.ok(isPrevented);
  const both = ["app/base/pod.json", "app/z.yaml"].map((path) => `---\n# ${path}\n${POD}`).join("");
  await eventually(async () => (await savedInput(page)).objects, both);
  await closed();
});

test("13: a link does not replace the work of the user for good", async () => {
  const { page, context, closed } = await open(host.browser, host.url);
  await paste(page, "Objects", POD);
  const work = await savedInput(page);
  const undo = (/** @type {Page} */ page) => page.getByRole("button", { name: "Restore previous input" });
  const link = `${host.url}#example=external-ips/create-denied`;
  const other = await context.newPage();
  await other.goto(link);
  await other.locator("#status").filter({ hasText: "Loaded: " }).waitFor();
  // A new tab has the work, and the one with the link offers it, also after a change and a reload.
  const third = await context.newPage();
  await third.goto(host.url);
  await eventually(() => savedInput(third), work);
  await paste(other, "Objects", SERVICE);
  await eventually(() => other.url(), host.url);
  await other.reload();
  await undo(other).click();
  await eventually(() => savedInput(other), work);
  // The work of an entry of the history is kept over a reload as well.
  await page.goto(link);
  await page.locator("#status").filter({ hasText: "Loaded: " }).waitFor();
  await page.reload();
  await page.locator("#status").filter({ hasText: "Loaded: " }).waitFor();
  await page.goBack();
  await eventually(() => savedInput(page), work);
  await closed();
});

test("12: Enter in the search loads the first example", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  await page.getByRole("searchbox", { name: "Search" }).fill("tour");
  await page.keyboard.press("Enter");
  await page.locator("#status").filter({ hasText: "Loaded: tour" }).waitFor();
  await page.locator("#examples").waitFor({ state: "hidden" });
  await closed();
});

test("12: a dropped file replaces the text", async () => {
  const { page, closed } = await open(host.browser, host.url);
  await page.getByRole("textbox", { name: "Objects", exact: true }).evaluate((editor, text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], "pod.yaml"));
    editor.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  }, POD);
  await page.locator("#grid .name").filter({ hasText: "Pod shop/web" }).waitFor();
  await eventually(async () => (await savedInput(page)).objects, POD);
  await closed();
});

test("12: without scripts the page says what it requires", async (t) => {
  if (isFirefox) return t.skip("WebDriver BiDi does not switch scripts off");
  const context = await patientContext(host.browser, { javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(host.url);
  await eventually(() => page.locator(".noscript").innerText(), /requires JavaScript/);
  assert.equal(await page.getByText("Loading…").isVisible(), false);
  await context.close();
});
