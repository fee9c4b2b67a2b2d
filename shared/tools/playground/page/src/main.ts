// The entry point of the page: startup, loading of examples and links, and the dialogs.
import type { ExpectedOutcome, ObjectId, Policies, SuggestedAction } from "playground";
import { byId, make, reason } from "./dom";
import * as draft from "./draft";
import { Engine } from "./engine";
import type { ExampleEntry } from "./examples";
import { Inputs } from "./inputs";
import { Evaluation } from "./evaluation";
import { lazy } from "./lazy";
import * as navigation from "./navigation";
import { decode, LINK, type Shared } from "./share";
import { setUpThemes } from "./theme";
import tourObjects from "./tour.yaml?raw";
import { complete, normalise, sameWorkspace, type Workspace } from "./workspace";

async function start(engine: Engine): Promise<void> {
  const catalog = await engine.call("policies");
  const page = new Page(engine, catalog);
  await page.open();
  if (import.meta.env.PROD && "serviceWorker" in navigator) {
    // Registration fails on insecure origins. The page then works, but not offline.
    navigator.serviceWorker.register("./offline.js").catch(() => undefined);
  }
}

class Page {
  private readonly inputs: Inputs;
  private readonly evaluation: Evaluation;
  private readonly tour: Workspace;
  /** The workspace that was last loaded, and the one that it replaced. */
  private loaded: Workspace | undefined;
  private previous: Workspace | undefined;
  /** Whether the input is that of the address, and not work of the user. */
  private isOfAddress = false;
  /** The title and the expected outcomes of what was loaded. */
  private title = "";
  private expected: ExpectedOutcome[] = [];

  // The dialogs are loaded when they are first opened.
  private readonly examples = lazy(async () => {
    const { Examples } = await import("./examples");
    const tour: ExampleEntry = {
      title: "tour: a Deployment, a Service, a Pod and a ConfigMap at every policy",
      verdict: "denied",
      name: ["tour"],
      load: () => Promise.resolve(this.tour),
    };
    const onSelect = (workspace: Workspace, entry: ExampleEntry) => this.openExample(workspace, entry, true);
    return new Examples(this.engine, this.catalog, tour, onSelect, (message) => this.status(message));
  });
  private readonly imports = lazy(async () => {
    const { Import } = await import("./import");
    return new Import(this.engine, this.catalog, {
      read: () => this.inputs.read(),
      onImport: (workspace, recognised) => {
        navigation.keep(this.inputs.read());
        navigation.push("");
        this.replace(workspace, `Imported: ${recognised}.`, recognised);
        this.inputs.tabs.select("policies-tab");
      },
      openCase: (text) => this.openCase(text),
    });
  });
  private readonly fixes = lazy(async () => {
    const { Fixes } = await import("./fix");
    const read = () => this.inputs.read().objects;
    return new Fixes(this.engine, read, (text) => this.inputs.changeObjects(text));
  });
  private readonly sharing = lazy(async () => {
    const { ShareDialog } = await import("./share-dialog");
    return new ShareDialog(this.engine, (fragment) => navigation.replaceFragment(fragment));
  });
  private readonly exporting = lazy(async () => {
    const { Export } = await import("./export");
    return new Export(this.engine);
  });

  constructor(
    private readonly engine: Engine,
    private readonly catalog: Policies,
  ) {
    this.tour = complete(normalise({ objects: tourObjects }), catalog, true);
    const onImport = (text: string) => this.use(this.imports, (imports) => imports.open(text));
    this.inputs = new Inputs(engine, catalog, {
      onChange: () => this.changed(),
      onImport,
      onError: (message) => this.status(message),
    });
    this.evaluation = new Evaluation(
      engine,
      this.inputs,
      {
        onMark: (mark) => this.inputs.select(mark),
        onFix: (controls) => {
          const { cell } = this.evaluation;
          if (cell) this.use(this.fixes, (fixes) => fixes.preview(cell, controls));
        },
        onAction: (action, object, policy) => this.act(action, object, policy),
        onMode: (policy, mode) => this.inputs.evaluateAs(policy, mode),
      },
      onImport,
    );
    const onClick = (id: string, act: () => void) => byId(id).addEventListener("click", act);
    onClick("examples-open", () => this.use(this.examples, (examples) => examples.open()));
    onClick("import-open", () => onImport(""));
    onClick("export-open", () =>
      this.use(this.exporting, (exporting) => exporting.open(this.evaluation.currentCell)),
    );
    onClick("share-open", () => {
      this.use(this.sharing, (sharing) => sharing.open(this.inputs.read(), this.evaluation.matrix, this.title));
    });
    onClick("reset", () => {
      navigation.keep(this.inputs.read());
      navigation.push("");
      this.replace(this.tour, "Reset to the tour.", "");
    });
    onClick("undo", () => {
      if (!this.previous) return;
      draft.saveReplaced(undefined);
      this.replace(this.previous, "Previous input restored.", "");
    });
    for (const id of ["skip", "bar"]) byId(id).addEventListener("click", goToVerdict);
    navigation.onMove((workspace) => void this.move(workspace));
  }

  /** Opens the link in the address bar, else the draft, else the tour. */
  async open(): Promise<void> {
    this.inputs.tabs.select("objects-tab");
    const [drafts, replaced] = [draft.load(), draft.loadReplaced()];
    const opened = await this.openAddress();
    const initial = opened ?? complete(drafts[0] ?? this.tour, this.catalog, false);
    const isOther = (work: Workspace) => !sameWorkspace(work, initial) && !sameWorkspace(work, this.tour);
    this.previous = [...(opened ? drafts : []), ...replaced].find(isOther);
    if (opened) {
      draft.saveReplaced(this.previous);
    } else {
      this.inputs.write(initial);
      // A draft is work of the user, which a replacement keeps.
      this.loaded = sameWorkspace(initial, this.tour) ? initial : undefined;
    }
    byId("undo").hidden = this.previous === undefined;
    byId("inputs").inert = false;
    await this.saveAndEvaluate();
    this.evaluation.scrollToFirstViolation();
    this.showVersion();
  }

  /** Does something with a part of the page that is loaded when it is first used. */
  private use<Part>(load: () => Promise<Part>, act: (part: Part) => unknown): void {
    const used = load().then(act);
    used.catch((error: unknown) => this.status(`This part of the page could not be used: ${reason(error)}.`));
  }

  private async showVersion(): Promise<void> {
    const { portcullis, kubernetes, kubewardenProtocol } = await this.engine.call("version");
    byId("version").replaceChildren(make("span", { class: "visually-hidden" }, "Version "), portcullis);
    byId("about-versions").textContent =
      `Portcullis ${portcullis}, Pod Security Standards ${kubernetes}, Kubewarden protocol ${kubewardenProtocol}.`;
  }

  private changed(): void {
    // The link in the address bar is about the input before the change.
    navigation.replaceFragment("");
    this.evaluation.schedule(() => void this.saveAndEvaluate());
  }

  private async saveAndEvaluate(): Promise<void> {
    const workspace = this.inputs.read();
    navigation.keep(workspace);
    this.isOfAddress &&= this.loaded !== undefined && sameWorkspace(workspace, this.loaded);
    byId("not-saved").hidden = draft.save(workspace, this.isOfAddress);
    await this.evaluation.evaluateNow();
    await this.compare();
  }

  /** Replaces the workspace. The previous one can be restored. */
  private async replace(workspace: Workspace, status: string, title: string, isOfAddress = false): Promise<void> {
    const present = this.inputs.read();
    if (!this.loaded || !sameWorkspace(present, this.loaded)) this.previous = present;
    this.loaded = complete(normalise(workspace), this.catalog, false);
    this.expected = [];
    this.isOfAddress = isOfAddress;
    this.title = title;
    navigation.title(title);
    byId("expectation").hidden = true;
    this.evaluation.forget();
    this.inputs.write(this.loaded);
    this.status(status);
    byId("undo").hidden = this.previous === undefined;
    await this.saveAndEvaluate();
    this.evaluation.scrollToFirstViolation();
  }

  private async openExample(workspace: Workspace, entry: ExampleEntry, push: boolean): Promise<void> {
    if (push) {
      navigation.keep(this.inputs.read());
      navigation.push(navigation.exampleFragment(entry.name));
    }
    const title = entry.title.replaceAll("`", "");
    await this.replace(workspace, `Loaded: ${title}`, title, !push);
  }

  private async openShared(
    { title, note, expected, workspace }: Shared,
    status: string,
    isOfAddress: boolean,
  ): Promise<void> {
    await this.replace(workspace, `${status}${note ? ` ${note}` : ""}`, title, isOfAddress);
    this.expected = expected;
    await this.compare();
  }

  /** Opens a test file. Returns whether the text is one. */
  private async openCase(text: string): Promise<boolean> {
    const { workspace, problem, ...described } = await this.engine.call("openCase", text);
    if (!workspace) {
      this.status(problem?.message ?? "The text is not a test file.");
      return false;
    }
    navigation.keep(this.inputs.read());
    navigation.push("");
    await this.openShared({ ...described, workspace: normalise(workspace) }, "Opened from a test file.", false);
    return true;
  }

  /** Says which outcomes are not those that the author of the case saw. */
  private async compare(): Promise<void> {
    const place = byId("expectation");
    const { expected } = this;
    place.hidden = expected.length === 0;
    if (expected.length === 0) return;
    const { changes } = await this.engine.ask("compare", { expected });
    if (this.expected !== expected) return;
    const { matrix } = this.evaluation;
    const lines = changes.map(({ object, policy, message }) =>
      make("li", {}, `${matrix?.objects[object]?.title ?? "An object"} at ${policy}: ${message}`),
    );
    place.className = lines.length ? "expectation tone Warned" : "expectation tone Passed";
    place.replaceChildren(
      make("strong", {}, this.title || "Shared case"),
      lines.length ? ": outcomes have changed" : ": every outcome is as expected",
      ...(lines.length ? [make("ul", {}, ...lines)] : []),
    );
  }

  /** Opens what the fragment of the address names. Returns the workspace. */
  private async openAddress(): Promise<Workspace | undefined> {
    const name = navigation.linkedExample();
    if (name) {
      const entry = await this.examples()
        .then((examples) => examples.find(name))
        .catch(() => undefined);
      const workspace = await entry?.load().catch(() => undefined);
      if (entry && workspace) {
        await this.openExample(workspace, entry, false);
        return this.loaded;
      }
      this.status("There is no such example.");
      return undefined;
    }
    if (!LINK.test(location.hash)) return undefined;
    const shared = await decode(location.hash.slice(1));
    if (!shared) {
      this.status("The link cannot be read: it is truncated or from another version of this page.");
      return undefined;
    }
    await this.openShared(shared, "Opened from a link.", true);
    return this.loaded;
  }

  /** Follows a move through the history. */
  private async move(workspace: Workspace | undefined): Promise<void> {
    if (workspace) {
      const { title } = document;
      await this.replace(workspace, "", "");
      document.title = title;
      return;
    }
    const work = this.isOfAddress ? this.tour : this.inputs.read();
    if (await this.openAddress()) {
      if (!sameWorkspace(work, this.tour)) draft.saveReplaced(work);
    } else if (location.hash === "") {
      this.status("The input of this entry is no longer kept.");
    }
  }

  private act(action: SuggestedAction, object: ObjectId, policy: number): void {
    switch (action.kind) {
      case "user":
        this.inputs.setRequest(object, { user: action.user });
        break;
      case "operation":
        this.inputs.setRequest(object, { operation: action.operation });
        break;
      case "namespace":
        this.addNamespace(action.manifest);
        break;
      case "policy": {
        const index = this.inputs.enablePolicy(action.policy);
        void this.saveAndEvaluate().then(() => {
          return this.evaluation.choose({ object: this.evaluation.indexOf(object), policy: index });
        });
        break;
      }
      case "rulesOnly":
        this.inputs.evaluateAs(policy, "RulesOnly");
        break;
    }
  }

  private addNamespace(manifest: string): void {
    const before = this.inputs.read();
    this.use(
      () => this.engine.call("addNamespaces", before, manifest),
      (after) => {
        if (!sameWorkspace(before, this.inputs.read())) return;
        this.inputs.changeObjects(after.objects ?? "");
        this.inputs.changeCluster(after.cluster ?? "");
      },
    );
  }

  private status(message: string): void {
    byId("status").textContent = message;
    byId("notice").classList.toggle("empty", message === "");
    byId("undo").hidden = true;
  }
}

/**
 * Moves the focus to the verdict without adding a history entry, which would lead back to a
 * replaced link.
 */
function goToVerdict(event: Event): void {
  event.preventDefault();
  const heading = byId("verdict-heading");
  heading.focus();
  heading.scrollIntoView();
}

setUpThemes();
const engine = new Engine((isLoading) => {
  byId("loading").hidden = !isLoading;
});

start(engine).catch((error: unknown) => {
  byId("sentence").textContent = "";
  byId("problems").replaceChildren(
    make("p", { class: "hint" }, `The playground could not start: ${reason(error)}. Reload the page.`),
  );
});
