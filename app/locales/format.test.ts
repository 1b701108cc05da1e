import { expect, test } from "vitest";
import { formatsFor } from "./format";
import { createTranslate } from "./translate";

const english = formatsFor("en", "UTC");

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1_000, "1 kB"],
  [8_140_000, "8.1 MB"],
  [18_283_112, "18 MB"],
  [999_600, "1 MB"],
  [5_000_000_000, "5 GB"],
])("%i bytes are written %s", (bytes, written) => {
  expect(english.size(bytes)).toBe(written);
});

test("progress has the unit of the whole, once", () => {
  expect(english.progress(3_210_000, 8_100_000)).toEqual({ sent: "3.2", total: "8.1 MB" });
  expect(english.progress(4_000_000, 8_100_000)).toEqual({ sent: "4.0", total: "8.1 MB" });
  expect(english.progress(5, 90)).toEqual({ sent: "5", total: "90 bytes" });
});

test("another language has its own ways", () => {
  expect(formatsFor("fr-CA", "UTC").size(8_140_000).replace(/\s/g, " ")).toBe("8,1 Mo");
  expect(formatsFor("he", "UTC", true).size(8_140_000)).toMatch(/^\u2068.*\u2069$/);
});

test("shares and lists are written by the language", () => {
  expect(formatsFor("fr", "UTC").percent(0.5)).toMatch(/^50\s%$/);
  expect(english.anyOf([".txt", "image/*"])).toBe(".txt or image/*");
  expect(formatsFor("de", "UTC").anyOf(["a", "b", "c"])).toBe("a, b oder c");
  expect(formatsFor("ar", "UTC", true).anyOf(["a"])).toBe("\u2068a\u2069");
});

test("dates are in the zone that is asked for", () => {
  expect(english.date("2026-01-01T00:30:00.000Z")).toBe("Jan 1, 2026");
  expect(formatsFor("en", "America/Toronto").date("2026-01-01T00:30:00.000Z")).toBe("Dec 31, 2025");
});

test.each(["ar", "he"])("in %s, dates and times in a sentence have no visible code points", (locale) => {
  const t = createTranslate({ at: "{when}" }, locale) as (key: string, values: { when: string }) => string;
  const { longDate, dateTime, dateTimeSeconds, dateAndTime, time, day } = formatsFor(locale, "UTC", true);
  for (const write of [longDate, dateTime, dateTimeSeconds, dateAndTime, time, day])
    expect(t("at", { when: write("2026-01-02T00:30:00.000Z") })).not.toContain("[U+");
});

test("durations are written in the largest unit that fits, rounded up", () => {
  const { duration } = formatsFor("en", "UTC");
  expect([0.2, 45.1, 60, 61, 3599, 3600, 5000].map(duration)).toEqual([
    "1 sec",
    "46 sec",
    "1 min",
    "2 min",
    "60 min",
    "1 hr",
    "1.5 hr",
  ]);
  expect(formatsFor("fr", "UTC").duration(90)).toMatch(/^2\smin$/);
});

test("a short date has a day in this year, and a year otherwise", () => {
  const { shortDate } = formatsFor("en", "UTC");
  const thisYear = new Date().getFullYear();
  expect(shortDate(`${thisYear}-06-15T12:00:00Z`)).toBe("Jun 15");
  expect(shortDate(`${thisYear - 1}-06-15T12:00:00Z`)).toBe(`Jun ${thisYear - 1}`);
});
