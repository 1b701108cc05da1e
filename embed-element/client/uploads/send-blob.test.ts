import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { STALL_TIMEOUT_MS } from "../retry";
import { realWorld } from "../world";
import { createPutFile, watchProgress } from "./send-blob";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("an upload stalls when nothing moves for 30 seconds", () => {
  const onStall = vi.fn();
  const watch = watchProgress(realWorld.timers, 100, onStall);
  vi.advanceTimersByTime(STALL_TIMEOUT_MS - 1);
  watch.progress(10);
  vi.advanceTimersByTime(STALL_TIMEOUT_MS - 1);
  // The same again is not progress.
  watch.progress(10);
  expect(onStall).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onStall).toHaveBeenCalledOnce();
});

test("after the last byte of a large file the store gets the time to put it away", () => {
  const onStall = vi.fn();
  const watch = watchProgress(realWorld.timers, 2_000_000_000, onStall);
  watch.progress(2_000_000_000);
  vi.advanceTimersByTime(STALL_TIMEOUT_MS + 99_000);
  expect(onStall).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(onStall).toHaveBeenCalledOnce();
});

test("one that has ended does not stall", () => {
  const onStall = vi.fn();
  watchProgress(realWorld.timers, 1, onStall).end();
  vi.advanceTimersByTime(STALL_TIMEOUT_MS * 2);
  expect(onStall).not.toHaveBeenCalled();
});

test.each([
  ["ConditionalRequestConflict", false],
  ["SomethingElse", true],
])(
  "with status 409, a name is taken unless the code is that of another request under way: %s",
  async (code, isTaken) => {
    const put = createPutFile({
      ...realWorld,
      send: async () => ({ status: 409, body: `<Error><Code>${code}</Code></Error>`, header: () => null }),
    });
    const sent = put({ url: "", headers: {} }, new Blob(), () => {}, new AbortController().signal);
    if (isTaken) expect(await sent).toBe("exists");
    else await expect(sent).rejects.toMatchObject({ code: "unavailable", isTemporary: true });
  },
);
