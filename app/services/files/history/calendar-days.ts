/** Days are the first moments of calendar days in the person's time zone, unix milliseconds. */

export function dayOf(moment: number): number {
  const date = new Date(moment);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

export function addDays(day: number, count: number): number {
  const date = new Date(day);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + count).getTime();
}

/** The same day of another month, or that month's last day if it is shorter. */
export function addMonths(day: number, count: number): number {
  const date = new Date(day);
  const [year, month] = [date.getFullYear(), date.getMonth() + count];
  const lastDate = new Date(year, month + 1, 0).getDate();
  return new Date(year, month, Math.min(date.getDate(), lastDate)).getTime();
}

/** The first day of the day's month. */
export function monthOf(day: number): number {
  const date = new Date(day);
  return new Date(date.getFullYear(), date.getMonth(), 1).getTime();
}

/** 1 for Monday to 7 for Sunday. */
function weekdayOf(day: number): number {
  return new Date(day).getDay() || 7;
}

export function startOfWeek(day: number, firstWeekday: number): number {
  return addDays(day, -((weekdayOf(day) - firstWeekday + 7) % 7));
}

/** The weeks that contain days of a month, seven days each. @param firstWeekday 1 for Monday to 7 for Sunday */
export function weeksOf(month: number, firstWeekday: number): number[][] {
  const end = addMonths(month, 1);
  const weeks: number[][] = [];
  for (let start = startOfWeek(month, firstWeekday); start < end; start = addDays(start, 7)) {
    const monday = start;
    weeks.push(Array.from({ length: 7 }, (_, index) => addDays(monday, index)));
  }
  return weeks;
}

/** A browser without week data (Firefox has none) gets weeks as ISO 8601 has them. */
const MONDAY = 1;

/** The weekday that weeks begin with in a locale: 1 for Monday to 7 for Sunday. */
export function firstWeekdayOf(locale: string): number {
  const known: WithWeekInfo = new Intl.Locale(locale);
  return (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? MONDAY;
}

/** A method, or in older browsers a property. TypeScript does not know them yet. */
interface WithWeekInfo extends Intl.Locale {
  getWeekInfo?(): { firstDay: number };
  weekInfo?: { firstDay: number };
}

/**
 * The day that a key leads to in a calendar; undefined for other keys. https://www.w3.org/WAI/ARIA/apg/patterns/dialog-modal/examples/datepicker-dialog/
 * @param forward the arrow key that points to the next day
 */
export function dayForKey(
  { key, shiftKey }: { key: string; shiftKey: boolean },
  day: number,
  { firstWeekday, forward }: { firstWeekday: number; forward: "ArrowLeft" | "ArrowRight" },
): number | undefined {
  switch (key) {
    case "ArrowLeft":
    case "ArrowRight":
      return addDays(day, key === forward ? 1 : -1);
    case "ArrowUp":
      return addDays(day, -7);
    case "ArrowDown":
      return addDays(day, 7);
    case "Home":
      return startOfWeek(day, firstWeekday);
    case "End":
      return addDays(startOfWeek(day, firstWeekday), 6);
    case "PageUp":
      return addMonths(day, shiftKey ? -12 : -1);
    case "PageDown":
      return addMonths(day, shiftKey ? 12 : 1);
    default:
      return undefined;
  }
}
