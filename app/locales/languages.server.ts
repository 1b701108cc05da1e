import { ar } from "./ar";
import { chooseLanguage, isRightToLeft, parseTag, tagsIn } from "./choose-language.server";
import { de } from "./de";
import { en } from "./en";
import { es } from "./es";
import { fr } from "./fr";
import { he } from "./he";
import { it } from "./it";
import { ja } from "./ja";
import { nl } from "./nl";
import { pl } from "./pl";
import { pseudoLanguages } from "./pseudo.server";
import { ptBR } from "./pt-BR";
import type { Sentences, Translation } from "./translate";
import { zhHans } from "./zh-Hans";

/** Every language by its BCP 47 tag. A new one is a file of its own and a line here. Of the server alone: a page gets one of them. */
export const languages: Readonly<Record<string, Translation>> = {
  ...{ ar, de, en, es, fr, he, it, ja, nl, pl },
  "pt-BR": ptBR,
  "zh-Hans": zhHans,
};

/** One language as a page has it. */
export interface PageLanguage {
  /** the tag that was asked for, in its canonical form, whatever came of it; null where the browser's own languages decided */
  asked: string | null;
  /** BCP 47, of what the page is written in; dates and numbers follow it */
  locale: string;
  dir: "ltr" | "rtl";
  sentences: Sentences;
}

/** The languages that somebody wants. */
interface Wanted {
  /** the tag that a page is asked for by name; it comes before the browser's own */
  asked: string | null;
  /** the browser's `Accept-Language` */
  accepted?: string | null;
}

/**
 * A section for a page in the best of the languages that somebody wants. A service that has no sentences has an empty one.
 * @param pseudo whether the languages of tests may be asked for
 */
export function pageLanguage(section: string, { asked, accepted = null }: Wanted, { pseudo = false } = {}) {
  const known = pseudo ? { ...languages, ...pseudoLanguages } : languages;
  const { tag, locale } = chooseLanguage(asked === null ? tagsIn(accepted) : [asked], Object.keys(known));
  const language: PageLanguage = {
    asked: asked === null ? null : (parseTag(asked)?.baseName ?? null),
    locale,
    dir: isRightToLeft(tag) ? "rtl" : "ltr",
    sentences: sentencesOf(known[tag], section),
  };
  return language;
}

/** A section of one language. */
function sentencesOf(language: object | undefined, section: string): Sentences {
  return withFallback(sectionOf(language ?? {}, section), sectionOf(en, section));
}

/** The words of e-mails by the tags of our languages. */
export const emailWords: Readonly<Record<string, Sentences>> = Object.fromEntries(
  Object.entries({ en, ...languages }).map(([tag, language]) => [tag, sentencesOf(language, "email")]),
);

/** Whether there are sentences of that name for a page to fetch. */
export function hasSection(section: string): boolean {
  return Object.hasOwn(en, section);
}

function sectionOf(language: object, section: string): Sentences {
  return Object.hasOwn(language, section) ? ((language as Record<string, Sentences>)[section] ?? {}) : {};
}

/** In English what is missing. Forms are taken whole: a plural of two languages is none. */
function withFallback(sentences: Sentences, english: Sentences): Sentences {
  const entries = Object.entries(english).map(([name, inEnglish]) => {
    const own = sentences[name];
    const isGroup = typeof inEnglish === "object" && typeof inEnglish.other !== "string";
    if (!isGroup) return [name, own ?? inEnglish];
    return [name, withFallback(typeof own === "object" ? own : {}, inEnglish)];
  });
  return Object.fromEntries(entries);
}
