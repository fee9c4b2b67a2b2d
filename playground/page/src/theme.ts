// Light, dark, or as the system has it.
import { byId } from "./dom";

const KEY = "portcullis.theme";
const THEMES = ["as the system", "light", "dark"] as const;
const SIGNS = ["◐", "☀", "☾"];

export function offerThemes(): void {
  const button = byId("theme");
  let index = Math.max(0, THEMES.indexOf(stored() as (typeof THEMES)[number]));
  const apply = () => {
    const theme = THEMES[index] ?? THEMES[0];
    document.documentElement.dataset.theme = theme === "as the system" ? "" : theme;
    button.textContent = SIGNS[index] ?? "";
    button.setAttribute("aria-label", `Colours: ${theme}`);
    button.title = `Colours: ${theme}`;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // A browser that keeps nothing: the choice lasts as long as the page.
    }
  };
  button.addEventListener("click", () => {
    index = (index + 1) % THEMES.length;
    apply();
  });
  apply();
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
