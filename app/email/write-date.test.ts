import { describe, expect, it } from "vitest";
import { writeDate } from "./write-date";

const write = (date: string, locale = "en", timeZone?: string) => {
  const { written, time } = writeDate(date, locale, timeZone);
  return (time === undefined ? written : `${written} · ${time}`).replaceAll("\u202f", " ");
};

describe("an event's date", () => {
  it.each([
    ["2026-12-05", "Saturday, December 5, 2026"],
    ["2028-02-29", "Tuesday, February 29, 2028"],
    ["2026-02-30", "2026-02-30"],
    ["every first Sunday", "every first Sunday"],
    ["2026-12-056", "2026-12-056"],
  ])("is %s as %s", (date, written) => {
    expect(write(date)).toBe(written);
  });

  it.each([
    ["2026-12-05T23:30:00-05:00", undefined, "Saturday, December 5, 2026 · 11:30 PM GMT-5"],
    ["2026-12-05T19:30:00+05:30", undefined, "Saturday, December 5, 2026 · 7:30 PM GMT+5:30"],
    ["2026-12-05T19:30Z", undefined, "Saturday, December 5, 2026 · 7:30 PM GMT"],
    ["2026-12-05 19:30", undefined, "Saturday, December 5, 2026 · 7:30 PM"],
    // As a program writes a calendar day.
    ["2026-12-05T00:00:00.000Z", undefined, "Saturday, December 5, 2026"],
    ["2026-12-05 in the evening", undefined, "Saturday, December 5, 2026 · in the evening"],
    [
      "2026-12-05T23:30:00Z",
      "Europe/Berlin",
      "Sunday, December 6, 2026 · 12:30 AM Central European Standard Time",
    ],
    ["2026-07-05T19:30", "America/New_York", "Sunday, July 5, 2026 · 7:30 PM Eastern Daylight Time"],
    // An hour after the clocks were put forward, and an hour before.
    ["2026-03-29T03:30", "Europe/Berlin", "Sunday, March 29, 2026 · 3:30 AM Central European Summer Time"],
    ["2026-03-29T01:30", "Europe/Berlin", "Sunday, March 29, 2026 · 1:30 AM Central European Standard Time"],
    ["2026-12-05T24:30", undefined, "Saturday, December 5, 2026 · 24:30"],
  ])("with a time is %s, zone %s, as %s", (date, timeZone, written) => {
    expect(write(date, "en", timeZone)).toBe(written);
  });

  it("names an offset, and puts a leaf, as the language does", () => {
    expect(write("2026-12-05T19:30:00-03:30", "fr")).toBe("samedi 5 décembre 2026 · 19:30 UTC-3:30");
    expect(write("2026-12-05T19:30:00+00:00", "fr")).toBe("samedi 5 décembre 2026 · 19:30 UTC");
    expect(writeDate("2026-12-05", "ja").short).toEqual({ day: "5", month: "12月" });
    // The day there, not in UTC.
    expect(writeDate("2026-12-05T23:30Z", "en", "Asia/Tokyo").short).toEqual({ day: "6", month: "Dec" });
    expect(writeDate("Sundays", "en")).toEqual({ written: "Sundays" });
  });
});
