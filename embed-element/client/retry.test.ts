import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FilesError } from "./errors";
import { MIN_RETRIES, MIN_RETRYING_MS, retryDelay, retryTimingOf, withRetries } from "./retry";
import { realWorld } from "./world";

const realTiming = retryTimingOf(realWorld);

const lost = new FilesError("unreachable");

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("any wait up to the limit is as likely; the limit doubles from 1 s and ends at 60 s", () => {
  const limits = Array.from({ length: 8 }, (_, retry) => retryDelay(retry, 0, lost, () => 1));
  expect(limits).toEqual([1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000]);
  expect(retryDelay(0, 0, lost, () => 0)).toBe(0);
});

test("it ends after six retries and ten minutes, not after one of them alone", () => {
  expect(retryDelay(MIN_RETRIES, MIN_RETRYING_MS - 1, lost, () => 1)).not.toBeNull();
  expect(retryDelay(MIN_RETRIES - 1, MIN_RETRYING_MS, lost, () => 1)).not.toBeNull();
  expect(retryDelay(MIN_RETRIES, MIN_RETRYING_MS, lost, () => 1)).toBeNull();
});

test("Retry-After is the least, and one that is too long ends it", () => {
  const busy = (retryAfter: number) => new FilesError("unavailable", { retryAfter });
  expect(retryDelay(0, 0, busy(7), () => 0.5)).toBe(7000);
  expect(retryDelay(5, 0, busy(7), () => 1)).toBe(32000);
  expect(retryDelay(0, 0, busy(3600), () => 0)).toBeNull();
});

test.each([
  "denied",
  "cors_blocked",
  "store_refused",
  "not_found",
  "failed",
  "bad_name",
  "unreadable",
] as const)("%s is not tried again", (code) => {
  expect(retryDelay(0, 0, new FilesError(code), () => 0)).toBeNull();
});

test("offline is looked at every minute, without an end", () => {
  expect(retryDelay(1000, MIN_RETRYING_MS * 100, new FilesError("offline"), () => 0)).toBe(60_000);
});

test("a wait ends in time, or at once when it is given up", async () => {
  const abort = new AbortController();
  const ended = vi.fn();
  void realTiming.wait(1000, abort.signal).then(ended);
  await vi.advanceTimersByTimeAsync(999);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toHaveBeenCalled();
  const given = realTiming.wait(1000, abort.signal);
  abort.abort();
  await expect(given).rejects.toMatchObject({ name: "AbortError" });
  expect(vi.getTimerCount()).toBe(0);
});

test("a wait ends when the browser is online again", async () => {
  const window = new EventTarget();
  vi.stubGlobal("addEventListener", window.addEventListener.bind(window));
  const waits = realTiming.wait(60_000, new AbortController().signal);
  vi.unstubAllGlobals();
  window.dispatchEvent(new Event("online"));
  await waits;
  expect(vi.getTimerCount()).toBe(0);
});

test("what fails is retried for ten minutes from its first failure, whatever the clock says then", async () => {
  let time = 1_000_000;
  const timing = {
    random: () => 1,
    now: () => time,
    wait: async (milliseconds: number) => {
      time += milliseconds;
    },
  };
  const { signal } = new AbortController();
  const work = () => Promise.reject(lost);
  await expect(withRetries(work, timing, { signal })).rejects.toBe(lost);
  expect(time - 1_000_000).toBeGreaterThanOrEqual(MIN_RETRYING_MS);
  expect(time - 1_000_000).toBeLessThan(MIN_RETRYING_MS + 60_000);
});
