import type { FilesClient, FilesEvents, QuotaUse } from "platform-embed-element/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followQuota } from "./use-quota";

const ask = vi.fn<FilesClient["quota"]>();
let happen: Partial<Record<keyof FilesEvents, () => void>>;
let told: (QuotaUse | null)[];
let stop: () => void;
let follow: (isWanted?: boolean) => () => void;

beforeEach(() => {
  vi.useFakeTimers();
  happen = {};
  told = [];
  ask.mockReset().mockResolvedValue({ usedBytes: 4, maxBytes: 10 });
  const on = ((name: keyof FilesEvents, listener: () => void) => {
    happen[name] = listener;
    return () => {
      delete happen[name];
    };
  }) as FilesClient["on"];
  follow = (isWanted) => followQuota({ on, quota: ask }, (quota) => told.push(quota), isWanted);
  stop = follow();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

test("it is asked once, when uploads and changes have ended", async () => {
  await pass(60_000);
  expect(ask).not.toHaveBeenCalled();
  for (let file = 0; file < 5; file++) {
    happen.uploaded?.();
    await pass(900);
  }
  happen.changed?.();
  await pass(900);
  happen.uploadFailed?.();
  expect(ask).not.toHaveBeenCalled();
  await pass(1_000);
  expect(ask).toHaveBeenCalledOnce();
  expect(told).toEqual([{ usedBytes: 4, maxBytes: 10 }]);
});

test("a response that comes after a further change is not shown", async () => {
  let answer: (quota: QuotaUse) => void = () => {};
  ask.mockReturnValueOnce(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  happen.changed?.();
  await pass(1_000);
  happen.changed?.();
  answer({ usedBytes: 9, maxBytes: 10 });
  await pass(1_000);
  expect(told).toEqual([{ usedBytes: 4, maxBytes: 10 }]);
});

test("a failure keeps the last number, and the next change asks again", async () => {
  ask.mockRejectedValueOnce(new Error("unreachable"));
  happen.changed?.();
  await pass(1_000);
  expect(told).toEqual([]);
  happen.uploaded?.();
  await pass(1_000);
  expect(told).toHaveLength(1);
});

test("it is asked at once if the page came without it", async () => {
  stop();
  stop = follow(true);
  await pass(0);
  expect(told).toEqual([{ usedBytes: 4, maxBytes: 10 }]);
});

test("nothing is asked after the end", async () => {
  happen.changed?.();
  stop();
  await pass(1_000);
  expect(ask).not.toHaveBeenCalled();
  expect(happen).toEqual({});
});
