import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { noChoice } from "../filter-choice";
import { addEntry, folderOfEntry, listenForFolder, markEntry } from "./use-navigation";

/** A browser's entries, as far as they are used: the current one is the last. */
let entries: unknown[];
let isFull: boolean;
let browser: EventTarget;
beforeEach(() => {
  entries = [null];
  isFull = false;
  browser = new EventTarget();
  const history = {
    get state() {
      return entries.at(-1);
    },
    pushState(state: unknown) {
      if (isFull) throw new DOMException("Too many entries.", "SecurityError");
      entries.push(state);
    },
    replaceState(state: unknown) {
      entries[entries.length - 1] = state;
    },
  };
  vi.stubGlobal("window", Object.assign(browser, { history }));
});
afterEach(() => vi.unstubAllGlobals());

const goTo = (state: unknown) => browser.dispatchEvent(Object.assign(new Event("popstate"), { state }));

test("the first folder marks the current entry, and each further one adds an entry", () => {
  markEntry("/");
  addEntry("/a");
  addEntry("/a/b");
  expect(entries.map(folderOfEntry)).toEqual(["/", "/a", "/a/b"]);
});

test("opening the open folder again adds no entry", () => {
  markEntry("/a");
  addEntry("/a");
  expect(entries.map(folderOfEntry)).toEqual(["/a"]);
});

test("another time of the open folder adds an entry, and going back returns the time", () => {
  const told: unknown[] = [];
  const stop = listenForFolder((path, time) => told.push([path, time]));
  const at = { kind: "at", moment: "2026-11-25T10:00:00Z" } as const;
  markEntry("/a");
  addEntry("/a", at);
  addEntry("/a", { ...at });
  addEntry("/a", { kind: "deleted" });
  expect(entries).toHaveLength(3);
  for (const entry of entries) goTo(entry);
  stop();
  expect(told).toEqual([
    ["/a", { kind: "now" }],
    ["/a", at],
    ["/a", { kind: "deleted" }],
  ]);
});

test("other filters of the open folder add an entry, and going back returns what was chosen", () => {
  const told: unknown[] = [];
  const stop = listenForFolder((path, _time, choice) => told.push([path, choice.kind, choice.size]));
  markEntry("/a");
  addEntry("/a", undefined, { ...noChoice, kind: "pdf" });
  addEntry("/a", undefined, { ...noChoice, kind: "pdf" });
  addEntry("/a", undefined, { ...noChoice, kind: "pdf", size: 1_000_000 });
  expect(entries).toHaveLength(3);
  for (const entry of entries) goTo(entry);
  goTo({ folder: "/a", choice: { kind: "unknown" } });
  markEntry("/a", { ...noChoice, kind: "image" });
  goTo(entries.at(-1));
  stop();
  expect(told).toEqual([
    ["/a", null, null],
    ["/a", "pdf", null],
    ["/a", "pdf", 1_000_000],
    ["/a", null, null],
    ["/a", "image", null],
  ]);
});

test("a folder opens although the browser takes no more entries", () => {
  markEntry("/");
  isFull = true;
  addEntry("/a");
  expect(entries.map(folderOfEntry)).toEqual(["/"]);
});

test("entries of the embedding page, or of anything else, have no folder", () => {
  for (const state of [null, undefined, "/a", 1, {}, { folder: 1 }, { path: "/a" }])
    expect(folderOfEntry(state)).toBeNull();
});

test("Back and Forward report the folder of an entry of ours, until the listener is stopped", () => {
  const told: string[] = [];
  const stop = listenForFolder((path) => told.push(path));
  goTo({ folder: "/a" });
  goTo(null);
  goTo({ page: 2 });
  goTo({ folder: "/" });
  stop();
  goTo({ folder: "/b" });
  expect(told).toEqual(["/a", "/"]);
});
