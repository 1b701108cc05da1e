import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { TypeAhead } from "./type-ahead";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const named = (...names: string[]) => names.map((name) => ({ name }));

/** The index of the item that has the focus after typing `letters`; -1 if nothing is found. */
function type(typing: TypeAhead, items: { name: string }[], letters: string, active: number): number {
  let at = active;
  for (const letter of letters) {
    const found = typing.find(items, letter, at);
    if (found === -1) return -1;
    at = found;
  }
  return at;
}

test.each([
  ["the next one", "a", 0, 2],
  ["the one after the last, which is the first", "a", 4, 0],
  ["one before the start, at the end of the round", "ap", 1, 0],
  ["one by letters that others begin with too", "bl", 0, 3],
  ["one with an accent that was not typed", "em", 4, 4],
  ["none", "c", 0, -1],
])("typing finds %s", (_, letters, start, found) => {
  const items = named("Apple", "banana", "Avocado", "blueberry", "Émile");
  expect(type(new TypeAhead(), items, letters, start)).toBe(found);
});

describe("Space", () => {
  const items = named("annual", "annual report", "annually");

  test("is a letter within a name that is being typed", () => {
    const typing = new TypeAhead();
    expect(typing.takes(" ", 0)).toBe(false);
    const at = type(typing, items, "annual", 2);
    expect(at).toBe(0);
    expect(typing.takes(" ", at)).toBe(true);
    expect(type(typing, items, " r", at)).toBe(1);
  });

  test("is a letter although no name begins with what was typed", () => {
    const typing = new TypeAhead();
    expect(typing.find(items, "x", 1)).toBe(-1);
    expect(typing.takes(" ", 1)).toBe(true);
  });

  test("is no letter after a pause, when a new name begins", () => {
    const typing = new TypeAhead();
    const at = type(typing, items, "annual", 2);
    vi.advanceTimersByTime(699);
    expect(typing.takes(" ", at)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(typing.takes(" ", at)).toBe(false);
    expect(typing.find(items, "a", at)).toBe(1);
  });

  test("is no letter after another key has moved the focus", () => {
    const typing = new TypeAhead();
    type(typing, items, "annual", 2);
    expect(typing.takes(" ", 1)).toBe(false);
    expect(typing.takes("a", 1)).toBe(true);
  });
});

test("a key such as Enter is no letter", () => {
  expect(new TypeAhead().takes("Enter", 0)).toBe(false);
});
