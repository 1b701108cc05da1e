import { expect, it } from "vitest";
import { pageLanguage } from "../../../locales/languages.server";
import { createTranslate, type English } from "../../../locales/translate";
import { keyNames } from "./key-names";

function keysIn(locale: string, { isMac = false, isMirrored = false } = {}) {
  const { sentences } = pageLanguage("files", { asked: locale });
  return keyNames(createTranslate<English["files"]>(sentences, locale), { isMac, isMirrored });
}

it.each([
  ["en", "Ctrl+A", "Ctrl+A"],
  ["de", "Ctrl+A", "Strg+A"],
  ["de", "Alt+Enter", "Alt+Eingabe"],
  ["fr", "Shift+↓", "Maj+↓"],
  ["es", "Delete", "Supr"],
  ["ja", "F2", "F2"],
  ["pl", "/", "/"],
])("in %s, %s is %s", (locale, keys, shown) => {
  expect(keysIn(locale)(keys)).toBe(shown);
});

it.each([
  ["Ctrl+A", "⌘A"],
  ["Shift+↓", "⇧↓"],
  ["Alt+Enter", "⌥↩"],
  ["Alt+←", "⌘["],
  ["Delete", "⌘⌫"],
  ["Space", "Leertaste"],
])("on a Mac, %s is %s", (keys, shown) => {
  expect(keysIn("de", { isMac: true })(keys)).toBe(shown);
});

it("names the keys of a list that runs from right to left", () => {
  const names = keysIn("ar", { isMirrored: true });
  expect(["→", "←", "Alt+←"].map(names)).toEqual(["←", "→", "Alt+←"]);
});
