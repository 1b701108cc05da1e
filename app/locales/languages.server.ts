import ar from "./ar.json";
import { chooseLanguage, isRightToLeft, parseTag, tagsIn } from "./choose-language.server";
import de from "./de.json";
import en from "./en.json";
import es from "./es.json";
import fr from "./fr.json";
import he from "./he.json";
import it from "./it.json";
import ja from "./ja.json";
import nl from "./nl.json";
import pl from "./pl.json";
import { pseudoLanguages } from "./pseudo.server";
import ptBR from "./pt-BR.json";
import type { Sentences, Translation } from "./translate";
import zhHans from "./zh-Hans.json";

/** Every language by its BCP 47 tag. A new one is a file, and a line here. Only for the server: a page gets one of them. */
export const languages: Readonly<Record<string, Translation>> = {
  ...{ ar, de, en, es, fr, he, it, ja, nl, pl },
  "pt-BR": ptBR,
  "zh-Hans": zhHans,
};

/** The language of a page. */
export interface PageLanguage {
  /** the tag that was asked for, in canonical form, even if we do not have it; null when the browser's languages decided */
  asked: string | null;
  /** BCP 47, of the page's sentences, dates and numbers */
  locale: string;
  dir: "ltr" | "rtl";
  sentences: Sentences;
}

/** The languages that a visitor wants. */
interface RequestedLanguage {
  /** the tag that was asked for by name; it overrides the browser's languages */
  asked: string | null;
  /** the browser's `Accept-Language` */
  accepted?: string | null;
}

/**
 * One section of sentences, in the preferred language that we have. A service without sentences gets an empty section.
 * @param pseudo whether the pseudo-languages of tests may be asked for
 */
export function pageLanguage(
  section: string,
  { asked, accepted = null }: RequestedLanguage,
  { pseudo = false } = {},
) {
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

/** The sentences of e-mails, by language tag. */
export const emailWords: Readonly<Record<string, Sentences>> = Object.fromEntries(
  Object.entries({ en, ...languages }).map(([tag, language]) => [tag, sentencesOf(language, "email")]),
);

/** Whether a page can fetch a section of that name. */
export function hasSection(section: string): boolean {
  return Object.hasOwn(en, section);
}

function sectionOf(language: object, section: string): Sentences {
  return Object.hasOwn(language, section) ? ((language as Record<string, Sentences>)[section] ?? {}) : {};
}

/** Fills in English what is missing. Plural forms are never mixed from two languages. */
function withFallback(sentences: Sentences, english: Sentences): Sentences {
  const entries = Object.entries(english).map(([name, inEnglish]) => {
    const own = sentences[name];
    const isGroup = typeof inEnglish === "object" && typeof inEnglish.other !== "string";
    if (!isGroup) return [name, own ?? inEnglish];
    return [name, withFallback(typeof own === "object" ? own : {}, inEnglish)];
  });
  return Object.fromEntries(entries);
}
