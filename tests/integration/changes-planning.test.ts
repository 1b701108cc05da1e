import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { asks, openFaultyStore } from "../support/files/cut-off-changes";

const { faulty, open } = await openFaultyStore();
const calls = await open();

// For the whole file: a clock that jumps to another one would make the pool of connections look stuck.
beforeAll(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterAll(() => void vi.useRealTimers());
afterEach(atOnce);

function atOnce(): void {
  faulty.intercept = null;
}

/** Makes each lookup in the store take a second of planning time, so that a request can check only one batch of names. */
function lookSlowly(): void {
  faulty.intercept = (asked) => {
    if (asks.look(asked) || asks.list(asked)) vi.advanceTimersByTime(1_000);
    return undefined;
  };
}

/** Continues with the cursor. Returns the number of responses in which nothing was done yet. */
async function continueWithCursor(what: "copy" | "move", body: object) {
  for (let planning = 0, cursor: string | undefined; ; planning++) {
    const response = await calls.ask(what, { ...body, ...(cursor && { cursor }) });
    expect(response.status).toBe(200);
    const { cursor: next, done, conflicts = [] } = response.body;
    if (next == null || done !== 0) return { planning, cursor: next, done, conflicts };
    cursor = next;
  }
}

const files = Array.from({ length: 40 }, (_, index) => `${index}.txt`);
const textsOf = (at: string, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`${at}/${name}`, `of ${name}`]));

describe("names that are checked in several requests", () => {
  it.each(["copy", "move"] as const)(
    "to %s, are all reported as conflicts before anything is changed",
    async (what) => {
      const at = `asked-${what}`;
      const taken = ["3.txt", "20.txt", "39.txt"];
      await calls.put(textsOf(`${at}/from`, files));
      await calls.put(Object.fromEntries(taken.map((name) => [`${at}/to/${name}`, "another"])));
      const before = await calls.below(at);
      lookSlowly();
      const items = files.map((name) => ({ key: `${at}/from/${name}` }));
      const body = { items, to: `/${at}/to`, onConflict: "fail" };
      const { planning, cursor, conflicts } = await continueWithCursor(what, body);
      expect(planning).toBeGreaterThanOrEqual(2);
      expect(cursor).toBeNull();
      expect(conflicts.map(({ name }) => name)).toEqual(taken);
      faulty.intercept = null;
      expect(await calls.below(at)).toEqual(before);
    },
  );

  it("get different numbers, so that files with one name from forty folders are all kept", async () => {
    const at = "numbered";
    const sources = files.map((name) => `${name}/note.txt`);
    await calls.put({ ...textsOf(`${at}/from`, sources), [`${at}/to/note.txt`]: "there before" });
    lookSlowly();
    const items = sources.map((path) => ({ key: `${at}/from/${path}` }));
    const body = { items, to: `/${at}/to`, onConflict: "keep-both" };
    const { planning } = await continueWithCursor("copy", body);
    expect(planning).toBeGreaterThanOrEqual(3);
    atOnce();
    // A page that was reopened starts from the beginning.
    expect((await calls.change("move", body)).failed).toEqual([]);
    const there = await calls.below(`${at}/to`);
    expect(there["note.txt"]).toBe("there before");
    for (const path of sources) expect(Object.values(there)).toContain(`of ${path}`);
    expect(await calls.keysBelow(`${at}/from`)).toEqual(files.toSorted().map((name) => `${name}/`));
  });
});
