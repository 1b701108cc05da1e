import { afterEach, describe, expect, it, vi } from "vitest";
import { asks, openFaultyStore } from "../support/cut-off-changes";

const { faulty, open } = await openFaultyStore();
const calls = await open();

afterEach(atOnce);

function atOnce(): void {
  vi.useRealTimers();
  faulty.intercept = null;
}

/** Each look at the store takes a second, by the clock that ends a request's planning: a request has time for one bunch of names. */
function lookSlowly(): void {
  vi.useFakeTimers({ toFake: ["performance"] });
  faulty.intercept = (asked) => {
    if (asks.look(asked) || asks.list(asked)) vi.advanceTimersByTime(1_000);
    return undefined;
  };
}

/** Asks on with the cursor, and says how often it was told that nothing is done yet. */
async function goOn(what: "copy" | "move", body: object) {
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

describe("names that are looked for in several requests", () => {
  it.each(["copy", "move"] as const)(
    "to %s, are all asked about at once, before anything is changed",
    async (what) => {
      const at = `asked-${what}`;
      const taken = ["3.txt", "20.txt", "39.txt"];
      await calls.put(textsOf(`${at}/from`, files));
      await calls.put(Object.fromEntries(taken.map((name) => [`${at}/to/${name}`, "another"])));
      const before = await calls.below(at);
      lookSlowly();
      const items = files.map((name) => ({ key: `${at}/from/${name}` }));
      const body = { items, to: `/${at}/to`, onConflict: "fail" };
      const { planning, cursor, conflicts } = await goOn(what, body);
      expect(planning).toBeGreaterThanOrEqual(2);
      expect(cursor).toBeNull();
      expect(conflicts.map(({ name }) => name)).toEqual(taken);
      faulty.intercept = null;
      expect(await calls.below(at)).toEqual(before);
    },
  );

  it("are numbered on from each other, so that files of one name from forty folders all stay", async () => {
    const at = "numbered";
    const sources = files.map((name) => `${name}/note.txt`);
    await calls.put({ ...textsOf(`${at}/from`, sources), [`${at}/to/note.txt`]: "there before" });
    lookSlowly();
    const items = sources.map((path) => ({ key: `${at}/from/${path}` }));
    const body = { items, to: `/${at}/to`, onConflict: "keep-both" };
    const { planning } = await goOn("copy", body);
    expect(planning).toBeGreaterThanOrEqual(3);
    atOnce();
    // A page that was closed meanwhile asks from the beginning.
    expect((await calls.change("move", body)).failed).toEqual([]);
    const there = await calls.below(`${at}/to`);
    expect(there["note.txt"]).toBe("there before");
    for (const path of sources) expect(Object.values(there)).toContain(`of ${path}`);
    expect(await calls.keysBelow(`${at}/from`)).toEqual(files.toSorted().map((name) => `${name}/`));
  });
});
