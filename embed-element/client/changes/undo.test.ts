import { beforeEach, describe, expect, it } from "vitest";
import { fileRow as file, folderRow as folder } from "../../../tests/support/files/rows";
import { FilesError } from "../errors";
import { type Change, NEW_CHANGE, placed } from "./change";
import { reverseOf, UndoStack } from "./undo";

let nextId = 1;
const changed = (members: Partial<Change>): Change => ({
  ...NEW_CHANGE,
  id: nextId++,
  action: "move",
  items: [file("a.txt")],
  from: "/",
  to: "/in",
  status: "done",
  done: 1,
  ...members,
});
const failed = [{ key: "a.txt", code: "upload_conflict" }];

describe("the steps that undo a change", () => {
  it("moves items back, each to its own folder", () => {
    const items = [file("one/a.txt"), file("two/b.txt"), folder("/one/docs")];
    expect(reverseOf(changed({ items, from: "/one" }))).toMatchObject([
      { action: "move", items: [{ key: "in/a.txt" }, { path: "/in/docs" }], from: "/in", to: "/one" },
      { action: "move", items: [{ key: "in/b.txt" }], from: "/in", to: "/two" },
    ]);
  });

  it("gives a renamed item its old name", () => {
    expect(reverseOf(changed({ action: "rename", to: "/", name: "b.txt" }))).toMatchObject([
      { action: "rename", items: [{ key: "b.txt" }], from: "/", to: "/", name: "a.txt" },
    ]);
  });

  it("moves items back to a folder without a name, and from names that nobody may give", () => {
    const items = [file("one//new\nline.txt"), folder("/one//")];
    expect(reverseOf(changed({ items }))).toMatchObject([
      { action: "move", items: [{ key: "in/new\nline.txt" }], from: "/in", to: "/one//" },
      { action: "move", items: [{ path: "/in//" }], from: "/in", to: "/one" },
    ]);
  });

  it("do not give an item back a name that nobody may give", () => {
    const items = [file("new\nline.txt")];
    expect(reverseOf(changed({ action: "rename", items, to: "/", name: "b.txt" }))).toBeNull();
  });

  it("moves an item that the server has renamed back under its old name", () => {
    const renamed = [{ name: "a (1).txt", key: "a.txt" }];
    const items = [file("a.txt"), file("b.txt")];
    expect(reverseOf(changed({ items, choice: "keep-both", renamed }))).toMatchObject([
      { action: "move", items: [{ key: "in/a (1).txt" }], to: "/", name: "a.txt" },
      { action: "move", items: [{ key: "in/b.txt" }], to: "/" },
    ]);
  });

  it("leaves out what was skipped or has failed", () => {
    const items = [file("a.txt"), file("b.txt"), file("c.txt")];
    const steps = reverseOf(changed({ items, status: "failed", failed, skipped: ["b.txt"] }));
    expect(steps).toMatchObject([{ items: [{ key: "in/c.txt" }] }]);
  });

  it("leaves out only the skipped one of several items of one name", () => {
    const change = changed({
      items: [file("x/a.txt"), file("y/a.txt"), file("x/b.txt")],
      choices: new Map([
        ["x/a.txt", "skip"],
        ["y/a.txt", "keep-both"],
      ]),
      renamed: [{ name: "a (1).txt", key: "y/a.txt" }],
      skipped: ["x/a.txt"],
    });
    expect(reverseOf(change)).toMatchObject([
      { items: [{ key: "in/a (1).txt" }], to: "/y", name: "a.txt" },
      { items: [{ key: "in/b.txt" }], to: "/x" },
    ]);
    expect(placed(change)).toMatchObject([{ key: "in/a (1).txt" }, { key: "in/b.txt" }]);
    const undone = changed({ action: "remove-created", stepOf: { way: "undo", change } });
    expect(reverseOf(undone)).toMatchObject([{ items: [{ key: "y/a.txt" }, { key: "x/b.txt" }] }]);
  });

  it("never replaces anything, whatever the person has decided", () => {
    const [step] =
      reverseOf(changed({ choice: "replace", replaced: [{ name: "a.txt", key: "a.txt" }] })) ?? [];
    expect(step).toMatchObject({ items: [{ key: "in/a.txt" }], to: "/" });
    expect(step?.choice).toBeUndefined();
  });

  it.each([
    ["a folder that was merged", { choice: "replace", replaced: [{ name: "docs", folderPath: "/docs" }] }],
    ["a folder that may have been merged", { choice: "replace" }],
    ["a folder of which a part was left", { status: "failed", failed: [{ key: "docs/x", code: "changed" }] }],
    ["a folder, when it was cancelled", { status: "cancelled" }],
    ["what broke off", { status: "failed", error: new FilesError("denied") }],
  ] satisfies [string, Partial<Change>][])("does not exist for a move of %s", (_, members) => {
    expect(reverseOf(changed({ items: [folder("/docs")], ...members }))).toBeNull();
  });

  it("removes copies by the server's handles, under the names that they have", () => {
    const copy = {
      action: "copy",
      choice: "keep-both",
      renamed: [{ name: "a (1).txt", key: "a.txt" }],
    } as const;
    expect(reverseOf(changed({ ...copy, undoHandles: ["handle"] }))).toMatchObject([
      {
        action: "remove-created",
        items: [{ key: "in/a (1).txt" }],
        from: "/in",
        to: "/in",
        undoHandles: ["handle"],
      },
    ]);
    expect(reverseOf(changed(copy)), "without a handle").toBeNull();
  });

  it("brings back what was deleted, and removes a new folder", () => {
    const items = [folder("/new")];
    expect(reverseOf(changed({ action: "delete", undoHandles: ["one", "two"] }))).toMatchObject([
      { action: "undo-delete", undoHandles: ["one", "two"] },
    ]);
    expect(reverseOf(changed({ action: "delete" })), "for good").toBeNull();
    expect(
      reverseOf(changed({ action: "create-folder", items, to: "/", undoHandles: ["one"] })),
    ).toMatchObject([{ action: "remove-created", items: [{ path: "/new" }], undoHandles: ["one"] }]);
  });

  it("undoes a restore by the server's handles, and does not redo it", () => {
    const restored = changed({ action: "restore", to: "/", undoHandles: ["one"], time: { kind: "deleted" } });
    expect(reverseOf(restored)).toMatchObject([
      { action: "remove-created", undoHandles: ["one"], time: { kind: "deleted" } },
    ]);
    expect(reverseOf({ ...restored, choice: "replace" })).toMatchObject([
      { action: "remove-created", undoHandles: ["one"] },
    ]);
    expect(reverseOf({ ...restored, undoHandles: [] }), "without a handle").toBeNull();
    expect(
      reverseOf(changed({ action: "remove-created", stepOf: { way: "undo", change: restored } })),
    ).toBeNull();
  });

  it("repeats what was undone without what was skipped, as nobody is asked again", () => {
    const items = [file("a.txt"), file("b.txt")];
    const of = changed({ items, choice: "skip", skipped: ["b.txt"] });
    const stepOf = { way: "undo", change: of } as const;
    const [step] = reverseOf(changed({ action: "undo-delete", stepOf })) ?? [];
    expect(step).toMatchObject({ action: "move", items: [{ key: "a.txt" }], choice: undefined });
    expect(step?.items).toHaveLength(1);
  });

  it("repeats what was undone, and never replaces anything", () => {
    const of = changed({ action: "copy", choice: "replace", undoHandles: ["handle"] });
    const stepOf = { way: "undo", change: of } as const;
    const [step] = reverseOf(changed({ action: "remove-created", stepOf })) ?? [];
    expect(step).toMatchObject({ action: "copy", items: [{ key: "a.txt" }], to: "/in" });
    expect(step).toMatchObject({ choice: undefined });
  });
});

describe("the stack", () => {
  let stack: UndoStack;
  const record = (change: Change) => stack.record(change);
  beforeEach(() => {
    stack = new UndoStack();
  });
  /** As the queue does: the step has ended. */
  const ran = (way: "undo" | "redo", of: Change, members: Partial<Change> = {}) =>
    record(
      changed({ from: "/in", to: "/", items: [file("in/a.txt")], stepOf: { way, change: of }, ...members }),
    );

  it("gives the last change first", () => {
    const [first, second] = [changed({}), changed({ action: "rename", to: "/", name: "b" })];
    expect(record(first)).toMatchObject({ way: "undo" });
    record(second);
    expect(stack.take("undo")?.change).toBe(second);
    expect(stack.take("undo")?.change).toBe(first);
    expect(stack.take("undo")).toBeUndefined();
  });

  it("keeps what cannot be undone, so that the person can be told", () => {
    record(changed({ action: "delete" }));
    expect(stack.take("undo")?.steps).toBeNull();
  });

  it("leaves out changes that have changed nothing", () => {
    expect(record(changed({ done: 0, status: "cancelled" }))).toBeUndefined();
    expect(stack.take("undo")).toBeUndefined();
  });

  it("lets an undone change be redone, and a redone one be undone", () => {
    const change = changed({});
    record(change);
    stack.take("undo");
    expect(ran("undo", change)).toMatchObject({ way: "redo" });
    const redone = stack.take("redo");
    expect(redone).toMatchObject({ change, steps: [{ items: [{ key: "a.txt" }], from: "/", to: "/in" }] });
    ran("redo", change, { from: "/", to: "/in", items: [file("a.txt")] });
    expect(stack.take("redo")).toBeUndefined();
    expect(stack.take("undo")).toMatchObject({ change, steps: [{ items: [{ key: "in/a.txt" }], to: "/" }] });
  });

  it("counts several steps as one change", () => {
    const change = changed({ items: [file("one/a.txt"), file("two/b.txt")] });
    record(change);
    stack.take("undo");
    ran("undo", change, { to: "/one" });
    ran("undo", change, { items: [file("in/b.txt")], to: "/two" });
    expect(stack.take("redo")?.steps).toMatchObject([
      { items: [{ key: "two/b.txt" }], to: "/in" },
      { items: [{ key: "one/a.txt" }], to: "/in" },
    ]);
    expect(stack.take("redo")).toBeUndefined();
  });

  it("forgets undone changes when the person makes a new one", () => {
    const change = changed({});
    ran("undo", change);
    record(changed({}));
    expect(stack.take("redo")).toBeUndefined();
  });

  it("counts a change that failed and was retried once", () => {
    const error = new FilesError("denied");
    const change = changed({ items: [folder("/a")], status: "failed", error, done: 10 });
    record(change);
    record({ ...change, status: "done", error: null, done: 20 });
    expect(stack.take("undo")?.steps).toMatchObject([{ items: [{ path: "/in/a" }] }]);
    expect(stack.take("undo")).toBeUndefined();
  });

  it("gives a certain change only once", () => {
    const next = record(changed({}));
    const other = record(changed({}));
    expect(stack.take("undo", next?.undoable.change.id)).toBe(next?.undoable);
    expect(stack.take("undo", next?.undoable.change.id)).toBeUndefined();
    expect(stack.take("undo")).toBe(other?.undoable);
  });

  it("remembers twenty changes", () => {
    const changes = Array.from({ length: 25 }, () => changed({}));
    for (const change of changes) record(change);
    const taken = changes.map(() => stack.take("undo")?.change);
    expect(taken).toEqual([...changes.slice(5).reverse(), ...Array(5).fill(undefined)]);
  });
});
