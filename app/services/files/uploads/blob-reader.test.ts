import { afterEach, expect, test, vi } from "vitest";

const workers: SilentWorker[] = [];

/** Takes every message, and never replies by itself. */
class SilentWorker {
  terminated = false;
  posted: { id: number; blob: Blob }[] = [];
  onmessage?(event: { data: unknown }): void;
  onmessageerror?(): void;
  constructor() {
    workers.push(this);
  }
  postMessage(request: SilentWorker["posted"][number]): void {
    this.posted.push(request);
  }
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

test("a worker that is slow, as its drive is, is waited for", async () => {
  vi.useFakeTimers();
  const { readInWorker, first, second } = await startReading();
  const part = Object.defineProperty(new Blob(), "size", { value: 10_000_000 });
  const large = Array.from({ length: 8 }, () => readInWorker(part, "CRC32"));
  const worker = workers.at(-1);
  // It reads them side by side, so that even the first one takes as long as all.
  await vi.advanceTimersByTimeAsync(60_000);
  for (const { id } of worker?.posted ?? []) {
    await vi.advanceTimersByTimeAsync(20_000);
    worker?.onmessage?.({ data: { id, read: { body: new Blob(), checksum: 1n, md5: null } } });
  }
  expect(await Promise.all([first, second, ...large])).not.toContain(null);
  expect(worker?.terminated).toBe(false);
});
