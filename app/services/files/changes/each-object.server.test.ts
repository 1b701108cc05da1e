import { describe, expect, it } from "vitest";
import { positionAfter, runBounded, walkObjects } from "./each-object.server";

const bounds = { ms: 60_000, objects: 1_000, concurrency: 4 };

async function* numbers(count: number) {
  for (let number = 1; number <= count; number++) yield number;
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("work within bounds", () => {
  it("is done on all that there is", async () => {
    const seen: number[] = [];
    const work = async (number: number) => void seen.push(number);
    expect(await runBounded(numbers(10), bounds, work)).toEqual({ last: 10, isComplete: true });
    expect(seen).toHaveLength(10);
    expect(await runBounded(numbers(0), bounds, work)).toEqual({ last: undefined, isComplete: true });
  });

  it.each([
    [3, { last: 3, isComplete: false }],
    [10, { last: 10, isComplete: true }],
    [9, { last: 9, isComplete: false }],
  ])("ends after %j", async (objects, result) => {
    expect(await runBounded(numbers(10), { ...bounds, objects }, async () => {})).toEqual(result);
  });

  it("begins at least one, however little time there is, and no more when that is over", async () => {
    expect(await runBounded(numbers(10), { ...bounds, ms: 0 }, async () => {})).toEqual({
      last: 1,
      isComplete: false,
    });
  });

  it("begins no more when the response is full", async () => {
    let done = 0;
    const work = async () => void done++;
    expect(await runBounded(numbers(10), bounds, work, () => done >= 2)).toEqual({
      last: 2,
      isComplete: false,
    });
  });

  it("has so many under way, and waits for all", async () => {
    let running = 0;
    let most = 0;
    await runBounded(numbers(50), bounds, async () => {
      most = Math.max(most, ++running);
      for (let turns = 0; turns < 3; turns++) await turn();
      running--;
    });
    expect([most, running]).toEqual([4, 0]);
  });

  it("fails as the first that failed, when all that was begun has ended", async () => {
    let ended = 0;
    const work = async (number: number) => {
      if (number === 2) throw new Error("second");
      for (let turns = 0; turns < 5; turns++) await turn();
      ended++;
    };
    await expect(runBounded(numbers(100), bounds, work)).rejects.toThrow("second");
    expect(ended).toBeGreaterThan(0);
    expect(ended).toBeLessThan(10);
    const before = ended;
    await turn();
    expect(ended).toBe(before);
  });
});

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
