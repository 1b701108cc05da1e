import { isolated } from "./translate";

/** Formats dates, sizes and numbers for a locale. */
export interface Formats {
  number(value: number): string;
  /** `8.1 MB` */
  size(bytes: number): string;
  /** `3.2` and `8.1 MB`, in one unit */
  progress(sent: number, total: number): { sent: string; total: string };
  /** `45 sec`, `3 min`, `1.5 hr` */
  duration(seconds: number): string;
  date(iso: string): string;
  /** with the month in words: a sentence may contain it. Arabic separates numbers by marks of direction, which sentences show as code points */
  longDate(iso: string): string;
  /** for narrow places: the day and month of this year, the month of other years */
  shortDate(iso: string): string;
  dateTime(iso: string): string;
  /** the date as in `date`, and the time */
  dateAndTime(iso: string): string;
  /** as `dateTime`, with seconds */
  dateTimeSeconds(iso: string): string;
  /** `14:05` */
  time(iso: string): string;
  /** `today`, `yesterday`, or the date with its day of the week */
  day(iso: string): string;
  /** `50%` of 0.5 */
  percent(ratio: number): string;
  /** `a, b or c` */
  anyOf(names: readonly string[]): string;
  compare(a: string, b: string): number;
}

/** Units with their length, seconds. */
const durations = [
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/**
 * @param locale a BCP 47 tag
 * @param timeZone UTC on the server and in the first rendering; undefined for the person's own
 */
export function formatsFor(locale: string, timeZone: string | undefined, rightToLeft = false): Formats {
  const number = new Intl.NumberFormat(locale);
  const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone });
  const longDate = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short", timeZone });
  const dateAndTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone });
  const dateTimeSeconds = new Intl.DateTimeFormat(locale, {
    dateStyle: "long",
    timeStyle: "medium",
    timeZone,
  });
  const thisYear = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone });
  const otherYear = new Intl.DateTimeFormat(locale, { month: "short", year: "numeric", timeZone });
  const time = new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone });
  const weekday = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeZone });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  // Days since 1970 in the time zone: Swedish writes dates as ISO 8601 does.
  const isoDay = new Intl.DateTimeFormat("sv", { timeZone });
  const daysSince1970 = (moment: Date) => Date.parse(isoDay.format(moment)) / 86_400_000;
  const collator = new Intl.Collator(locale, { numeric: true, sensitivity: "base" });
  const bySize = units.map((unit, step) => {
    const style = { style: "unit", unit, unitDisplay: step === 0 ? "long" : "short" } as const;
    return {
      fine: new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: 1 }),
      coarse: new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: 0 }),
      plain: new Intl.NumberFormat(locale, {
        minimumFractionDigits: step === 0 ? 0 : 1,
        maximumFractionDigits: 1,
      }),
    };
  });
  // In right-to-left text, the number would otherwise come after its Latin unit.
  const isolate = (text: string) => (rightToLeft ? isolated(text) : text);
  const write = (amount: number, step: number) => {
    const unit = bySize[step] ?? bySize[0];
    return isolate((amount < 10 ? unit?.fine : unit?.coarse)?.format(amount) ?? "");
  };
  const size = (bytes: number) => {
    const step = stepOf(bytes);
    return write(bytes / 1000 ** step, step);
  };
  return {
    number: (value) => number.format(value),
    size,
    progress(sent, total) {
      const step = stepOf(total);
      const unit = bySize[step] ?? bySize[0];
      return {
        sent: unit?.plain.format(sent / 1000 ** step) ?? "",
        total: isolate(unit?.fine.format(total / 1000 ** step) ?? ""),
      };
    },
    duration(seconds) {
      const [unit, length] = durations.find(([, from]) => seconds >= from) ?? ["second", 1];
      const amount = Math.ceil((seconds / length) * 2) / 2;
      const style = { style: "unit", unit, unitDisplay: "short" } as const;
      return new Intl.NumberFormat(locale, style).format(unit === "hour" ? amount : Math.ceil(amount));
    },
    date: (iso) => date.format(new Date(iso)),
    longDate: (iso) => longDate.format(new Date(iso)),
    shortDate(iso) {
      const day = new Date(iso);
      return (day.getFullYear() === new Date().getFullYear() ? thisYear : otherYear).format(day);
    },
    dateTime: (iso) => dateTime.format(new Date(iso)),
    dateAndTime: (iso) => dateAndTime.format(new Date(iso)),
    dateTimeSeconds: (iso) => dateTimeSeconds.format(new Date(iso)),
    time: (iso) => time.format(new Date(iso)),
    day(iso) {
      const moment = new Date(iso);
      const days = daysSince1970(moment) - daysSince1970(new Date());
      return days === 0 || days === -1 ? relative.format(days, "day") : weekday.format(moment);
    },
    percent: (ratio) => new Intl.NumberFormat(locale, { style: "percent" }).format(ratio),
    anyOf: (names) => new Intl.ListFormat(locale, { type: "disjunction" }).format(names.map(isolate)),
    compare: (a, b) => collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0),
  };
}

/** Index into `units`. They are powers of 1000. */
function stepOf(bytes: number): number {
  let step = 0;
  for (let amount = bytes; amount >= 999.5 && step < units.length - 1; step++) amount /= 1000;
  return step;
}
