import { expect, it, vi } from "vitest";
import { Flow, parseFlowLimits } from "./flow";

it("parses limits like QStash", () => {
  const all = { parallelism: Number.POSITIVE_INFINITY, rate: Number.POSITIVE_INFINITY, periodMs: 1_000 };
  expect(parseFlowLimits("rate=14,period=1s")).toEqual({ ...all, rate: 14 });
  expect(parseFlowLimits("parallelism=5, rate=10, period=2m")).toEqual({
    parallelism: 5,
    rate: 10,
    periodMs: 120_000,
  });
  expect(parseFlowLimits("rate=3,period=2")).toEqual({ ...all, rate: 3, periodMs: 2_000 });
  for (const wrong of ["", "rate", "rate=0", "rate=1s", "speed=3"]) expect(parseFlowLimits(wrong)).toBeNull();
});

it("limits tasks per period, and concurrent tasks", async () => {
  vi.useFakeTimers();
  try {
    const flow = new Flow({ rate: 3, periodMs: 1_000, parallelism: 2 });
    const started: number[] = [];
    const ends: (() => void)[] = [];
    for (let number = 1; number <= 6; number++)
      flow.add(String(number), () => {
        started.push(number);
        return new Promise((resolve) => ends.push(resolve));
      });
    expect(started).toEqual([1, 2]);
    flow.remove(new Set(["4", "none"]));
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(started).toEqual([1, 2, 3]);
    for (const end of ends) end();
    await vi.advanceTimersByTimeAsync(990);
    expect(started).toEqual([1, 2, 3]);
    await vi.advanceTimersByTimeAsync(20);
    expect(started).toEqual([1, 2, 3, 5, 6]);
    expect(flow.waiting).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
