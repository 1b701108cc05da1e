import { expect, it } from "vitest";
import { Turns } from "./turns";

/** Asks for a piece of work for each caller. @returns the callers in the order in which it was done, and how many pieces ran at once at most */
async function doneBy(callers: string[], work: (caller: string) => Promise<void> = async () => {}) {
  const turns = new Turns();
  const order: string[] = [];
  let [running, most] = [0, 0];
  const pieces = callers.map((caller) =>
    turns.take(caller, async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      order.push(caller);
      running -= 1;
      await work(caller);
    }),
  );
  const results = await Promise.allSettled(pieces);
  return { order: order.join(""), most, results };
}

it("runs one piece at a time, those of a caller in their order, and the callers by turns", async () => {
  expect(await doneBy([..."aaaaaaabcb"])).toMatchObject({ order: "aabcabaaaa", most: 1 });
});

it("goes on after a piece that fails, and tells its caller", async () => {
  const failing = async (caller: string) => {
    if (caller === "a") throw new Error("the database is down");
  };
  const { order, results } = await doneBy([..."aab"], failing);
  expect(order).toBe("aab");
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
});

it("drops work whose caller has gone, and counts what waits", async () => {
  const turns = new Turns();
  const gone = new AbortController();
  const done: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = turns.take("a", () => held);
  const work = (name: string) => async () => void done.push(name);
  const others = [
    turns.take("a", work("a1"), gone.signal),
    turns.take("a", work("a2")),
    turns.take("b", work("b"), gone.signal),
  ];
  const results = Promise.allSettled(others);
  expect([turns.waitingOf("a"), turns.waitingOf("b"), turns.waitingOf("c")]).toEqual([2, 1, 0]);
  gone.abort(new Error("gone"));
  expect([turns.waitingOf("a"), turns.waitingOf("b")]).toEqual([1, 0]);
  await expect(turns.take("c", work("c"), gone.signal)).rejects.toThrow("gone");
  release();
  await first;
  expect((await results).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"]);
  expect(done).toEqual(["a2"]);
});

it("runs some pieces at once, of one caller only a part, and the next caller goes before its further ones", async () => {
  const turns = new Turns(3, 2);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (name: string) =>
    turns.take(name.slice(0, 1), () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const all = ["a1", "a2", "a3", "a4", "b1", "c1"].map(begin);
  expect(begun).toEqual(["a1", "a2", "b1"]);
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
    return begun.at(-1);
  };
  expect(await end("b1")).toBe("c1");
  expect(await end("c1")).toBe("c1");
  expect(await end("a1")).toBe("a3");
  expect(await end("a2")).toBe("a4");
  ends.get("a3")?.();
  ends.get("a4")?.();
  await Promise.all(all);
});

it("begins at once when nobody is waiting any more", async () => {
  const turns = new Turns();
  for (const caller of ["a", "b"]) expect(await turns.take(caller, async () => caller)).toBe(caller);
});
