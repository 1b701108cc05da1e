import { expect, it } from "vitest";
import { preferredWait } from "./prefer";

it.each([
  ["wait=10", 10],
  ["Wait=10", 10],
  ['wait = "10"', 10],
  ["respond-async, wait=10", 10],
  ["respond-async,wait=10;x=1, return=minimal", 10],
  ["wait=3, wait=10", 3],
  ["wait=999999999", 999_999_999],
])("Prefer: %s is a wait of %i seconds", (prefer, seconds) => {
  expect(preferredWait(prefer)).toBe(seconds);
});

it.each([
  undefined,
  "",
  "wait",
  "wait=",
  "wait=0",
  "wait=-1",
  "wait=1.5",
  "wait=1e3",
  "wait=soon",
  "wait=x, wait=10",
  "wait=9999999999",
  "await=10",
  "respond-async; wait=10",
])("Prefer: %s is not a wait", (prefer) => {
  expect(preferredWait(prefer)).toBeUndefined();
});
