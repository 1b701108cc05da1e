import { FilesError } from "platform-embed-element/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { whenChecked } from "./when-checked";

const page = new EventTarget() as EventTarget & { visibilityState: string };
beforeEach(() => {
  vi.useFakeTimers();
  page.visibilityState = "visible";
  vi.stubGlobal("document", page);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const stop = () => new AbortController();
/** Answers that the file is being checked, the first `times` times. */
const checkedAfter = (times: number, then: () => string = () => "content") => {
  let left = times;
  return vi.fn(async () => {
    if (left-- > 0) throw new FilesError("being_checked");
    return then();
  });
};

it("asks again with growing pauses until the file is checked", async () => {
  const ask = checkedAfter(3);
  const result = whenChecked(ask, stop().signal);
  const counts: number[] = [];
  for (const milliseconds of [0, 1_499, 1, 2_249, 1, 3_375]) {
    await vi.advanceTimersByTimeAsync(milliseconds);
    counts.push(ask.mock.calls.length);
  }
  expect(counts).toEqual([1, 1, 2, 2, 3, 4]);
  expect(await result).toBe("content");
});

it("ends with whatever else is wrong", async () => {
  const blocked = () => {
    throw new FilesError("blocked");
  };
  const result = expect(whenChecked(checkedAfter(1, blocked), stop().signal)).rejects.toMatchObject({
    code: "blocked",
  });
  await vi.runAllTimersAsync();
  await result;
});

it("gives up at some time", async () => {
  const ask = checkedAfter(Number.POSITIVE_INFINITY);
  const result = expect(whenChecked(ask, stop().signal)).rejects.toMatchObject({ code: "being_checked" });
  await vi.runAllTimersAsync();
  await result;
  expect(ask).toHaveBeenCalledTimes(40);
});

it("does not ask while the page is hidden, and goes on when it is shown", async () => {
  const ask = checkedAfter(1);
  const result = whenChecked(ask, stop().signal);
  page.visibilityState = "hidden";
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(1);
  page.visibilityState = "visible";
  page.dispatchEvent(new Event("visibilitychange"));
  expect(await result).toBe("content");
});

it.each(["visible", "hidden"])("stops when it is told to, with the page %s", async (state) => {
  const abort = stop();
  const ask = checkedAfter(Number.POSITIVE_INFINITY);
  const result = expect(whenChecked(ask, abort.signal)).rejects.toThrow("no longer wanted");
  page.visibilityState = state;
  await vi.advanceTimersByTimeAsync(state === "hidden" ? 60_000 : 100);
  abort.abort(new Error("no longer wanted"));
  await result;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(1);
});
