import { afterEach, expect, test, vi } from "vitest";

const workers: { terminated: boolean; onmessageerror?(): void }[] = [];

/** Takes every message, and never replies. */
class SilentWorker {
  terminated = false;
  constructor() {
    workers.push(this);
  }
  postMessage(): void {}
  terminate(): void {
    this.terminated = true;
  }
}

async function startReading() {
  vi.resetModules();
  vi.stubGlobal("Worker", SilentWorker);
  const { readInWorker } = await import("./blob-reader");
  return {
    readInWorker,
    first: readInWorker(new Blob(["a"]), "CRC32"),
    second: readInWorker(new Blob(["b"]), "CRC32"),
  };
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a worker that does not reply is ended, and nobody waits for it", async () => {
  vi.useFakeTimers();
  const { readInWorker, first, second } = await startReading();
  await vi.advanceTimersByTimeAsync(31_000);
  expect(await Promise.all([first, second])).toEqual([null, null]);
  expect(workers.at(-1)?.terminated).toBe(true);
  expect(await readInWorker(new Blob(["c"]), "CRC32")).toBeNull();
});

test("a reply that cannot be read ends the worker, too", async () => {
  const { first, second } = await startReading();
  workers.at(-1)?.onmessageerror?.();
  expect(await Promise.all([first, second])).toEqual([null, null]);
});
