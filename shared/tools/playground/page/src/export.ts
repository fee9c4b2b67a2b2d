// The dialog that exports the result: reports, and the command lines that give it.
import type { Command, ReportFormat } from "playground";
import { byId, copyButton, download, loading, make, preformatted, reason } from "./dom";
import type { Engine } from "./engine";
import type { CellName } from "./grid";

const FORMATS: [format: ReportFormat, label: string, file: string, type: string][] = [
  ["Markdown", "Markdown", "portcullis.md", "text/markdown"],
  ["Sarif", "SARIF", "portcullis.sarif", "application/sarif+json"],
  ["Html", "HTML", "portcullis.html", "text/html"],
  ["Json", "JSON", "portcullis.json", "application/json"],
];

const dialog = byId<HTMLDialogElement>("export");
const place = byId("export-content");

export class Export {
  constructor(private readonly engine: Engine) {}

  /** Opens the dialog. `cell` is the one in view. */
  async open(cell: CellName | undefined): Promise<void> {
    dialog.showModal();
    const buttons = FORMATS.map(([format, label, file, type]) => {
      const save = async () => {
        try {
          download(file, await this.engine.ask("report", format), type);
          byId("export-status").textContent = `${file} downloaded.`;
        } catch (error) {
          byId("export-status").textContent = `The report could not be made: ${reason(error)}.`;
        }
      };
      return make("button", { type: "button", click: () => void save() }, label);
    });
    const lines = make("div");
    place.replaceChildren(make("h3", {}, "Reports"), make("div", { class: "row" }, ...buttons), lines);
    byId("export-status").textContent = "";
    try {
      const { commands } = await loading(lines, this.engine.ask("commands", cell?.object, cell?.policy));
      lines.replaceChildren(make("h3", {}, "Command lines"), ...commands.flatMap(shown));
    } catch (error) {
      lines.replaceChildren(make("p", { class: "error" }, reason(error)));
    }
  }
}

function shown({ program, command, files, remarks }: Command): HTMLElement[] {
  const saved = files.map(({ name, text }) =>
    make("button", { type: "button", click: () => download(name, text, "text/plain") }, name),
  );
  return [
    make(
      "div",
      { class: "row" },
      make("h4", {}, program),
      copyButton(() => command),
    ),
    preformatted(`Command line of ${program}`, command),
    ...(saved.length ? [make("div", { class: "row" }, "Files:", ...saved)] : []),
    ...(remarks.length ? [make("ul", {}, ...remarks.map((remark) => make("li", {}, remark)))] : []),
  ];
}
