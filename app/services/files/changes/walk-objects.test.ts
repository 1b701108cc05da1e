import { describe, expect, it } from "vitest";
import { positionAfter, walkObjects } from "./walk-objects";

const keys = ["docs/", "docs/a", "docs/b", "docs/c", "other/d"];
const items = [
  { path: "/docs", isFolder: true },
  { path: "/none", isFolder: true },
  { path: "/e", isFolder: false },
  { path: "/f", isFolder: false },
];

/** Pages of two. */
async function listPage(prefix: string, after = "") {
  const found = keys.filter((key) => key.startsWith(prefix) && key > after).map((key) => ({ key }));
  const entries = found.slice(0, 2);
  return { entries, next: found.length > 2 ? (entries[1]?.key ?? null) : null };
}

async function walk(from: { index: number; after?: string }, list = listPage) {
  const seen: [number, string, boolean][] = [];
  for await (const found of walkObjects(items, from, list)) {
    seen.push([found.index, found.key, found.entry !== undefined]);
  }
  return seen;
}

const all: [number, string, boolean][] = [
  [0, "docs/", true],
  [0, "docs/a", true],
  [0, "docs/b", true],
  [0, "docs/c", true],
  [1, "none/", false],
  [2, "e", false],
  [3, "f", false],
];

describe("walking through items", () => {
  it("meets every object of folders, folders that hold nothing, and files", async () => {
    expect(await walk({ index: 0 })).toEqual(all);
  });

  it("continues after any of them as if it had not stopped", async () => {
    for (const [position, [index, key]] of all.entries()) {
      const from = positionAfter({ index, key, entry: undefined });
      expect(await walk(from)).toEqual(all.slice(position + 1));
    }
  });

  it("meets each once while those that were met go away", async () => {
    const left = new Set(keys);
    const shrinking = async (prefix: string, after?: string) => {
      const page = await listPage(prefix, after);
      return { ...page, entries: page.entries.filter(({ key }) => left.has(key)) };
    };
    const seen: string[] = [];
    for await (const { key, entry } of walkObjects(items.slice(0, 1), { index: 0 }, shrinking)) {
      if (entry) left.delete(key);
      seen.push(key);
    }
    expect(seen).toEqual(["docs/", "docs/a", "docs/b", "docs/c"]);
  });

  it("may be stopped between pages that hold nothing to be changed", async () => {
    const pages = [
      { entries: [], next: "docs/f" },
      { entries: [], next: "docs/p" },
      { entries: [{ key: "docs/z" }], next: null },
    ];
    const list = async () => pages.shift() ?? { entries: [], next: null };
    expect((await walk({ index: 0 }, list)).slice(0, 3)).toEqual([
      [0, "docs/f", false],
      [0, "docs/p", false],
      [0, "docs/z", true],
    ]);
  });
});
