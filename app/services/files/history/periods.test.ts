import { describe, expect, it } from "vitest";
import { addDays } from "./calendar-days";
import { momentAt, periodsOf } from "./periods";

const start = new Date(2026, 10, 12).getTime();
const day = { start, end: addDays(start, 1) };
const at = (hours: number, minutes: number) => new Date(2026, 10, 12, hours, minutes).getTime();
const later = day.end + 1_000_000;

describe("the periods of a day", () => {
  it("are between the minutes in which something changed, and each has a moment after its first minute", () => {
    expect(periodsOf([at(10, 2), at(10, 41)], day, later)).toEqual([
      { from: null, to: at(10, 2), moment: at(10, 2) - 1 },
      { from: at(10, 2), to: at(10, 41), moment: at(10, 3) - 1 },
      { from: at(10, 41), to: null, moment: at(10, 42) - 1 },
    ]);
  });

  it("are the whole day if nothing changed on it", () => {
    expect(periodsOf([start - 60_000, day.end], day, later)).toEqual([
      { from: null, to: null, moment: day.end - 1 },
    ]);
  });

  it("end in the present", () => {
    expect(periodsOf([], day, at(9, 0))).toEqual([{ from: null, to: null, moment: at(9, 0) }]);
    const seconds = at(10, 2) + 20_000;
    expect(periodsOf([at(10, 2)], day, seconds).at(-1)).toEqual({
      from: at(10, 2),
      to: null,
      moment: seconds,
    });
    expect(periodsOf([at(10, 2)], day, at(9, 0)), "a change after the present").toHaveLength(1);
  });
});

it("takes the end of the minute of a time field", () => {
  expect(momentAt(start, "10:02")).toBe(at(10, 3) - 1);
  expect(momentAt(start, "00:00")).toBe(start + 59_999);
});
