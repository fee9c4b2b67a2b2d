// What can be set, from the declaration that checks it.
import type { Restriction } from "playground";
import { make, prose } from "./dom";

export function showReference(parent: HTMLElement, { settings }: Restriction): void {
  const rows = settings.map(({ path, takes, text }) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, make("code", {}, path)),
      make("td", {}, ...prose(takes)),
      make("td", {}, ...prose(text)),
    ),
  );
  const heading = ["Setting", "Takes", "Meaning"].map((text) => make("th", { scope: "col" }, text));
  parent.replaceChildren(
    make("table", {}, make("thead", {}, make("tr", {}, ...heading)), make("tbody", {}, ...rows)),
  );
}
