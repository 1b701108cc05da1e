const MINUTE_MS = 60_000;

/** A time in which nothing changed in the folder. */
export interface Period {
  /** the minute of the change before, unix milliseconds; null if that was on an earlier day */
  from: number | null;
  /** the minute of the change after; null if there is none on this day */
  to: number | null;
  /** a moment in it, unix milliseconds: changes in one minute count as one, so it is after all changes of `from` */
  moment: number;
}

/**
 * Divides a day at the minutes in which something changed.
 * @param changes minutes, unix milliseconds, in their order
 * @param day its first moment and the one after its last, unix milliseconds
 * @param present no period begins later, and no moment is later
 */
export function periodsOf(
  changes: readonly number[],
  day: { start: number; end: number },
  present: number,
): Period[] {
  const onDay = changes.filter((minute) => minute >= day.start && minute < day.end && minute <= present);
  const end = Math.min(day.end - 1, present);
  const [first] = onDay;
  if (first === undefined) return [{ from: null, to: null, moment: end }];
  return [
    { from: null, to: first, moment: first - 1 },
    ...onDay.map((from, index) => ({
      from,
      to: onDay[index + 1] ?? null,
      moment: Math.min(from + MINUTE_MS - 1, end),
    })),
  ];
}

/** The last moment of a minute of a day: after all changes of the minute. @param time `10:02`, as a time field has it */
export function momentAt(day: number, time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const start = new Date(day);
  return (
    new Date(start.getFullYear(), start.getMonth(), start.getDate(), hours, minutes).getTime() + MINUTE_MS - 1
  );
}
