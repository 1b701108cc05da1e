import { expect, it } from "vitest";
import { SharedCalls } from "./shared-calls";

/** Work that ends when told to, and how often it was begun. */
function workToEnd() {
  const ends: { resolve(result: string): void; reject(error: Error): void }[] = [];
  const work = () => new Promise<string>((resolve, reject) => ends.push({ resolve, reject }));
  return { ends, work };
}

it("shares a running call with those of the same key, and forgets it when it ends", async () => {
  const calls = new SharedCalls<string, string>();
  const { ends, work } = workToEnd();
  const both = [calls.get("a", work), calls.get("a", work)];
  const other = calls.get("b", work);
  expect([ends.length, calls.size, calls.has("a")]).toEqual([2, 2, true]);
  ends[0]?.resolve("first");
  ends[1]?.resolve("other");
  expect(await Promise.all([...both, other])).toEqual(["first", "first", "other"]);
  expect(calls.size).toBe(0);
  const later = calls.get("a", work);
  ends[2]?.resolve("later");
  expect(await later).toBe("later");
});

it("keeps results if told to, but no failure", async () => {
  const calls = new SharedCalls<string, string>(true);
  const { ends, work } = workToEnd();
  const failed = calls.get("a", work);
  ends[0]?.reject(new Error("not now"));
  await expect(failed).rejects.toThrow("not now");
  const kept = calls.get("a", work);
  ends[1]?.resolve("kept");
  expect([await kept, await calls.get("a", work), ends.length]).toEqual(["kept", "kept", 2]);
});
