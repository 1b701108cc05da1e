import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepPlace, keptPlace } from "./kept-place";

const stored = new Map<string, string>();
beforeEach(() => {
  stored.clear();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

test("a place is kept under its key, until there is another or none", () => {
  expect(keptPlace("k")).toBeNull();
  keepPlace("k", "/a");
  keepPlace("other", "/b");
  expect(keptPlace("k")).toBe("/a");
  keepPlace("k", "/a/c");
  expect(keptPlace("k")).toBe("/a/c");
  keepPlace("k", null);
  expect(keptPlace("k")).toBeNull();
  expect(Object.fromEntries(stored)).toEqual({ other: "/b" });
});

test("where a frame is allowed no storage, nothing is kept and nothing fails", () => {
  vi.unstubAllGlobals();
  // As browsers do it: the property itself throws.
  Object.defineProperty(globalThis, "sessionStorage", {
    configurable: true,
    get() {
      throw new DOMException("Access is denied for this document.", "SecurityError");
    },
  });
  try {
    keepPlace("k", "/a");
    keepPlace("k", null);
    expect(keptPlace("k")).toBeNull();
  } finally {
    Reflect.deleteProperty(globalThis, "sessionStorage");
  }
});
