/** Longer than any tag that names a language, characters. */
const LONGEST_TAG = 64;
/** Browsers send a few dozen characters. */
const LONGEST_HEADER = 500;

const scriptsFromRightToLeft = new Set(["Arab", "Hebr"]);

export function isRightToLeft(tag: string): boolean {
  return scriptsFromRightToLeft.has(new Intl.Locale(tag).maximize().script ?? "");
}

/**
 * The language in which a page is written for somebody who wants one of `wanted`, the best first; English where we have none of them.
 * Language and script decide: `pt` and `pt-PT` get Brazilian Portuguese, `zh-CN` simplified Chinese, and `zh-TW` neither.
 * @param wanted BCP 47 tags, as anybody may have written them
 * @param known the tags of our languages
 * @returns our language's tag, and the one that dates follow
 */
export function chooseLanguage(
  wanted: readonly string[],
  known: readonly string[],
): { tag: string; locale: string } {
  for (const text of wanted) {
    const locale = parseTag(text);
    if (locale === null) continue;
    const tag = known.find((one) => one === locale.baseName) ?? known.find((one) => isAlike(one, locale));
    if (tag !== undefined) return { tag, locale: locale.baseName };
  }
  return { tag: "en", locale: "en" };
}

/** A pseudo-language has to be asked for by its own name. */
function isAlike(tag: string, locale: Intl.Locale): boolean {
  const one = new Intl.Locale(tag).maximize();
  const other = locale.maximize();
  return one.language === other.language && one.script === other.script && !/^X[AB]$/.test(one.region ?? "");
}

/** Null where a text is no tag. Outdated ones become those that replace them: `iw` is `he`. */
export function parseTag(text: string): Intl.Locale | null {
  if (text.length > LONGEST_TAG) return null;
  try {
    return new Intl.Locale(text);
  } catch {
    return null;
  }
}

/** The tags of an `Accept-Language` header, the most wanted first. RFC 9110, section 12.5.4. */
export function tagsIn(acceptLanguage: string | null): string[] {
  const ranges = (acceptLanguage ?? "").slice(0, LONGEST_HEADER).split(",");
  return ranges
    .map((range) => {
      const [tag = "", ...parameters] = range.split(";").map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
      return { tag, weight: Number(weight) };
    })
    .filter(({ tag, weight }) => tag !== "" && tag !== "*" && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}
