import { Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { LogOutput } from "./log-output.server";

/** A stream whose reader may pause. tests/integration/unwritable-output.test.ts has full disks. */
class TestStream extends Writable {
  text = "";
  isPaused = false;
  #waiting: (() => void) | undefined;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const take = () => {
      this.text += chunk;
      done();
    };
    if (this.isPaused) this.#waiting = take;
    else take();
  }

  resumeReading(): void {
    this.isPaused = false;
    this.#waiting?.();
  }
}

function make() {
  const stream = new TestStream();
  return { stream, output: new LogOutput(stream, (lines) => `lost: ${lines}`) };
}

it("keeps at most a mebibyte for a reader that pauses, and reports the gap when all of it is read", async () => {
  const { stream, output } = make();
  stream.isPaused = true;
  const line = "x".repeat(100_000);
  for (let count = 0; count < 50; count++) output.write(line);
  expect(stream.writableLength).toBeLessThan(1024 * 1024 + 200_000);
  const lost = output.totalLost;
  expect(lost).toBeGreaterThan(30);
  stream.resumeReading();
  await expect.poll(() => stream.writableLength).toBe(0);
  output.write("next");
  await turn();
  expect(stream.text.split("\n")).toEqual([
    ...Array.from({ length: 50 - lost }, () => line),
    "",
    `lost: ${lost}`,
    "next",
    "",
  ]);
});

it("reports nothing while nothing is lost", async () => {
  const { stream, output } = make();
  output.write("one");
  output.write("two");
  await turn();
  expect([stream.text, output.totalLost]).toEqual(["one\ntwo\n", 0]);
});
