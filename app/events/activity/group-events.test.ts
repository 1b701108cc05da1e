import { expect, test } from "vitest";
import { visibleText } from "../../locales/visible-text";
import type { VisibleEvent } from "../visible-events.server";
import { foldersOf, groupEvents, nameOfKey } from "./group-events";

let count = 0;
/** @param minutes before the first event */
const event = (minutes: number, key: string, changes: object = {}): VisibleEvent => ({
  id: `e-${++count}`,
  type: "file.uploaded",
  occurredAt: new Date(Date.UTC(2026, 0, 1) - minutes * 60_000).toISOString(),
  visitor: { id: "u-1", name: "Ada" },
  subject: { bucket: "b", key },
  data: {},
  source: "service",
  ...changes,
});
const shape = (events: VisibleEvent[]) =>
  groupEvents(events).map(({ kind, events }) => [kind, events.length]);

test("what one person did in one folder in a short time is one group", () => {
  expect(shape([event(0, "a/1"), event(9, "a/2"), event(18, "a/3/"), event(29, "a/4")])).toEqual([
    ["uploaded", 3],
    ["uploaded", 1],
  ]);
});

test.each<[string, object]>([
  ["by somebody else", { visitor: { id: "u-2" } }],
  ["by nobody known", { visitor: null }],
  ["of another kind", { type: "file.deleted" }],
  ["in another folder", { subject: { bucket: "b", key: "b/2" } }],
  ["in another bucket", { subject: { bucket: "c", key: "a/2" } }],
  ["told by the store", { source: "store" }],
])("what was done %s is another group", (_, changes) => {
  expect(groupEvents([event(0, "a/1"), event(1, "a/2", changes), event(2, "a/3")])).toHaveLength(3);
});

test("what one action did in several folders is one group, of the folder that holds them", () => {
  const copied = (seconds: number, key: string, changes = {}) =>
    event(seconds / 60, key, { type: "file.copied", ...changes });
  const groups = groupEvents([
    copied(0, "a/b/c/1"),
    copied(1, "a/b/2"),
    copied(2, "a/d/3"),
    copied(3, "e/4", { visitor: { id: "u-2" } }),
    copied(4, "a/b/5"),
    copied(10, "a/d/6"),
  ]);
  expect(groups.map(({ events, prefix }) => [events.length, prefix])).toEqual([
    [3, "a/"],
    [1, "e/"],
    [1, "a/b/"],
    [1, "a/d/"],
  ]);
});

test("opening is told from downloading, and renaming from moving", () => {
  const moved = (from: string) => event(0, "a/new.txt", { type: "file.moved", data: { from } });
  const signed = (disposition: "inline" | "attachment") =>
    event(0, "a/1", { type: "file.download_signed", data: { disposition } });
  const shown = event(0, "a/1", {
    type: "file.download_signed",
    data: { disposition: "attachment", purpose: "thumbnail" },
  });
  const all = [signed("inline"), signed("attachment"), shown, moved("a/old.txt"), moved("b/new.txt")];
  const kinds = shape(all).map(([kind]) => kind);
  expect(kinds).toEqual(["opened", "downloaded", "thumbnail", "renamed", "moved"]);
});

test("the name of a key is its last part, also of a folder", () => {
  expect(["a.txt", "a/b.txt", "a/b/", "a/"].map(nameOfKey)).toEqual(["a.txt", "b.txt", "b", "a"]);
});

test("folders are written from the highest one on, which has no name", () => {
  expect(visibleText(foldersOf("a/b/c/", ""))).toBe("a/b/c");
  expect(visibleText(foldersOf("a/b/c/", "a/"))).toBe("b/c");
  expect(foldersOf("a/", "a/")).toBe("");
});
