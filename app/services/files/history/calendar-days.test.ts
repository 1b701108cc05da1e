import { describe, expect, it } from "vitest";
import {
  addDays,
  addMonths,
  dayForKey,
  dayOf,
  firstWeekdayOf,
  monthOf,
  startOfWeek,
  weeksOf,
} from "./calendar-days";

const day = (year: number, month: number, date: number) => new Date(year, month - 1, date).getTime();
const dateOf = (moment: number) => new Date(moment).getDate();
const [MONDAY, SATURDAY, SUNDAY] = [1, 6, 7];

describe("days", () => {
  it("begin at midnight, also where clocks change", () => {
    const days = Array.from({ length: 400 }, (_, count) => addDays(day(2026, 1, 1), count));
    for (const one of days) expect([one, dayOf(one + 3_600_000 * 12)]).toEqual([one, one]);
    expect(new Set(days).size).toBe(400);
  });

  it("of a longer month become the last of a shorter one", () => {
    expect(addMonths(day(2026, 1, 31), 1)).toBe(day(2026, 2, 28));
    expect(addMonths(day(2024, 2, 29), 12)).toBe(day(2025, 2, 28));
    expect(addMonths(day(2026, 1, 15), -1)).toBe(day(2025, 12, 15));
  });
});

describe("weeks of a month", () => {
  it("begin with the weekday of the locale, and contain the whole month", () => {
    const month = day(2026, 11, 1);
    for (const first of [MONDAY, SATURDAY, SUNDAY]) {
      const weeks = weeksOf(month, first);
      expect(
        weeks.every((week) => week.length === 7 && (new Date(week[0] ?? 0).getDay() || 7) === first),
      ).toBe(true);
      const own = weeks.flat().filter((one) => monthOf(one) === month);
      expect(own.map(dateOf)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    }
  });

  it("begin on Monday in Germany, on Sunday in the United States, on Saturday in Egypt", () => {
    expect(["de-DE", "en-US", "ar-EG"].map(firstWeekdayOf)).toEqual([MONDAY, SUNDAY, SATURDAY]);
  });
});

describe("keys", () => {
  const from = day(2026, 11, 12); // a Thursday
  const press = (
    key: string,
    { shiftKey = false, forward = "ArrowRight" as "ArrowRight" | "ArrowLeft" } = {},
  ) => dayForKey({ key, shiftKey }, from, { firstWeekday: MONDAY, forward });

  it("move by a day, a week, a month, or a year", () => {
    expect(press("ArrowRight")).toBe(day(2026, 11, 13));
    expect(press("ArrowLeft")).toBe(day(2026, 11, 11));
    expect(press("ArrowLeft", { forward: "ArrowLeft" }), "right to left").toBe(day(2026, 11, 13));
    expect([press("ArrowUp"), press("ArrowDown")]).toEqual([day(2026, 11, 5), day(2026, 11, 19)]);
    expect([press("PageUp"), press("PageDown")]).toEqual([day(2026, 10, 12), day(2026, 12, 12)]);
    expect(press("PageUp", { shiftKey: true })).toBe(day(2025, 11, 12));
    expect(press("PageDown", { shiftKey: true })).toBe(day(2027, 11, 12));
  });

  it("lead to the ends of the week, and others nowhere", () => {
    expect([press("Home"), press("End")]).toEqual([day(2026, 11, 9), day(2026, 11, 15)]);
    expect(startOfWeek(from, SUNDAY)).toBe(day(2026, 11, 8));
    expect([press("Enter"), press("a")]).toEqual([undefined, undefined]);
  });
});
