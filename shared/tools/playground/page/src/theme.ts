// The colour theme: system, light or dark.
import { byId } from "./dom";

const KEY = "portcullis.theme";
const THEMES = ["system", "light", "dark"] as const;
const ICONS = ["◐", "☀", "☾"];

export function setUpThemes(): void {
  const button = byId("theme");
  let index = Math.max(0, THEMES.indexOf(stored() as (typeof THEMES)[number]));
  const apply = () => {
    const theme = THEMES[index] ?? THEMES[0];
    document.documentElement.dataset.theme = theme === "system" ? "" : theme;
    button.textContent = ICONS[index] ?? "";
    button.setAttribute("aria-label", `Theme: ${theme}`);
    button.title = `Theme: ${theme}`;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Without storage, the choice applies until the page is closed.
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
