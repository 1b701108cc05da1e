import { addLocale, type FormatToken, format, getFormatFromId, getLocale, tokenize } from "numfmt";

/** A value as the file has it. Dates and times are numbers of days, as spreadsheet programs count them. */
export type RawValue = number | string | boolean | null;

/** Excel counts days from 1900, in which it has a 29 February, or from 1904. OpenDocument counts from 30 December 1899. */
export type DateSystem = "1900" | "1904" | "OpenDocument";

export interface ValueOptions {
  /** of dates and numbers, a BCP 47 tag */
  language: string;
  dates: DateSystem;
}

const DAYS_BEFORE_1970 = 25_569;
const DAY_MS = 86_400_000;
/** Days between the beginnings of Excel's two calendars. */
const DAYS_BEFORE_1904 = 1_462;
/** Whole numbers that are larger have digits that no program shows. */
const MAX_PLAIN_INTEGER = 1e15;

// numfmt writes European digits in Arabic, which need the separators that browsers write with them.
addLocale({ ...getLocale("ar"), group: ",", decimal: "." }, "ar");

/**
 * The text that the file's own program shows for a value.
 * @param code number format, as Excel writes it. Without one that is known, the plain value is shown.
 */
export function formatValue(value: RawValue, code: string, { language, dates }: ValueOptions): string {
  if (value === null) return "";
  const pattern = patternOf(code);
  const options = {
    locale: pattern.hasDayAndMonth ? besideDay(language) : language,
    leap1900: dates !== "OpenDocument",
    // Excel shows no date that is outside of its calendar, and LibreOffice shows all.
    dateSpanLarge: dates === "OpenDocument",
  };
  if (typeof value === "string") return pattern.hasText ? format(pattern.code, value, options) : value;
  if (typeof value === "boolean") return format("General", value, options);
  switch (pattern.kind) {
    case "general":
      // Long numbers of orders and accounts are in such cells.
      return Number.isInteger(value) && Math.abs(value) < MAX_PLAIN_INTEGER
        ? String(value + 0)
        : format("General", value, options);
    case "number": {
      const text = format(pattern.code, value, options);
      // numfmt writes 0.99 in quarters as 1 4/4.
      if (hasFullFraction.test(text)) return format(pattern.code, Math.round(value), options);
      // Where all decimals are optional, Excel keeps the point, and LibreOffice does not.
      const isPointKept = dates !== "OpenDocument" || !hasOptionalDecimals.test(pattern.code);
      return isPointKept ? text : text.replace(/(^|\d)[.,](?!\d)/, "$1");
    }
    case "date":
    case "elapsed": {
      // Only the calendar from 1904 has negative dates. Elapsed times have no calendar.
      const isCounted = dates === "1904" || pattern.kind === "elapsed";
      if (!isCounted) return format(pattern.code, value, options);
      const days = Math.abs(value) + (pattern.kind === "date" ? DAYS_BEFORE_1904 : 0);
      return (value < 0 ? "-" : "") + format(pattern.code, days, options);
    }
  }
}

interface Pattern {
  kind: "general" | "number" | "date" | "elapsed";
  /** which numfmt understands */
  code: string;
  /** says how texts are shown */
  hasText: boolean;
  /** names the month, and the day of the month */
  hasDayAndMonth: boolean;
}

const general: Pattern = { kind: "general", code: "General", hasText: false, hasDayAndMonth: false };

const hasOptionalDecimals = /\.#+(?![#0?])/;
const hasFullFraction = /\d +(\d+)\/\1\s*$/;

/** A workbook has a few formats, and each of them many cells. */
const patterns = new Map<string, Pattern>();
const MAX_PATTERNS = 5_000;

function patternOf(code: string): Pattern {
  const known = patterns.get(code);
  if (known) return known;
  if (patterns.size === MAX_PATTERNS) patterns.clear();
  const pattern = readPattern(code);
  patterns.set(code, pattern);
  return pattern;
}

/** Programs allow 255 characters. */
export const MAX_CODE_LENGTH = 1_000;

function readPattern(code: string): Pattern {
  if (code.length > MAX_CODE_LENGTH) return general;
  try {
    const tokens = tokenize(code);
    const hasText = tokens.some(({ type }) => type === "TEXT");
    if (tokens.every(({ type }) => type === "GENERAL" || type === "TEXT"))
      return { ...general, code, hasText };
    const pattern = { ...(isOfDates(tokens) ? datePattern(tokens) : numberPattern(tokens)), hasText };
    // It throws for what it does not understand.
    format(pattern.code, 1);
    return pattern;
  } catch {
    return general;
  }
}

const isOfDates = (tokens: FormatToken[]) =>
  tokens.some(({ type }) => type === "DATETIME" || type === "DURATION" || type === "AMPM");

/** The language of a currency does not change how its numbers are written. */
function numberPattern(tokens: FormatToken[]): Omit<Pattern, "hasText"> {
  const code = tokens.map(({ type, value, raw }) => {
    if (type !== "LOCALE") return raw;
    const symbol = value.split("-")[0];
    return symbol && `[$${symbol}]`;
  });
  return { kind: "number", code: code.join(""), hasDayAndMonth: false };
}

function datePattern(tokens: FormatToken[]): Omit<Pattern, "hasText"> {
  const calendars = tokens.map(calendarOf);
  const units = tokens.flatMap(({ type, value }) => (type === "DATETIME" ? [value.toLowerCase()] : []));
  // Years of emperors and of calendars that numfmt does not know would be other years.
  if (calendars.includes("unknown") || units.some((unit) => unit.startsWith("g")))
    return { kind: "date", code: "yyyy-mm-dd", hasDayAndMonth: false };
  const isBuddhist = calendars.includes("Buddhist");
  const separator = dateSeparator(tokens);
  const hasDayAndMonth = units.includes("mmmm") && units.some((unit) => unit === "d" || unit === "dd");
  const code = withHalfDays(tokens).map(({ type, value, raw }) => {
    if (type === "SLASH") return separator;
    if (type === "LOCALE") return languageOf(value, raw, hasDayAndMonth);
    return isBuddhist && type === "DATETIME" && /^y/i.test(value) ? (value.length > 2 ? "bbbb" : "bb") : raw;
  });
  const isElapsed = tokens.some(({ type }) => type === "DURATION");
  const hasTime = isElapsed || units.some((unit) => /^[hs]/.test(unit));
  // An m beside hours or seconds is a minute.
  const hasDay = units.some((unit) => /^([yedba]|mmm)/.test(unit) || (unit.startsWith("m") && !hasTime));
  return { kind: isElapsed && !hasDay ? "elapsed" : "date", code: code.join(""), hasDayAndMonth };
}

/** numfmt knows `A/P`, and takes `a/p` for letters. */
function withHalfDays(tokens: FormatToken[]): FormatToken[] {
  const at = tokens.findIndex((_, index) =>
    ["a", "/", "p"].every((raw, offset) => tokens[index + offset]?.raw === raw),
  );
  if (at === -1) return tokens;
  return [...tokens.slice(0, at), { type: "AMPM", value: "A/P", raw: "A/P" }, ...tokens.slice(at + 3)];
}

/** Of a Windows code, MS-LCID: the language, its default country, and the sign for months in the genitive in place of a country. */
const [LANGUAGE, DEFAULT_COUNTRY, GENITIVE] = [0x3ff, 0x400, 0xfc00];

/** Languages in which a month beside a day has another case than by itself, by their codes: `29 lutego`, but `luty 2024`. */
const languagesWithCases: Record<number, string> = {
  1029: "cs",
  1035: "fi",
  1045: "pl",
  1049: "ru",
  1050: "hr",
  1051: "sk",
  1058: "uk",
  1059: "be",
  1063: "lt",
};

/** The language of a format, as numfmt knows it: `[$-C0A]` is Spanish of Spain, and `[$-FC19]` Russian with its months in the genitive. */
function languageOf(value: string, raw: string, hasDayAndMonth: boolean): string {
  const [, hex, tag] = /^-(?:([0-9a-f]{3,4})|([a-z]{2}(?:-[a-z]{2})?))$/i.exec(value) ?? [];
  if (tag !== undefined) return hasDayAndMonth && besideDay(tag) !== tag ? `[$-${besideDay(tag)}]` : raw;
  if (hex === undefined) return raw;
  const code = Number.parseInt(hex, 16);
  const ofDefaultCountry = (code & LANGUAGE) | DEFAULT_COUNTRY;
  const language = languagesWithCases[(code & GENITIVE) === GENITIVE ? ofDefaultCountry : code];
  if (hasDayAndMonth && language !== undefined) return `[$-${besideDay(language)}]`;
  const other = ofDefaultCountry.toString(16);
  return getLocale(hex) === undefined && getLocale(other) !== undefined ? `[$-${other}]` : raw;
}

/** numfmt's name of a language with its months as they are beside a day. */
function besideDay(language: string): string {
  const [tag = ""] = language.split("-");
  if (!Object.values(languagesWithCases).includes(tag)) return language;
  const name = `${tag}-besideday`;
  if (getLocale(name)?.isBesideDay) return name;
  const dates = new Intl.DateTimeFormat(tag, { day: "numeric", month: "long", timeZone: "UTC" });
  const mmmm = Array.from({ length: 12 }, (_, month) => {
    const parts = dates.formatToParts(Date.UTC(2000, month, 1));
    return parts.find(({ type }) => type === "month")?.value ?? "";
  });
  addLocale({ ...getLocale(tag), mmmm, isBesideDay: true }, name);
  return name;
}

/** A format with a language has the separator of that language where it has a slash. */
function dateSeparator(tokens: FormatToken[]): string {
  for (const { type, value } of tokens) {
    const [, language] = (type === "LOCALE" && /-[0-9a-f]*?0?([0-9a-f]{3,4})$/i.exec(value)) || [];
    if (!language || !getLocale(language)) continue;
    const [separator = "/"] = /[^a-z]/i.exec(getFormatFromId(14, language) ?? "") ?? [];
    return `"${separator}"`;
  }
  return "/";
}

/** `[$-107041E]` is Thai, with the calendar 07. MS-LCID says which there are. */
function calendarOf({ type, value }: FormatToken): "Gregorian" | "Buddhist" | "unknown" {
  const [, calendar] = (type === "LOCALE" && /-[0-9a-f]{0,2}([0-9a-f]{2})[0-9a-f]{4}$/i.exec(value)) || [];
  if (calendar === "07") return "Buddhist";
  return !calendar || ["00", "01", "02", "09", "0A", "0B", "0C"].includes(calendar.toUpperCase())
    ? "Gregorian"
    : "unknown";
}

const unitCodes: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {
  year: "yyyy",
  month: "mm",
  day: "dd",
  hour: "hh",
  minute: "mm",
  dayPeriod: "AM/PM",
};

/** The number format of dates, or of dates with times, in a language. Files leave it to the reader's system. */
export function systemDateFormat(language: string, hasTime: boolean): string {
  const parts = new Intl.DateTimeFormat(language, {
    calendar: "gregory",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    ...(hasTime ? { hour: "2-digit", minute: "2-digit" } : {}),
  }).formatToParts(0);
  return parts.map(({ type, value }) => unitCodes[type] ?? `"${value}"`).join("");
}

/** The number of days of `2026-03-14` or `2026-03-14T09:30:00`, counted from 30 December 1899; null for another text. */
export function daysOfDate(text: string): number | null {
  const [, date, hours = 0, minutes = 0, seconds = 0] =
    /^(-?\d{4,6}-\d\d-\d\d)(?:T(\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?Z?)?$/.exec(text) ?? [];
  const days = Date.parse(`${date}T00:00:00Z`) / DAY_MS + DAYS_BEFORE_1970;
  return Number.isNaN(days) ? null : days + partOfDay(Number(hours), Number(minutes), Number(seconds));
}

/** The number of days of a duration such as `PT168H30M00S`; null for another text. */
export function daysOfDuration(text: string): number | null {
  const [all, sign, days = 0, hours = 0, minutes = 0, seconds = 0] =
    /^(-?)P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?$/.exec(text) ?? [];
  if (all === undefined) return null;
  const total =
    Number(days) + partOfDay(Number(hours), Number(minutes), Number(String(seconds).replace(",", ".")));
  return sign ? -total : total;
}

const partOfDay = (hours: number, minutes: number, seconds: number) =>
  (hours * 3_600 + minutes * 60 + seconds) / 86_400;
