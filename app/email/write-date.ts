export interface WrittenDate {
  /** like "Saturday, December 5, 2026" */
  written: string;
  /** for a calendar leaf; absent where there is no telling which day is meant */
  short?: { day: string; month: string };
}

/**
 * A date written out. Of an ISO 8601 date or date-time the day counts as it is written, whatever the time zone: that is
 * the day on the spot. What is no such date is given back as it stands, so that nothing of an event is lost.
 */
export function writeDate(value: string, locale: string): WrittenDate {
  const [day] = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(value) ?? [];
  const date = new Date(`${day}T00:00:00Z`);
  if (day === undefined || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(day)) {
    return { written: value };
  }
  return {
    written: date.toLocaleDateString(locale, { dateStyle: "full", timeZone: "UTC" }),
    short: {
      day: String(date.getUTCDate()),
      month: date.toLocaleDateString(locale, { month: "short", timeZone: "UTC" }),
    },
  };
}
