import { afterEach, expect, test, vi } from "vitest";
import { Events } from "./events";
import { Store } from "./store";

afterEach(() => vi.restoreAllMocks());

test("an error of one listener reaches neither the others nor the caller, and is thrown later", () => {
  const later = vi.spyOn(globalThis, "queueMicrotask").mockImplementation(() => {});
  const heard: string[] = [];
  const failing = () => {
    throw new Error("of a listener");
  };
  const events = new Events<{ changed: string }>();
  events.on("changed", failing);
  events.on("changed", (what) => heard.push(what));
  events.emit("changed", "an event");
  const store = new Store(1);
  store.subscribe(failing);
  store.subscribe(() => heard.push("a state"));
  store.setState(2);
  expect(heard).toEqual(["an event", "a state"]);
  expect(later).toHaveBeenCalledTimes(2);
  expect(later.mock.calls[0]?.[0]).toThrow("of a listener");
});
