import { EventEmitter, once } from "node:events";
import { afterEach, expect, it, vi } from "vitest";
import { BackgroundWorker } from "./background-worker.server";
import { standardError, standardOutput } from "./log.server";

/** An attempt for an item ends when `ends` emits its name. */
class TestWorker extends BackgroundWorker<string> {
  protected override readonly maxRunning = 2;
  protected override readonly maxStopMs = 50;
  protected override readonly messages = {
    failing: "It fails.",
    recovered: "It works again.",
    unrecorded: "The end is unknown.",
  };
  readonly due: string[] = [];
  readonly begun: string[] = [];
  readonly ends = new EventEmitter();
  isDown = false;

  protected override async claim(free: number): Promise<string[]> {
    if (this.isDown) throw new Error("down");
    return this.due.splice(0, free);
  }

  protected override async attempt(item: string): Promise<void> {
    this.begun.push(item);
    await once(this.ends, item);
    if (item === "broken") throw new Error("broken");
  }
}

afterEach(() => {
  vi.restoreAllMocks();
});

it("begins no more attempts than may run at once", async () => {
  const worker = new TestWorker();
  worker.due.push("a", "b", "c");
  worker.start();
  await expect.poll(() => worker.begun).toEqual(["a", "b"]);
  worker.ends.emit("a");
  await expect.poll(() => worker.begun).toEqual(["a", "b", "c"]);
  worker.ends.emit("b");
  worker.ends.emit("c");
  await worker.stop();
});

it("begins the next attempt as soon as one ends", async () => {
  const worker = new TestWorker();
  const items = Array.from({ length: 40 }, (_, index) => String(index));
  worker.due.push(...items);
  worker.ends.on("newListener", (item) => {
    if (items.includes(item)) setImmediate(() => worker.ends.emit(item));
  });
  worker.start();
  // An idle worker looks once a second. So two at a time would take longer than this waits.
  await expect.poll(() => worker.begun, { timeout: 15_000 }).toEqual(items);
  await worker.stop();
});

it("begins nothing after it was stopped, and waits for running attempts, but not without end", async () => {
  const worker = new TestWorker();
  worker.due.push("a");
  worker.start();
  await expect.poll(() => worker.begun).toEqual(["a"]);
  const stopped = worker.stop();
  worker.due.push("b");
  await stopped;
  expect(worker.begun).toEqual(["a"]);
});

it("logs once that claims fail, and once that they work again", async () => {
  const logged = vi.spyOn(standardError, "write").mockReturnValue();
  const told = vi.spyOn(standardOutput, "write").mockReturnValue();
  const worker = new TestWorker();
  worker.isDown = true;
  worker.start();
  await expect.poll(() => logged.mock.calls.join()).toContain("It fails.");
  worker.isDown = false;
  await expect.poll(() => told.mock.calls.join(), { timeout: 5_000 }).toContain("It works again.");
  await worker.stop();
  expect([logged.mock.calls.length, told.mock.calls.length]).toEqual([1, 1]);
});

it("logs an attempt whose end was not recorded, and goes on", async () => {
  const logged = vi.spyOn(standardError, "write").mockReturnValue();
  const worker = new TestWorker();
  worker.due.push("broken", "a");
  const count = worker.runDue();
  await expect.poll(() => worker.begun).toEqual(["broken", "a"]);
  worker.ends.emit("broken");
  worker.ends.emit("a");
  expect(await count).toBe(2);
  expect(logged.mock.calls.join()).toContain("The end is unknown.");
});
