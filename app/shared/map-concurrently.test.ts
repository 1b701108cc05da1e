import { expect, it } from "vitest";
import { mapConcurrently } from "./map-concurrently";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

it("works on so many at once, and returns the results in the order of the items", async () => {
  let running = 0;
  let most = 0;
  const results = await mapConcurrently([3, 1, 2, 5, 4], 2, async (turns) => {
    most = Math.max(most, ++running);
    for (let count = 0; count < turns; count++) await turn();
    running--;
    return turns * 10;
  });
  expect(results).toEqual([30, 10, 20, 50, 40]);
  expect(most).toBe(2);
  expect(await mapConcurrently([], 2, async () => 1)).toEqual([]);
});

it("begins no more after a failure", async () => {
  const begun: number[] = [];
  const work = async (item: number) => {
    begun.push(item);
    await turn();
    if (item === 2) throw new Error("second");
  };
  await expect(mapConcurrently([1, 2, 3, 4, 5, 6, 7, 8], 2, work)).rejects.toThrow("second");
  await turn();
  expect(begun.length).toBeLessThanOrEqual(3);
});
