import type { FrameLocator, Page } from "@playwright/test";
import { pageLanguage } from "../../app/locales/languages.server";
import { createTranslate, type English } from "../../app/locales/translate";

/** English with an accent on every letter. Text without accents is in no locale file. */
export const PSEUDO = "en-XA";

const pseudoOf = (section: string) => pageLanguage(section, { asked: PSEUDO }, { pseudo: true });
const language = pseudoOf("files");

/** A built app runs in production mode, which does not offer this locale. */
export const servePseudo = (page: Page, section = "files") =>
  page.route(`**/locales/${section}.${PSEUDO}.json`, (route) => route.fulfill({ json: pseudoOf(section) }));

/** The explorer's messages in the pseudo-language. */
export const say = createTranslate<English["files"]>(language.sentences, PSEUDO);

/**
 * Plain words that are not our messages: output of `Intl`, units, encodings, ETags, and names of keyboard keys.
 */
const allowed = [
  /\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d+(, \d+((,| at) \d+:\d+\s[AP]M)?)?/,
  /\b(bytes?|[kMG]?B)\b/,
  /\bUTF-8\b|\b[0-9a-f]{32}\b/,
  /\b(Alt|F2)\b/,
];

/** Finds visible text, accessible names and tooltips with plain words. @param names of files and folders */
export async function findHardCoded(frame: FrameLocator, names: readonly string[]): Promise<string[]> {
  const texts = await frame.locator("html").evaluate((html) => {
    const attributes = ["aria-label", "aria-description", "aria-valuetext", "aria-roledescription"];
    attributes.push("title", "placeholder", "alt");
    const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true });
    const shown = [...html.querySelectorAll("body *:not(script, style, noscript *)")].filter(isShown);
    const said = shown.flatMap((element) => {
      const own = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
      const values = attributes.map((name) => element.getAttribute(name) ?? "");
      return [own.map((node) => node.textContent).join(""), ...values];
    });
    return [document.title, ...said];
  });
  const parts = names
    .flatMap((name) => [name, ...name.split(".")])
    .flatMap((name) => [name, name.toUpperCase()]);
  const stripped = (text: string) => {
    const rest = allowed.reduce((left, pattern) => left.replace(new RegExp(pattern, "g"), ""), text);
    return parts.reduce((left, name) => left.replaceAll(name, ""), rest);
  };
  return [...new Set(texts)].filter((text) => /(?<!\p{L})[a-zA-Z]{2,}(?!\p{L})/u.test(stripped(text)));
}
