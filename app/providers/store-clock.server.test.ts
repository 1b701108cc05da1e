import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { standardError, standardOutput } from "../shared/log.server";
import { type Moment, StoreClock } from "./store-clock.server";

const MINUTE = 60_000;
let time: Moment;
/** how far the store is ahead of our wall clock, milliseconds; null when it does not respond */
let ahead: number | null;
let asked: number;
let clock: StoreClock;

const pass = (milliseconds: number) => {
  time = { wall: time.wall + milliseconds, monotonic: time.monotonic + milliseconds };
};
const dateHeader = () => new Date(Math.floor((time.wall + (ahead ?? 0)) / 1000) * 1000).toUTCString();

/** A request that takes `milliseconds` there and back. */
function exchange(milliseconds = 0): void {
  const sent = time;
  pass(milliseconds / 2);
  const date = dateHeader();
  pass(milliseconds / 2);
  clock.learn(date, sent, time);
}

beforeEach(() => {
  time = { wall: Date.UTC(2027, 0, 1), monotonic: 1000 };
  ahead = 0;
  asked = 0;
  clock = new StoreClock(
    async () => {
      asked++;
      if (ahead === null) throw new Error("unreachable");
      exchange(20);
    },
    () => time,
  );
  vi.spyOn(standardError, "write").mockImplementation(() => {});
  vi.spyOn(standardOutput, "write").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

test("is learned before the first signature, and then not asked for again", async () => {
  ahead = 20 * MINUTE;
  await Promise.all([clock.ready(), clock.ready()]);
  await clock.ready();
  expect(asked).toBe(1);
  expect(Math.abs(clock.offsetMs - 20 * MINUTE)).toBeLessThan(1000);
});

test("less than a minute is left alone, in either direction", () => {
  for (const seconds of [58, -58]) {
    ahead = seconds * 1000;
    exchange();
    expect(clock.offsetMs).toBe(0);
  }
  expect(standardError.write).not.toHaveBeenCalled();
});

test("half the way there and back is taken into account, and a response that took too long ignored", () => {
  ahead = 2 * MINUTE;
  exchange(10_000);
  expect(Math.abs(clock.offsetMs - 2 * MINUTE)).toBeLessThan(1000);
  ahead = -5 * MINUTE;
  exchange(30_000);
  expect(Math.abs(clock.offsetMs - 2 * MINUTE)).toBeLessThan(1000);
});

test("is told once for each change, with what to mend, and when it is over", async () => {
  ahead = 20 * MINUTE;
  for (let time = 0; time < 5; time++) exchange(40);
  expect(standardError.write).toHaveBeenCalledOnce();
  expect(vi.mocked(standardError.write).mock.calls[0]?.[0]).toMatch(
    /1200 seconds behind the object store's.*NTP/,
  );
  ahead = -3 * MINUTE;
  exchange();
  expect(standardError.write).toHaveBeenCalledTimes(2);
  expect(vi.mocked(standardError.write).mock.calls[1]?.[0]).toMatch(
    /1(79|80) seconds ahead of the object store's/,
  );
  ahead = 0;
  exchange();
  expect(clock.offsetMs).toBe(0);
  await turn();
  expect(vi.mocked(standardOutput.write).mock.calls.join()).toMatch(/agree again/);
});

test("does not come and go at the limit", () => {
  for (const seconds of [62, 59, 61, 55, 60]) {
    ahead = seconds * 1000;
    exchange();
  }
  expect(standardError.write).toHaveBeenCalledOnce();
});

test("is asked for again after five minutes, without making anybody wait", async () => {
  await clock.ready();
  pass(4 * MINUTE);
  await clock.ready();
  expect(asked).toBe(1);
  pass(MINUTE);
  await clock.ready();
  await clock.ready();
  expect(asked).toBe(2);
});

test("a store that does not respond means no correction, and holds up only the first", async () => {
  ahead = null;
  await clock.ready();
  expect(clock.offsetMs).toBe(0);
  await clock.ready();
  expect(asked).toBe(1);
  pass(10_000);
  ahead = 20 * MINUTE;
  await clock.ready();
  await vi.waitFor(() => expect(clock.offsetMs).toBeGreaterThan(19 * MINUTE), { timeout: 15_000 });
});

test("is learned anew when our clock has been set, before anything is signed by it", async () => {
  ahead = 20 * MINUTE;
  await clock.ready();
  // An operator mends the clock: it jumps, and the store's is now the same.
  time = { wall: time.wall + 20 * MINUTE, monotonic: time.monotonic };
  ahead = 0;
  await clock.ready();
  expect(clock.offsetMs).toBe(0);
});

test("a response without a time says nothing", () => {
  clock.learn(undefined, time, time);
  clock.learn("soon", time, time);
  expect(clock.offsetMs).toBe(0);
});
