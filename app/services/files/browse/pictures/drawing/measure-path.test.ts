import { expect, test } from "vitest";
import { measurePath } from "./measure-path";

test.each([
  ["", 0, 0],
  ["M0 0h3v4z", 4, 12],
  ["M0 0 3 4 3 0", 3, 9],
  ["m1 1 3 4l-3-4", 3, 5 + 5 + Math.SQRT2],
  ["M0,0C0,5 5,5 5,0", 2, 15],
  ["M0 0L1e1.5", 2, Math.hypot(10, 0.5)],
])("%j", (path, segments, length) => {
  const measured = measurePath(path);
  expect(measured.segments).toBe(segments);
  expect(measured.length).toBeCloseTo(length);
});

test("the flags of an arc may stand without a space", () => {
  expect(measurePath("M0 0a1 1 0 01.5.5").segments).toBe(2);
  expect(measurePath("M0 0a1 1 0 01.5.5 1 1 0 1 0 2 2").segments).toBe(3);
});

test("a curve is never longer than it is said to be", () => {
  // Half a circle, whose radius is smaller than its ends are apart.
  expect(measurePath("M0 0A1 1 0 0 1 100 0").length).toBeGreaterThan(50 * Math.PI);
});
