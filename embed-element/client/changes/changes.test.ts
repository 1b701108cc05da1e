import { beforeEach, expect, test } from "vitest";
import { fileRow as file, folderRow as folder } from "../../../tests/support/files/rows";
import { FilesError } from "../errors";
import { Events } from "../events";
import type { Call } from "../request";
import { realWorld } from "../world";
import { type ChangeEvents, Changes } from "./changes";

let sent: [operation: string, request: unknown][];
let results: Record<string, unknown>[];
let events: Events<ChangeEvents>;
let changes: Changes;

beforeEach(() => {
  sent = [];
  results = [];
  events = new Events();
  const call = async (operation: string, request: object) => {
    sent.push([operation, request]);
    const result = results.shift() ?? {};
    if (result.error) throw result.error;
    return { done: 1, failed: [], conflicts: [], cursor: null, undo: null, undoable: true, ...result };
  };
  changes = new Changes(call as unknown as Call, realWorld, events);
});

test("a change is told when it begins and when it ends, with what can be done about it", async () => {
  const told: unknown[] = [];
  events.on("changing", ({ change }) => told.push(["changing", change.status]));
  events.on("changed", ({ change, next }) => told.push(["changed", change.status, next?.way]));
  results = [{ done: 0 }, { undo: "handle" }];
  const change = await changes.remove([file("a.txt")]);
  expect(change).toMatchObject({ action: "delete", from: "/", undoHandles: ["handle"] });
  expect(told).toEqual([
    ["changing", "running"],
    ["changed", "done", "undo"],
  ]);
  expect(changes.getState()).toEqual([]);
});

test("what is undone can be redone, and that undone again", async () => {
  const moved = await changes.move([file("a.txt")], "/in");
  const steps: string[] = [];
  const step = new Promise<void>((resolve) => {
    events.on("changed", ({ change, next }) => {
      steps.push(`${change.stepOf?.way}, then ${next?.way}`);
      if (steps.length === 2) resolve();
      else void changes.redo(next?.change.id);
    });
  });
  expect(await changes.undo()).toEqual({ status: "started", change: moved });
  await step;
  expect(steps).toEqual(["undo, then redo", "redo, then undo"]);
  expect(sent.map(([, request]) => request)).toMatchObject([
    { items: [{ key: "a.txt" }], to: "/in" },
    { items: [{ key: "in/a.txt" }], to: "/" },
    { items: [{ key: "a.txt" }], to: "/in" },
  ]);
});

test("undoing waits for the changes that are running, and says when there is nothing", async () => {
  const moving = changes.move([file("a.txt")], "/in");
  const undoing = changes.undo();
  const moved = await moving;
  expect(await undoing).toEqual({ status: "started", change: moved });
  expect(await changes.redo(99)).toEqual({ status: "nothing" });
});

test("a deletion that the bucket has not kept cannot be undone", async () => {
  results = [{ done: 0 }, { undo: null }];
  const change = await changes.remove([file("a.txt")]);
  expect(await changes.undo()).toEqual({ status: "impossible", change });
  expect(await changes.undo()).toEqual({ status: "nothing" });
});

test("what is being deleted is not deleted twice", async () => {
  const first = changes.remove([file("a.txt")]);
  expect(await changes.remove([file("a.txt")])).toBeNull();
  expect(await first).toMatchObject({ status: "done" });
});

test("a new folder is there when the method resolves, and can be undone", async () => {
  const told: ChangeEvents["changed"][] = [];
  events.on("changed", (event) => told.push(event));
  results = [{ path: "/docs/new", undo: "handle" }];
  await changes.createFolder("/docs", "new");
  expect(told).toMatchObject([
    { change: { action: "create-folder", items: [folder("/docs/new")] }, next: { way: "undo" } },
  ]);
  results = [{ error: new FilesError("name_taken") }];
  await expect(changes.createFolder("/docs", "new")).rejects.toMatchObject({ code: "name_taken" });
  expect(told).toHaveLength(1);
});

test("the state is the same until something changes, and copies in one folder get other names", async () => {
  const states = [changes.getState()];
  expect(changes.getState()).toBe(states[0]);
  changes.subscribe(() => states.push(changes.getState()));
  await changes.copy([file("a.txt")], "/");
  expect(sent).toMatchObject([["copy", { onConflict: "keep-both", to: "/" }]]);
  expect(new Set(states).size).toBe(states.length);
});

test("found rows of several folders are copied to one of them without asking about themselves", async () => {
  const change = await changes.copy([file("other/a.txt"), file("in/b.txt")], "/in");
  expect(change.choice).toBe("keep-both");
  expect(sent).toMatchObject([["copy", { to: "/in", onConflict: "keep-both" }]]);
});
