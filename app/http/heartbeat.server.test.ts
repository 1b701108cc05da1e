import type { Worker } from "node:cluster";
import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { endWhenSilent, giveSignsOfLife } from "./heartbeat.server";

const kill = vi.fn();
const warn = vi.spyOn(console, "warn");

beforeEach(() => {
  vi.useFakeTimers();
  kill.mockReset();
  warn.mockReset();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function watched(): EventEmitter {
  const worker = Object.assign(new EventEmitter(), { process: { kill } });
  endWhenSilent(worker as unknown as Worker);
  return worker;
}

it("a process that gives signs is left alone, whatever else it says", () => {
  const worker = watched();
  const send = (sign: unknown) => worker.emit("message", sign);
  vi.stubGlobal("process", Object.assign(Object.create(process), { send }));
  giveSignsOfLife();
  for (let minute = 0; minute < 10; minute++) {
    vi.advanceTimersByTime(60_000);
    worker.emit("message", null);
  }
  expect(kill).not.toHaveBeenCalled();
});

it("a process that gives none for half a minute is ended, and watched no more", () => {
  const worker = watched();
  vi.advanceTimersByTime(40_000);
  worker.emit("listening");
  vi.advanceTimersByTime(30_000);
  worker.emit("message", { type: "something else" });
  expect(kill).not.toHaveBeenCalled();

  vi.advanceTimersByTime(5_000);
  expect(kill.mock.calls).toEqual([["SIGKILL"]]);
  expect(warn.mock.calls.flat().join()).toContain("no sign of life");

  worker.emit("exit");
  vi.advanceTimersByTime(60_000);
  expect(kill).toHaveBeenCalledTimes(1);
});

it("a process that has not begun to listen within a minute is ended", () => {
  watched();
  vi.advanceTimersByTime(60_000);
  expect(kill).not.toHaveBeenCalled();

  vi.advanceTimersByTime(5_000);
  expect(kill.mock.calls).toEqual([["SIGKILL"]]);
  expect(warn.mock.calls.flat().join()).toContain("not begun to listen");
});
