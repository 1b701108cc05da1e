import { expect, it } from "vitest";
import { formatDuration } from "./wording";

it.each([
  [0, "1 s"],
  [58.1, "59 s"],
  [59.1, "1 min"],
  [61, "2 min"],
  [3_540, "59 min"],
  [3_541, "1 h 0 min"],
  [7_140, "1 h 59 min"],
  [7_199, "2 h 0 min"],
  [86_399, "24 h 0 min"],
])("%d seconds are %s", (seconds, words) => {
  expect(formatDuration(seconds)).toBe(words);
});
