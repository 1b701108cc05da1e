import { expect, it } from "vitest";
import { preferredWait, prefersAsync } from "./prefer";

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

it.each([
  ["respond-async", true],
  ["wait=3, Respond-Async", true],
  ["respond-async; x=1", true],
  ["respond-asynchronously", false],
  ["x-respond-async", false],
  [undefined, false],
])("Prefer: %s wants a response at once: %s", (prefer, expected) => {
  expect(prefersAsync(prefer)).toBe(expected);
});
