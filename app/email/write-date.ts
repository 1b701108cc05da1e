export interface WrittenDate {
  /** like "Saturday, December 5, 2026" */
  written: string;
  /** like "7:30 PM Central European Standard Time"; absent where no time was given */
  time?: string;
  /** for a calendar leaf; absent where there is no telling which day is meant */
  short?: { day: string; month: string };
}

/** date, hours, minutes, offset, and whatever follows */
const dateTime =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](?:([01]\d|2[0-3]):([0-5]\d)(?::\d{2}(?:[.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?$|(.+))|$)/i;
/** what a calendar day becomes where a program turns it into a date-time */
const midnightUtc = /T00:00:00(\.0+)?Z$/i;

/**
 * A date written out, in the time zone of the event: the one named, or the offset in an ISO 8601 date-time. Without either the time stands
 * for itself. What is no such date is given back as it stands, so that nothing of an event is lost.
 * @param timeZone of the IANA database, a known one
 */
export function writeDate(value: string, locale: string, timeZone?: string): WrittenDate {
  const [, day, hours, minutes, offset, rest] = dateTime.exec(value) ?? [];
  const onTheWall = new Date(`${day}T${hours ?? "00"}:${minutes ?? "00"}:00Z`);
  if (day === undefined || Number.isNaN(onTheWall.getTime()) || !onTheWall.toISOString().startsWith(day)) {
    return { written: value };
  }
  const hasTime = hours !== undefined && (timeZone !== undefined || !midnightUtc.test(value));
  if (!hasTime) return { ...writeDay(onTheWall, locale, "UTC"), ...(rest && { time: rest }) };
  if (timeZone === undefined) {
    const time = format(locale, "UTC", "time").format(onTheWall);
    const zone = offset && ` ${nameOfOffset(offset, locale)}`;
    return { ...writeDay(onTheWall, locale, "UTC"), time: `${time}${zone ?? ""}` };
  }
  const instant =
    offset === undefined
      ? instantIn(timeZone, onTheWall)
      : new Date(onTheWall.getTime() - minutesOf(offset) * 60_000);
  return {
    ...writeDay(instant, locale, timeZone),
    time: format(locale, timeZone, "timeAndZone").format(instant),
  };
}

function writeDay(date: Date, locale: string, timeZone: string) {
  const [day, month] = [format(locale, timeZone, "day"), format(locale, timeZone, "month")];
  return {
    written: format(locale, timeZone, "date").format(date),
    // In some languages a day alone has a word with it: only its number fits the leaf.
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
  // Some write it as "GMT+0".
  const name = (utc.find(({ type }) => type === "timeZoneName")?.value ?? "UTC").replace(/\P{L}+$/u, "");
  const minutes = minutesOf(offset);
  if (minutes === 0) return name;
  const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${name}${minutes < 0 ? "-" : "+"}${hour}${minute ? `:${String(minute).padStart(2, "0")}` : ""}`;
}

/** When the clocks of a time zone show what `onTheWall` says in UTC. Looked up twice: the first guess may lie on the other side of a change. */
function instantIn(timeZone: string, onTheWall: Date): Date {
  const offsetAt = (instant: Date) => {
    const parts = format("en-US", timeZone, "offset").formatToParts(instant);
    const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d+)(?::(\d+))?/.exec(name) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  };
  const guess = new Date(onTheWall.getTime() - offsetAt(onTheWall));
  return new Date(onTheWall.getTime() - offsetAt(guess));
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

/** Making a format takes as long as rendering an e-mail; those of a campaign are the same over and over. */
const MOST_KEPT = 200;
const kept = new Map<string, Intl.DateTimeFormat>();

function format(locale: string, timeZone: string, name: keyof typeof formats): Intl.DateTimeFormat {
  const key = `${name} ${timeZone} ${locale}`;
  let made = kept.get(key);
  if (made === undefined) {
    if (kept.size >= MOST_KEPT) kept.clear();
    made = new Intl.DateTimeFormat(locale, { ...formats[name], timeZone });
    kept.set(key, made);
  }
  return made;
}
