/** Tags of languages are shorter. */
const MAX_TAG_LENGTH = 64;
/** Browsers send a few dozen characters. */
const MAX_HEADER_LENGTH = 500;

const scriptsFromRightToLeft = new Set(["Arab", "Hebr"]);

export function isRightToLeft(tag: string): boolean {
  return scriptsFromRightToLeft.has(new Intl.Locale(tag).maximize().script ?? "");
}

/**
 * The first of `wanted` that we have; English when we have none. Language and script decide: `pt` and `pt-PT` get Brazilian
 * Portuguese, `zh-CN` simplified Chinese, and `zh-TW` neither.
 * @param wanted BCP 47 tags, the preferred first; they may be invalid
 * @param known the tags of our languages
 * @returns our language's tag, and the locale for dates and numbers
 */
export function chooseLanguage(
  wanted: readonly string[],
  known: readonly string[],
): { tag: string; locale: string } {
  for (const text of wanted) {
    const locale = parseTag(text);
    if (locale === null) continue;
    const tag =
      known.find((one) => one === locale.baseName) ?? known.find((one) => isSameLanguage(one, locale));
    if (tag !== undefined) return { tag, locale: locale.baseName };
  }
  return { tag: "en", locale: "en" };
}

/** Whether language and script are the same. Pseudo-languages match only their own tag. */
function isSameLanguage(tag: string, locale: Intl.Locale): boolean {
  const one = new Intl.Locale(tag).maximize();
  const other = locale.maximize();
  return one.language === other.language && one.script === other.script && !/^X[AB]$/.test(one.region ?? "");
}

/** Null for a text that is not a tag. An outdated tag becomes its replacement: `iw` is `he`. */
export function parseTag(text: string): Intl.Locale | null {
  if (text.length > MAX_TAG_LENGTH) return null;
  try {
    return new Intl.Locale(text);
  } catch {
    return null;
  }
}

/** The tags of an `Accept-Language` header, the preferred first. RFC 9110, section 12.5.4. */
export function tagsIn(acceptLanguage: string | null): string[] {
  const ranges = (acceptLanguage ?? "").slice(0, MAX_HEADER_LENGTH).split(",");
  return ranges
    .map((range) => {
      const [tag = "", ...parameters] = range.split(";").map((text) => text.trim());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
      return { tag, weight: Number(weight) };
    })
    .filter(({ tag, weight }) => tag !== "" && tag !== "*" && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}
