import { expect, test } from "vitest";
import { noFilters, toRequest } from "./filters";

const now = new Date(2026, 10, 24, 15, 30);
const at = (...parts: [number, number, number]) => new Date(...parts).toISOString();

test("without filters everything is asked for", () => {
  expect(toRequest(noFilters, now)).toEqual({});
});

test.each([
  ["today", at(2026, 10, 24)],
  ["week", at(2026, 10, 18)],
  ["month", at(2026, 9, 26)],
] as const)("%s begins with the day, in the browser's time zone", (time, after) => {
  expect(toRequest({ ...noFilters, time }, now)).toEqual({ after });
});

test("two dates include the last day, and either may be missing", () => {
  const dates = { ...noFilters, time: "dates" as const };
  expect(toRequest({ ...dates, from: "2026-10-31", to: "2026-10-31" }, now)).toEqual({
    after: at(2026, 9, 31),
    before: at(2026, 10, 1),
  });
  expect(toRequest({ ...dates, to: "2026-12-31" }, now)).toEqual({ before: at(2027, 0, 1) });
  expect(toRequest(dates, now)).toEqual({});
});

test("kind, person and folder are named as the endpoint expects them", () => {
  const chosen = {
    ...noFilters,
    kind: "changes" as const,
    person: { id: "u-1", name: "Ada" },
    folder: { bucket: "b", prefix: "a/b/" },
  };
  expect(toRequest(chosen, now)).toEqual({
    type: "file.moved,file.copied",
    visitor: "u-1",
    bucket: "b",
    folderPath: "/a/b",
  });
  expect(toRequest({ ...noFilters, folder: { bucket: "b", prefix: "" } }, now)).toEqual({
    bucket: "b",
    folderPath: "/",
  });
});
