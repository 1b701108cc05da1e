import { describe, expect, it, vi } from "vitest";
import { eventStream } from "./event-stream.server";

describe("a stream", () => {
  it("of a caller who has gone before it begins ends at once", async () => {
    const gone = new AbortController();
    gone.abort();
    const begin = vi.fn(async () => () => {});
    const onEnd = vi.fn();
    const options = { begin, check: async () => {}, lastId: () => undefined, onEnd };
    const response = await eventStream(options, { signal: gone.signal });
    expect(onEnd).toHaveBeenCalledTimes(1);
    expect(begin).not.toHaveBeenCalled();
    expect(await response.text()).toBe("");
  });

  it("of a caller who goes while it begins is stopped", async () => {
    const leaving = new AbortController();
    const stop = vi.fn();
    const onEnd = vi.fn();
    const begin = async () => {
      leaving.abort();
      return stop;
    };
    await eventStream({ begin, check: async () => {}, lastId: () => undefined, onEnd }, leaving);
    expect(stop).toHaveBeenCalledTimes(1);
    expect(onEnd).toHaveBeenCalledTimes(1);
  });
});
