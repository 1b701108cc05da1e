import { beforeEach, expect, it, vi } from "vitest";
import { createListings } from "./listings.server";

const send = vi.fn();
const listings = createListings(send);
beforeEach(() => {
  send.mockReset();
});

it("a page on which a store found nothing yet is not the end of a folder", async () => {
  send.mockResolvedValueOnce({ IsTruncated: true, NextContinuationToken: "on" });
  send.mockResolvedValueOnce({
    IsTruncated: true,
    NextContinuationToken: "further",
    Contents: [{ Key: "docs/a", Size: 1, ETag: '"e"', LastModified: new Date(5_900) }],
  });
  const page = await listings.listBelow({ bucket: "b", prefix: "docs/", after: "docs/0" });
  expect(page).toEqual({
    entries: [{ key: "docs/a", size: 1, etag: '"e"', modified: 5, lastModified: new Date(5_900) }],
    next: "docs/a",
  });
  const asked = {
    Bucket: "b",
    Prefix: "docs/",
    StartAfter: "docs/0",
    MaxKeys: 1000,
    EncodingType: "url",
  };
  expect(send.mock.calls.map(([{ input }]) => input)).toEqual([
    { ...asked, ContinuationToken: undefined },
    { ...asked, ContinuationToken: "on" },
  ]);
});

it("keys are decoded if the store says that it has encoded them", async () => {
  const Contents = [{ Key: "a+%2B%0A%25.txt" }];
  const page = { Contents, CommonPrefixes: [{ Prefix: "b+c/" }] };
  const keysOf = async () => {
    const { objects, prefixes } = await listings.list({ bucket: "b", prefix: "" });
    return [...prefixes, ...objects.map(({ key }) => key)];
  };
  send.mockResolvedValueOnce({ ...page, EncodingType: "url" });
  expect(await keysOf()).toEqual(["b c/", "a +\n%.txt"]);
  send.mockResolvedValueOnce(page);
  expect(await keysOf()).toEqual(["b+c/", "a+%2B%0A%25.txt"]);
});

it("four pages of subtrees are requested at once, and a page of one folder does not wait for them", async () => {
  const held: (() => void)[] = [];
  send.mockImplementation(({ input }) =>
    input.Delimiter === "/" ? {} : new Promise((resolve) => held.push(() => resolve({ Contents: [] }))),
  );
  const below = { bucket: "b", prefix: "docs/", after: undefined };
  const pages = Array.from({ length: 20 }, (_, index) =>
    index % 2 === 0 ? listings.listBelow(below) : listings.listVersionsBelow(below),
  );
  await vi.waitFor(() => expect(held).toHaveLength(4));
  await listings.list({ bucket: "b", prefix: "docs/", cursor: undefined, pageSize: 1000 });
  expect(held).toHaveLength(4);
  for (let answered = 0; answered < 20; answered++) {
    await vi.waitFor(() => expect(held.length).toBe(Math.min(20, 4 + answered)));
    held[answered]?.();
  }
  expect(await Promise.all(pages)).toEqual(Array(20).fill({ entries: [], next: null }));
});

it("a page that fails makes room for the next", async () => {
  send.mockRejectedValue(new Error("away"));
  const below = { bucket: "b", prefix: "docs/", after: undefined };
  const pages = await Promise.allSettled(Array.from({ length: 20 }, () => listings.listBelow(below)));
  expect(new Set(pages.map(({ status }) => status))).toEqual(new Set(["rejected"]));
});

it("a page that waits for its turn is given up with its signal, and takes no turn", async () => {
  const held: (() => void)[] = [];
  send.mockImplementation(() => new Promise((resolve) => held.push(() => resolve({ Contents: [] }))));
  const below = { bucket: "b", prefix: "docs/", after: undefined };
  const gone = new AbortController();
  const ask = () => listings.listBelow({ ...below, signal: gone.signal });
  const requested = Array.from({ length: 4 }, ask);
  const waiting = Promise.allSettled(Array.from({ length: 4 }, ask));
  await vi.waitFor(() => expect(held).toHaveLength(4));
  gone.abort();
  const reason = gone.signal.reason;
  expect(await waiting).toEqual(Array(4).fill({ status: "rejected", reason }));
  for (const answer of held) answer();
  expect(await Promise.all(requested)).toHaveLength(4);
  expect(send).toHaveBeenCalledTimes(4);
});

it("orders objects and delete markers of a key as the store has them, as far as their times tell", async () => {
  const at = (seconds: number) => new Date(seconds * 1000);
  const object = { Key: "a", Size: 1, ETag: '"e"' };
  send.mockResolvedValue({
    Versions: [
      { ...object, VersionId: "4", IsLatest: true, LastModified: at(3) },
      { ...object, VersionId: "2", LastModified: at(3) },
      { ...object, VersionId: "1", LastModified: at(1) },
    ],
    DeleteMarkers: [
      { Key: "a", VersionId: "3", LastModified: at(3) },
      { Key: "B", VersionId: "5", IsLatest: true, LastModified: at(9) },
    ],
  });
  const { versions, next } = await listings.listVersions({ bucket: "b", prefix: "" });
  expect(versions.map(({ key, versionId, isMarker }) => [key, versionId, isMarker])).toEqual([
    ["B", "5", true],
    ["a", "4", false],
    ["a", "3", true],
    ["a", "2", false],
    ["a", "1", false],
  ]);
  expect(next).toBeNull();
});
