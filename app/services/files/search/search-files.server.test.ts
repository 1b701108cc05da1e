import { describe, expect, it } from "vitest";
import { testGrant } from "../../../../tests/support/files/grant";
import { noCatalogues } from "../../../../tests/support/files/test-events";
import type { ServiceTools } from "../../../embed/service";
import { searchFiles } from "./search-files.server";

const PAGE_SIZE = 1_000;
const grant = testGrant({ bucket: "b" });
const pad = (value: number, digits: number) => String(value).padStart(digits, "0");
const make = (count: number, keyAt: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => keyAt(index)).sort((one, other) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other)),
  );

/** A store of these keys that counts its requests. After `pagesBeforeGone` of them the caller goes away. */
function storeOf(
  keys: readonly string[],
  gone?: AbortController,
  pagesBeforeGone = Number.POSITIVE_INFINITY,
) {
  const asked = { requests: 0, now: 0, concurrent: 0 };
  const entry = (key: string) => ({
    key,
    size: 1,
    etag: '"e"',
    modified: 0,
    lastModified: new Date(0),
    storageClass: undefined,
  });
  const counted = async <Result>(result: () => Result): Promise<Result> => {
    asked.requests += 1;
    asked.now += 1;
    asked.concurrent = Math.max(asked.concurrent, asked.now);
    await new Promise(setImmediate);
    asked.now -= 1;
    if (asked.requests >= pagesBeforeGone) gone?.abort();
    return result();
  };
  const objectStore = {
    list: ({ prefix, pageSize = 1_000 }: { prefix: string; pageSize?: number }) =>
      counted(() => {
        const below = keys.filter((key) => key.startsWith(prefix));
        const names = new Set(
          below.map((key) => key.slice(0, key.indexOf("/", prefix.length) + 1 || key.length + 1)),
        );
        const page = [...names].slice(0, pageSize);
        return {
          prefixes: page.filter((name) => name.endsWith("/")),
          objects: page.filter((name) => !name.endsWith("/")).map(entry),
          nextCursor: names.size > pageSize ? "more" : null,
        };
      }),
    listBelow: ({ prefix, after = "" }: { prefix: string; after?: string }) =>
      counted(() => {
        const below = keys.filter((key) => key.startsWith(prefix));
        const start = after === "" ? 0 : below.indexOf(after) + 1;
        const page = below.slice(start, start + PAGE_SIZE);
        const next = start + PAGE_SIZE < below.length ? (page.at(-1) ?? null) : null;
        return { entries: page.map(entry), next };
      }),
  };
  return { objectStore, asked };
}

const toolsOf = (objectStore: object, signal?: AbortSignal) =>
  ({
    objectStore,
    catalogues: noCatalogues,
    context: { requestId: "r", signal },
    nowSeconds: 1_000,
    signingSecrets: ["a-secret-of-at-least-thirty-two-bytes"],
  }) as unknown as ServiceTools;

/** Searches to the end; each request is cut off after `pages` requests to the store. */
async function searchAll(keys: readonly string[], query: string, pages?: number) {
  const files: string[] = [];
  const folders: string[] = [];
  const total = { calls: 0, requests: 0, concurrent: 0, scanned: 0 };
  for (let cursor: string | undefined; ; ) {
    const gone = new AbortController();
    const { objectStore, asked } = storeOf(keys, gone, pages);
    const result = await searchFiles(
      { bucket: "b", query, cursor },
      grant,
      toolsOf(objectStore, gone.signal),
    );
    files.push(...result.files.map(({ key }) => key));
    folders.push(...result.folders.map(({ path }) => path));
    total.calls += 1;
    total.requests += asked.requests;
    total.scanned += result.scanned;
    total.concurrent = Math.max(total.concurrent, asked.concurrent);
    if (result.cursor === null) return { files, folders, ...total };
    cursor = result.cursor;
  }
}

const shapes: [what: string, keys: string[]][] = [
  ["one folder", make(5_500, (index) => `file-${pad(index, 6)}`)],
  [
    "twenty folders with folders in them",
    make(6_000, (index) => `client ${pad(index % 20, 2)}/case ${pad(index % 60, 2)}/file-${pad(index, 6)}`),
  ],
  [
    "more folders than are listed one by one",
    make(2_500, (index) => `f${pad(index % 300, 3)}/file-${index}`),
  ],
  [
    "names beyond the Basic Multilingual Plane",
    make(4_000, (index) => `${index % 2 ? "😀" : "\uffee"}/file-${index}`),
  ],
];

describe("search", () => {
  it.each(shapes)("finds every file in %s once, from request to request", async (_what, keys) => {
    for (const pages of [undefined, 3]) {
      const found = await searchAll(keys, "FILE", pages);
      expect(found.files.length).toBe(keys.length);
      expect(new Set(found.files).size).toBe(keys.length);
      expect(found.scanned).toBe(keys.length);
      expect(found.calls).toBeGreaterThan(1);
    }
  });

  it("finds each folder once, at any depth", async () => {
    const [, keys] = shapes[1] as [string, string[]];
    const clients = await searchAll(keys, "client");
    expect(clients.folders.length).toBe(20);
    const cases = await searchAll(keys, "case 07", 3);
    // One of the words may be in the name of a folder around it.
    expect(cases.folders).toEqual(["/client 07/case 07", "/client 07/case 27", "/client 07/case 47"]);
  });

  it("stops within a page where keys are in hundreds of folders, and goes on after the last one it looked at", async () => {
    const folders = "a/".repeat(480);
    const keys = make(150, (index) => `d${pad(index, 3)}/${folders}z`);
    const { objectStore } = storeOf(keys);
    const first = await searchFiles({ bucket: "b", query: "a" }, grant, toolsOf(objectStore));
    expect(first.folders.length).toBeGreaterThanOrEqual(1_000);
    expect(first.folders.length).toBeLessThan(2_000);

    const found = await searchAll(keys, "a");
    expect(found.folders.length).toBe(150 * 480);
    expect(new Set(found.folders).size).toBe(150 * 480);
    expect(found.scanned).toBe(150);
    // Nothing is found here until the last key, so only what is looked at can end a page.
    const last = await searchAll([...keys, "d150/last"], "last");
    expect(last).toMatchObject({ files: ["d150/last"], folders: [], scanned: 151 });
    expect(last.requests).toBeGreaterThan(3);
  });

  it("finds words of the folders around, at any depth and with any accent", async () => {
    const keys = make(3, (index) => `É${index}/${"é/".repeat(330)}z`);
    const { files } = await searchAll(keys, "e1 z");
    expect(files).toEqual([keys[1]]);
  });

  it("lists at most four folders at a time, and hardly more often than there are folders and pages", async () => {
    const [, tree] = shapes[1] as [string, string[]];
    const none = await searchAll(tree, "nothing like it");
    expect(none).toMatchObject({ files: [], folders: [], calls: 1, requests: 1 + 20, concurrent: 4 });
    const [, many] = shapes[2] as [string, string[]];
    expect(await searchAll(many, "nothing like it")).toMatchObject({ requests: 1 + 3, concurrent: 1 });
    const [, flat] = shapes[0] as [string, string[]];
    expect(await searchAll(flat, "nothing like it")).toMatchObject({ requests: 6 });
  });

  it("begins no further request once the caller has gone", async () => {
    const gone = new AbortController();
    const { objectStore, asked } = storeOf(
      make(50_000, (index) => `${index % 5}/file-${index}`),
      gone,
      2,
    );
    await searchFiles({ bucket: "b", query: "nothing like it" }, grant, toolsOf(objectStore, gone.signal));
    expect(asked.requests).toBeLessThanOrEqual(1 + 5);
  });
});
