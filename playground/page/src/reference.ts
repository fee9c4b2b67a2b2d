// The reference of settings, generated from the declarations that also validate them.
import type { Policy } from "playground";
import { make, withCode } from "./dom";

export function showReference(parent: HTMLElement, { settings }: Policy): void {
  const rows = settings.map(({ path, accepts, description }) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, make("code", {}, path)),
      make("td", {}, ...withCode(accepts)),
      make("td", {}, ...withCode(description)),
    ),
  );
  const heading = ["Setting", "Value", "Description"].map((text) => make("th", { scope: "col" }, text));
  parent.replaceChildren(
    make("table", {}, make("thead", {}, make("tr", {}, ...heading)), make("tbody", {}, ...rows)),
  );
}
