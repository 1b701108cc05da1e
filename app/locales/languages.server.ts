import { en } from "./en";
import { fr } from "./fr";
import type { English, Sentences, Translation } from "./translate";

/** Every language by its BCP 47 tag. A new one is a file of its own and a line here. Of the server alone: a page gets one of them. */
export const languages: Readonly<Record<string, Translation>> = { en, fr };

/** One language as a page has it. */
export interface PageLanguage {
  /** the tag that was asked for, in its canonical form, whatever came of it; null where the browser's own languages decided */
  asked: string | null;
  /** BCP 47, of what the page is written in; dates and numbers follow it */
  locale: string;
  dir: "ltr" | "rtl";
  sentences: Sentences;
}

interface Known {
  tag: string;
  language: string;
  script: string | undefined;
}

const known: readonly Known[] = Object.keys(languages).map((tag) => ({
  tag,
  ...likely(new Intl.Locale(tag)),
}));

function likely(locale: Intl.Locale): Omit<Known, "tag"> {
  const { language, script } = locale.maximize();
  return { language, script };
}

const rightToLeft = new Set(["Arab", "Hebr"]);
/** Longer than any tag that names a language, characters. */
const LONGEST_TAG = 64;

/**
 * The language in which a page is written for somebody who wants one of `wanted`, the best first; English where we have none of them.
 * Language and script decide: `pt` and `pt-PT` get Brazilian Portuguese, `zh-CN` simplified Chinese and `zh-TW` none.
 * @param wanted BCP 47 tags, as anybody may have written them
 * @returns our language's tag, and the one that dates follow
 */
export function chooseLanguage(wanted: readonly string[]): { tag: string; locale: string } {
  for (const text of wanted) {
    const locale = parseTag(text);
    if (locale === null) continue;
    const { language, script } = likely(locale);
    const found =
      known.find(({ tag }) => tag === locale.baseName) ??
      known.find((one) => one.language === language && one.script === script);
    if (found) return { tag: found.tag, locale: locale.baseName };
  }
  return { tag: "en", locale: "en" };
}

function parseTag(text: string): Intl.Locale | null {
  if (text.length > LONGEST_TAG) return null;
  try {
    return new Intl.Locale(text);
  } catch {
    return null;
  }
}

/** The tags of an `Accept-Language` header, the most wanted first. RFC 9110, section 12.5.4. */
export function tagsIn(acceptLanguage: string | null): string[] {
  return (acceptLanguage ?? "")
    .slice(0, 500)
    .split(",")
    .map((range) => {
      const [tag = "", ...parameters] = range.split(";").map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
      return { tag, weight: Number(weight) };
    })
    .filter(({ tag, weight }) => tag !== "" && tag !== "*" && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}

/**
 * A section for a page in the best of the languages `wanted`. A service that has no sentences has an empty one.
 * @param asked the tag that the page is asked for by name; it comes before the browser's own
 */
export function pageLanguage(
  section: string,
  asked: string | null,
  wanted: readonly string[] = [],
): PageLanguage {
  const { tag, locale } = chooseLanguage(asked === null ? wanted : [asked]);
  const { script = "" } = likely(new Intl.Locale(tag));
  const dir = rightToLeft.has(script) ? "rtl" : "ltr";
  const canonical = asked === null ? null : (parseTag(asked)?.baseName ?? null);
  return { asked: canonical, locale, dir, sentences: sentencesOf(section, tag) };
}

const merged = new Map<string, Sentences>();

/** A section in one language, in English where a sentence is missing. */
export function sentencesOf(section: string, tag: string): Sentences {
  const name = `${section}.${tag}`;
  const made = merged.get(name) ?? withFallback(sectionIn(languages[tag], section), sectionIn(en, section));
  merged.set(name, made);
  return made;
}

function sectionIn(language: Translation | English | undefined, section: string): Sentences {
  const sections = (language ?? {}) as unknown as Sentences;
  const found = Object.hasOwn(sections, section) ? sections[section] : undefined;
  return typeof found === "object" ? found : {};
}

/** Forms are taken whole: a plural of two languages is none. */
function withFallback(sentences: Sentences, english: Sentences): Sentences {
  const entries = Object.entries(english).map(([name, inEnglish]) => {
    const own = sentences[name];
    const isGroup = typeof inEnglish === "object" && typeof inEnglish.other !== "string";
    if (!isGroup) return [name, own ?? inEnglish];
    return [name, withFallback(typeof own === "object" ? own : {}, inEnglish)];
  });
  return Object.fromEntries(entries);
}

/** Whether there are sentences of that name for a page to fetch. */
export function hasSection(section: string): boolean {
  return Object.hasOwn(en, section);
}
