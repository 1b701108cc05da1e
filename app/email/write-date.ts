import { LRUCache } from "lru-cache";

interface WrittenDate {
  /** like "Saturday, December 5, 2026" */
  written: string;
  /** like "7:30 PM Central European Standard Time"; absent if no time was given */
  time?: string;
  /** for a calendar leaf; absent if the day is unknown */
  short?: { day: string; month: string };
}

/** date, hours, minutes, offset, and whatever follows */
const dateTime =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](?:([01]\d|2[0-3]):([0-5]\d)(?::\d{2}(?:[.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?$|(.+))|$)/i;
/** Many programs write a whole-day date like this. */
const midnightUtc = /T00:00:00(\.0+)?Z$/i;

/**
 * A date written out, in the event's time zone: the named one, or the offset in an ISO 8601 date-time. Without either, the time is shown
 * as it is. A text that is not such a date is returned unchanged, so that nothing is lost.
 * @param timeZone a valid name of the IANA database
 */
export function writeDate(value: string, locale: string, timeZone?: string): WrittenDate {
  const [, day, hours, minutes, offset, rest] = dateTime.exec(value) ?? [];
  const wallTime = new Date(`${day}T${hours ?? "00"}:${minutes ?? "00"}:00Z`);
  if (day === undefined || Number.isNaN(wallTime.getTime()) || !wallTime.toISOString().startsWith(day)) {
    return { written: value };
  }
  const hasTime = hours !== undefined && (timeZone !== undefined || !midnightUtc.test(value));
  if (!hasTime) return { ...writeDay(wallTime, locale, "UTC"), ...(rest && { time: rest }) };
  if (timeZone === undefined) {
    const time = format(locale, "UTC", "time").format(wallTime);
    const zone = offset && ` ${nameOfOffset(offset, locale)}`;
    return { ...writeDay(wallTime, locale, "UTC"), time: `${time}${zone ?? ""}` };
  }
  const instant =
    offset === undefined
      ? instantIn(timeZone, wallTime)
      : new Date(wallTime.getTime() - minutesOf(offset) * 60_000);
  return {
    ...writeDay(instant, locale, timeZone),
    time: format(locale, timeZone, "timeAndZone").format(instant),
  };
}

function writeDay(date: Date, locale: string, timeZone: string) {
  const [day, month] = [format(locale, timeZone, "day"), format(locale, timeZone, "month")];
  return {
    written: format(locale, timeZone, "date").format(date),
    // Some languages add a word to a day's number, and only the number fits the leaf.
    short: {
      day: day.formatToParts(date).find(({ type }) => type === "day")?.value ?? "",
      month: month.format(date),
    },
  };
}

/** Minutes east of Greenwich. */
function minutesOf(offset: string): number {
  if (/^z$/i.test(offset)) return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2));
  return offset.startsWith("-") ? -minutes : minutes;
}

/** Like `GMT-5` or, in French, `UTC-5`. */
function nameOfOffset(offset: string, locale: string): string {
  const utc = format(locale, "UTC", "offset").formatToParts(0);
  // Some languages write it as "GMT+0".
  const name = (utc.find(({ type }) => type === "timeZoneName")?.value ?? "UTC").replace(/\P{L}+$/u, "");
  const minutes = minutesOf(offset);
  if (minutes === 0) return name;
  const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${name}${minutes < 0 ? "-" : "+"}${hour}${minute ? `:${String(minute).padStart(2, "0")}` : ""}`;
}

/**
 * The instant at which clocks in a time zone show what `wallTime` says in UTC. The second look-up corrects a first
 * guess on the other side of a clock change.
 */
function instantIn(timeZone: string, wallTime: Date): Date {
  const offsetAt = (instant: Date) => {
    const parts = format("en-US", timeZone, "offset").formatToParts(instant);
    const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d+)(?::(\d+))?/.exec(name) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  };
  const guess = new Date(wallTime.getTime() - offsetAt(wallTime));
  return new Date(wallTime.getTime() - offsetAt(guess));
}

const formats = {
  date: { dateStyle: "full" },
  day: { day: "numeric" },
  month: { month: "short" },
  time: { timeStyle: "short" },
  timeAndZone: { hour: "numeric", minute: "2-digit", timeZoneName: "long" },
  offset: { hour: "numeric", timeZoneName: "shortOffset" },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Whether `name` is a time zone of the IANA database. */
export function isTimeZone(name: string): boolean {
  try {
    format("en", name, "time");
    return true;
  } catch {
    return false;
  }
}

/** Making a format takes as long as rendering an e-mail, and the e-mails of a campaign use the same few. */
const MAX_CACHED_FORMATS = 200;
const cachedFormats = new LRUCache<string, Intl.DateTimeFormat>({ max: MAX_CACHED_FORMATS });

function format(locale: string, timeZone: string, name: keyof typeof formats): Intl.DateTimeFormat {
  const key = `${name} ${timeZone} ${locale}`;
  const made = cachedFormats.get(key) ?? new Intl.DateTimeFormat(locale, { ...formats[name], timeZone });
  cachedFormats.set(key, made);
  return made;
}
