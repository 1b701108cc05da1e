import { describe, expect, it } from "vitest";
import { runBounded } from "./run-bounded";

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
