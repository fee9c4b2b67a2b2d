// The drawer below the details: deployment, request, response and audit annotations of a cell.
import type { AuditTable, CellAnswer, CellDetail, PatchOperation } from "playground";
import { byId, copyButton, loading, make, preformatted, reason, withBreaks } from "./dom";
import type { Engine } from "./engine";
import type { CellName } from "./grid";

type Fill = (detail: CellDetail, cell: CellName) => Promise<Node[]> | Node[];

const SECTIONS: [id: string, title: string, hint: string, fill: (engine: Engine) => Fill][] = [
  ["deploy", "Deploy", "the policy with these settings", (engine) => (_, cell) => deployment(engine, cell)],
  [
    "request",
    "Request",
    "as the API server sends it",
    () =>
      ({ answers }) =>
        answers.flatMap(request),
  ],
  [
    "response",
    "Response",
    "with the patch decoded",
    () =>
      ({ answers }) =>
        answers.flatMap(response),
  ],
  [
    "audit",
    "Audit",
    "annotations of the audit event",
    () =>
      ({ answers }) =>
        answers.flatMap(audit),
  ],
];

export class Drawer {
  private readonly sections: { details: HTMLDetailsElement; place: HTMLElement; fill: Fill; current: boolean }[];
  private shown: { detail: CellDetail; cell: CellName } | undefined;

  constructor(engine: Engine) {
    this.sections = SECTIONS.map(([id, title, hint, create]) => {
      const place = make("div");
      const summary = make("summary", {}, title, make("small", {}, ` ${hint}`));
      const details = make("details", { id }, summary, place);
      const section = { details, place, fill: create(engine), current: false };
      details.addEventListener("toggle", () => void this.fill(section));
      return section;
    });
    byId("drawer").append(...this.sections.map(({ details }) => details));
  }

  /** Shows the sections of a cell. The texts are made when they are seen. */
  show(detail: CellDetail, cell: CellName): void {
    this.shown = { detail, cell };
    byId("drawer").hidden = false;
    for (const section of this.sections) {
      section.current = false;
      void this.fill(section);
    }
  }

  clear(): void {
    this.shown = undefined;
    byId("drawer").hidden = true;
  }

  private async fill(section: (typeof this.sections)[number]): Promise<void> {
    const { shown } = this;
    if (!shown || !section.details.open || section.current) return;
    section.current = true;
    let nodes: Node[];
    try {
      nodes = await loading(section.place, Promise.resolve(section.fill(shown.detail, shown.cell)));
    } catch (error) {
      nodes = [make("p", { class: "hint" }, reason(error))];
    }
    if (this.shown === shown) section.place.replaceChildren(...nodes);
  }
}

async function deployment(engine: Engine, { policy }: CellName): Promise<Node[]> {
  const manifest = await engine.ask("deployment", policy);
  if (manifest === "") throw new Error("The settings are not valid: correct them first.");
  const hint = make(
    "p",
    { class: "hint" },
    "Begin with ",
    make("code", {}, "mode: monitor"),
    ", which denies nothing, and set ",
    make("code", {}, "mode: protect"),
    " once it reports no violations.",
  );
  return [hint, ...copyable("Deployment", manifest)];
}

function request({ request }: CellAnswer): Node[] {
  return copyable("AdmissionRequest", request);
}

function response({ response, patch }: CellAnswer): Node[] {
  if (!response) return [make("p", { class: "hint" }, "The policy is not asked, so that it gives no response.")];
  return [...(patch.length ? [patchTable(patch)] : []), ...copyable("AdmissionResponse", response)];
}

function patchTable(patch: PatchOperation[]): HTMLElement {
  const rows = patch.map(({ op, path, value }) =>
    make(
      "tr",
      {},
      make("td", {}, op),
      make("th", { scope: "row" }, make("code", {}, ...withBreaks(path))),
      make("td", {}, ...(value === undefined ? [] : [make("code", { class: "value" }, value.trim())])),
    ),
  );
  return table(["Operation", "Field", "Value"], rows);
}

function audit({ audit }: CellAnswer): Node[] {
  if (audit.length === 0) return [make("p", { class: "hint" }, "There are no audit annotations.")];
  return [table(["Annotation", "Field", "Value"], audit.flatMap(auditRows))];
}

function auditRows({ annotation, rows }: AuditTable): HTMLElement[] {
  const lines = rows.length ? rows : [{ path: "", value: annotation.value }];
  return lines.map(({ path, value }, index) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, ...(index === 0 ? [make("code", {}, ...withBreaks(annotation.key))] : [])),
      make("td", {}, make("code", {}, ...withBreaks(path))),
      make("td", {}, value),
    ),
  );
}

function table(headings: string[], rows: HTMLElement[]): HTMLElement {
  const head = make("tr", {}, ...headings.map((text) => make("th", { scope: "col" }, text)));
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
  return make(
    "div",
    { class: "scroller", tabindex: "0", role: "region", "aria-label": headings.join(", ") },
    table,
  );
}

function copyable(label: string, text: string): Node[] {
  return [
    make(
      "div",
      { class: "row" },
      copyButton(() => text),
    ),
    preformatted(label, text),
  ];
}
