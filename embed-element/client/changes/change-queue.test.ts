import { beforeEach, expect, test, vi } from "vitest";
import { fileRow as file, folderRow as folder } from "../../../tests/support/files/rows";
import { FilesError } from "../errors";
import { Events } from "../events";
import { nameOf } from "../folder-path";
import type { Call } from "../request";
import type { Row } from "../rows";
import { realWorld } from "../world";
import { type Answer, type Change, itemId, itemOf, type RequestedChange } from "./change";
import { type ChangeEvents, Changes } from "./changes";
import * as runner from "./run-change";
import { reverseOf } from "./undo";

type Result = Record<string, unknown> | Error;
const nothing = { failed: [], conflicts: [], cursor: null, undo: null, undoable: true };

let sent: [way: string, request: Record<string, unknown>][];
let results: (Result | Promise<Result>)[];
let started: string[];
let ended: Change[];
let endedSteps: (RequestedChange[] | null)[];
let call: Call;
let queue: Changes;

/** Without random, retries do not wait. */
function create(call: Call, world = { ...realWorld, random: () => 0 }, load?: () => Promise<typeof runner>) {
  const events = new Events<ChangeEvents>();
  events.on("changing", ({ change }) => started.push(change.action));
  events.on("changed", ({ change }) => {
    ended.push(change);
    endedSteps.push(reverseOf(change));
  });
  return new Changes(call, world, events, load);
}

beforeEach(() => {
  sent = [];
  results = [];
  started = [];
  ended = [];
  endedSteps = [];
  call = (async (way: string, request: object) => {
    sent.push([way, { ...request }]);
    const result = (await results.shift()) ?? { done: 1 };
    if (result instanceof Error) throw result;
    return { ...nothing, ...result };
  }) as unknown as Call;
  queue = create(call);
});

const move = (items: Row[], changes: Partial<RequestedChange> = {}): RequestedChange => {
  return { action: "move", items, from: "/", to: "/in", ...changes };
};
/** Resolves with what the queue shows once `status` is there. */
const shown = (status: Change["status"]) =>
  new Promise<Change>((resolve) => {
    const look = () => {
      const change = queue.getState().find((one) => one.status === status);
      if (!change) return;
      stop();
      resolve(change);
    };
    const stop = queue.subscribe(look);
    queueMicrotask(look);
  });

test("the same request is sent again while the response has a cursor, and what is done adds up", async () => {
  results = [{ done: 0, cursor: "1" }, { done: 1000, cursor: "2" }, { done: 5 }];
  const change = await queue.add(move([folder("/a")]));
  expect(change).toMatchObject({ status: "done", done: 1005, failed: [] });
  const body = { items: [{ folderPath: "/a" }], to: "/in", name: undefined, onConflict: "fail" };
  expect(sent).toEqual([
    ["move", { ...body, cursor: undefined }],
    ["move", { ...body, cursor: "1" }],
    ["move", { ...body, cursor: "2" }],
  ]);
  expect(started).toEqual(["move"]);
  expect(queue.getState()).toEqual([]);
});

test("a change waits for the one before it, and a request names at most a thousand items", async () => {
  const many = Array.from({ length: 1500 }, (_, index) => file(`${index}.txt`));
  const first = queue.add(move(many, { action: "copy" }));
  const second = queue.add(move([file("a.txt")]));
  expect(queue.getState().map(({ status }) => status)).toEqual(["running", "queued"]);
  await Promise.all([first, second]);
  expect(sent.map(([way, { items }]) => [way, (items as []).length])).toEqual([
    ["copy", 1000],
    ["copy", 500],
    ["move", 1],
  ]);
});

test.each([
  ["replace", [["a.txt", "b.txt"], "replace"]],
  ["keep-both", [["a.txt", "b.txt"], "keep-both"]],
  ["skip", [["b.txt"], "fail"]],
] as const)("the person is asked about taken names: %s", async (answer, expected) => {
  results = [{ done: 0, conflicts: [{ name: "a.txt", key: "a.txt" }] }];
  const ending = queue.add(move([file("a.txt"), file("b.txt")]));
  const asking = await shown("waiting");
  expect(asking.question).toEqual({ about: "conflicts", items: [{ name: "a.txt", key: "a.txt" }] });
  expect(started).toEqual([]);
  queue.answer(asking.id, answer);
  await ending;
  const { items, onConflict } = sent[1]?.[1] ?? {};
  expect([(items as { key: string }[]).map(({ key }) => key), onConflict]).toEqual(expected);
});

test("each item can be decided for itself, and undoing puts back what can be put back", async () => {
  const names = ["free", "replace", "both", "skip", "unsaid"];
  const conflicts = names.slice(1).map((name) => ({ name, key: name }));
  results = [
    { done: 0, conflicts },
    { done: 1 },
    { done: 1 },
    { done: 1, renamed: [{ name: "both (1)", key: "both" }] },
  ];
  const ending = queue.add(move(names.map((name) => file(name))));
  const answer = new Map([
    ["replace", "replace"],
    ["both", "keep-both"],
    ["skip", "skip"],
  ] as const);
  queue.answer((await shown("waiting")).id, answer);
  const change = await ending;
  expect(change).toMatchObject({ status: "done", done: 3, skipped: ["skip", "unsaid"] });
  expect(change.replaced).toEqual([{ name: "replace", key: "replace" }]);
  expect(sent.slice(1).map(([, { items, onConflict }]) => [items, onConflict])).toEqual([
    [[{ key: "free" }], "fail"],
    [[{ key: "replace" }], "replace"],
    [[{ key: "both" }], "keep-both"],
  ]);
  expect(endedSteps[0]?.map(({ action, items }) => [action, items.map(({ name }) => name)])).toEqual([
    ["move", ["both (1)"]],
    ["move", ["free", "replace"]],
  ]);
});

test("a file in a folder that is changed, too, goes with it, also if the folder is skipped", async () => {
  results = [{ done: 0, conflicts: [{ name: "docs", folderPath: "/docs" }] }];
  const items = [folder("/docs"), file("docs/a.txt"), folder("/docs/deep"), file("docs.txt")];
  const ending = queue.add(move(items));
  queue.answer((await shown("waiting")).id, new Map([["/docs", "skip"]]));
  expect((await ending).items).toEqual([folder("/docs"), file("docs.txt")]);
  expect(sent.map(([, { items }]) => items)).toEqual([
    [{ folderPath: "/docs" }, { key: "docs.txt" }],
    [{ key: "docs.txt" }],
  ]);
});

test("an item never replaces another one of the same change", async () => {
  const items = ["x/a.txt", "y/a.txt", "w/a.txt", "x/b.txt", "y/b.txt"].map((key) => file(key));
  const [, ...taken] = items.map(itemOf);
  results = [{ done: 0, conflicts: taken.map((item) => ({ name: nameOf(itemId(item)), ...item })) }];
  const folders = [folder("/x/a.txt"), folder("/y/b.txt")];
  const ending = queue.add(move([...items, ...folders]));
  const answer = new Map([
    ["y/a.txt", "replace"],
    ["w/a.txt", "skip"],
    ["x/b.txt", "replace"],
    ["y/b.txt", "replace"],
  ] as const);
  queue.answer((await shown("waiting")).id, answer);
  expect(await ending).toMatchObject({ replaced: [{ name: "b.txt", key: "x/b.txt" }] });
  expect(sent.slice(1).map(([, request]) => [request.items, request.onConflict])).toEqual([
    [[{ key: "x/a.txt" }, { folderPath: "/x/a.txt" }, { folderPath: "/y/b.txt" }], "fail"],
    [[{ key: "x/b.txt" }], "replace"],
    [[{ key: "y/a.txt" }, { key: "y/b.txt" }], "keep-both"],
  ]);
});

test("nor does it if all are replaced, and the other one has gone before", async () => {
  results = [
    { done: 0, conflicts: ["x/a", "y/a", "y/b"].map((key) => ({ name: nameOf(key), key })) },
    { done: 2 },
    { done: 1 },
  ];
  const ending = queue.add(move(["x/a", "y/a", "y/b"].map((key) => file(key))));
  queue.answer((await shown("waiting")).id, "replace");
  expect(await ending).toMatchObject({ status: "done", done: 3 });
  expect(sent.slice(1).map(([, request]) => [request.items, request.onConflict])).toEqual([
    [[{ key: "x/a" }, { key: "y/b" }], "replace"],
    [[{ key: "y/a" }], "keep-both"],
  ]);
});

test("what failed is tried again with what was decided for each", async () => {
  const conflicts = ["a", "b"].map((name) => ({ name, key: name }));
  const failed = (key: string, code: string) => ({ done: 0, failed: [{ key, code }] });
  results = [{ done: 0, conflicts }, failed("a", "provider_failed"), failed("b", "provider_failed")];
  const ending = queue.add(move([file("a"), file("b")]));
  const decided = new Map([
    ["a", "replace"],
    ["b", "keep-both"],
  ] as const);
  queue.answer((await shown("waiting")).id, decided);
  const change = await ending;
  results = [{ done: 1 }, { done: 1 }];
  queue.retry(change.id);
  await vi.waitFor(() => expect(sent).toHaveLength(5));
  expect(sent.slice(3).map(([, request]) => [request.items, request.onConflict])).toEqual([
    [[{ key: "a" }], "replace"],
    [[{ key: "b" }], "keep-both"],
  ]);
});

test("a name that was taken meanwhile is asked about when the change is tried again", async () => {
  const conflicts = [{ name: "a", key: "a" }];
  results = [
    { done: 0, conflicts },
    { done: 0, failed: [{ key: "a", code: "name_taken" }] },
  ];
  const ending = queue.add(move([file("a")]));
  queue.answer((await shown("waiting")).id, "replace");
  const change = await ending;
  results = [{ done: 0, conflicts }];
  queue.retry(change.id);
  await shown("waiting");
  expect(sent.slice(2)).toMatchObject([["move", { items: [{ key: "a" }], onConflict: "fail" }]]);
});

test.each([
  ["all that are taken", "skip"],
  ["one of them", new Map([["y/a.txt", "skip"]])],
] satisfies [string, Answer][])(
  "of two items of one name, only the taken one is skipped: %s",
  async (_, answer) => {
    results = [{ done: 0, conflicts: [{ name: "a.txt", key: "y/a.txt" }] }];
    const ending = queue.add(move([file("x/a.txt"), file("y/a.txt")]));
    queue.answer((await shown("waiting")).id, answer);
    expect(await ending).toMatchObject({ status: "done", done: 1, skipped: ["y/a.txt"] });
    expect(sent.slice(1)).toMatchObject([["move", { items: [{ key: "x/a.txt" }], onConflict: "fail" }]]);
    expect(endedSteps[0]).toMatchObject([{ items: [{ key: "in/a.txt" }], to: "/x" }]);
  },
);

test("after the person has decided, the change begins again, although several calls were needed to find the names", async () => {
  results = [
    { done: 0, cursor: "names" },
    { done: 0, conflicts: [{ name: "a.txt", key: "a.txt" }] },
  ];
  const ending = queue.add(move([file("a.txt")]));
  queue.answer((await shown("waiting")).id, "replace");
  await ending;
  expect(sent.map(([, { cursor, onConflict }]) => [cursor, onConflict])).toEqual([
    [undefined, "fail"],
    ["names", "fail"],
    [undefined, "replace"],
  ]);
});

test("when every name is skipped, nothing more is sent", async () => {
  results = [{ done: 0, conflicts: [{ name: "a.txt", key: "a.txt" }] }];
  const ending = queue.add(move([file("a.txt")]));
  queue.answer((await shown("waiting")).id, "skip");
  expect(await ending).toMatchObject({ status: "done", done: 0 });
  expect(sent).toHaveLength(1);
});

test("a copy that takes several calls learns how many objects it has", async () => {
  const page = (names: string[], folders: string[], nextCursor: string | null) => ({
    files: names.map((name) => ({ name })),
    folders: folders.map((path) => ({ path })),
    nextCursor,
  });
  let finish = (_: Result) => {};
  const last = new Promise<Result>((resolve) => {
    finish = resolve;
  });
  results = [
    { done: 1, cursor: "1" },
    page(["a", "b"], ["/docs/in"], "2"),
    last,
    page(["c"], [], null),
    page(["d"], [], null),
  ];
  const ending = queue.add(move([folder("/docs"), file("beside.txt")], { action: "copy" }));
  await vi.waitFor(() => expect(queue.getState()[0]?.total).toBe(5));
  finish({ done: 4 });
  expect(await ending).toMatchObject({ status: "done", done: 5, total: 5 });
});

/** Copies a folder and the files, and resolves with the change, once it has ended, and how often the folder was counted. */
const copyCounting = async (files: Row[]): Promise<[Change, number]> => {
  const change = await queue.add(move([folder("/docs"), ...files], { action: "copy" }));
  return [change, sent.filter(([way]) => way === "list").length];
};
const listed = { files: [{ name: "a" }], folders: [], nextCursor: null };
const many = Array.from({ length: 1500 }, (_, index) => file(`${index}.txt`));

test("the total of a copy is counted once, however many items it has", async () => {
  results = [{ cursor: "1", done: 0 }, listed, { done: 1000 }, { cursor: "2", done: 0 }, { done: 501 }];
  expect(await copyCounting(many)).toMatchObject([{ status: "done", done: 1501, total: 1501 }, 1]);
});

test("the total of a copy is counted when the first items needed one call only, too", async () => {
  results = [{ done: 1000 }, { cursor: "1", done: 0 }, listed, { done: 501 }];
  expect(await copyCounting(many)).toMatchObject([{ done: 1501, total: 1501 }, 1]);
});

test("the total of a copy leaves out what is skipped after it was counted", async () => {
  const conflicts = [{ name: "a.txt", key: "y/a.txt" }];
  results = [{ cursor: "1", done: 0 }, listed, { done: 0, conflicts }, { cursor: "2", done: 0 }, listed];
  const ending = copyCounting([file("x/a.txt"), file("y/a.txt")]);
  queue.answer((await shown("waiting")).id, "skip");
  expect(await ending).toMatchObject([{ status: "done", skipped: ["y/a.txt"], total: 2 }, 2]);
});

test("renaming to a name that is taken fails without a question", async () => {
  results = [{ done: 0, conflicts: [{ name: "b.txt", key: "a.txt" }] }];
  const change = await queue.add(move([file("a.txt")], { action: "rename", to: "/", name: "b.txt" }));
  expect(change).toMatchObject({ status: "failed", error: { code: "name_taken" } });
  expect(sent[0]).toMatchObject(["move", { to: "/", name: "b.txt" }]);
});

test("a change that is cancelled between two calls stops there, and has counted what is done", async () => {
  results = [{ done: 10, cursor: "1" }];
  const ending = queue.add(move([folder("/a")]));
  const stop = queue.subscribe(() => {
    if (queue.getState()[0]?.done !== 10) return;
    stop();
    queue.cancel(1);
  });
  expect(await ending).toMatchObject({ status: "cancelled", done: 10 });
  expect(sent.slice(1)).toMatchObject([["move", { cursor: "1", stop: true }]]);
});

test("a change that waits or asks is cancelled at once", async () => {
  results = [{ done: 0, conflicts: [{ name: "a.txt", key: "a.txt" }] }];
  const first = queue.add(move([file("a.txt")]));
  const second = queue.add(move([file("b.txt")]));
  queue.cancel(2);
  expect(await second).toMatchObject({ status: "cancelled" });
  queue.cancel((await shown("waiting")).id);
  expect(await first).toMatchObject({ status: "cancelled", done: 0 });
  expect(sent).toHaveLength(1);
});

test("a deletion that can be undone asks nothing, and keeps the undo handle of every response", async () => {
  results = [{ done: 0 }, { done: 1000, cursor: "1", undo: "first" }, { done: 2, undo: "second" }];
  const deleted = await queue.add({ action: "delete", items: [folder("/a")], from: "/", to: "/" });
  expect(deleted).toMatchObject({
    status: "done",
    done: 1002,
    undoHandles: ["first", "second"],
    isUndoable: true,
  });
  expect(sent[0]).toEqual(["delete", { items: [{ folderPath: "/a" }], check: true }]);
  results = [{ restored: 1000 }, { restored: 2 }];
  const { items, undoHandles } = deleted;
  const restored = await queue.add({ action: "undo-delete", items, from: "/", to: "/", undoHandles });
  expect(restored).toMatchObject({ status: "done", done: 1002 });
  expect(sent.slice(-2)).toEqual([
    ["restore", { undo: "second" }],
    ["restore", { undo: "first" }],
  ]);
});

test("rows count as being deleted until the deletion has ended", async () => {
  const [a, b] = [file("a.txt"), file("b.txt")];
  const ending = queue.remove([a]);
  expect(await queue.remove([a])).toBeNull();
  expect((await queue.remove([a, b]))?.items).toEqual([b]);
  await ending;
  expect((await queue.remove([a, b]))?.items).toEqual([a, b]);
});

test("what is in a folder that is being deleted counts as being deleted, too", async () => {
  const found = [folder("/docs"), file("docs/a.txt"), folder("/docs/deep"), file("docs-old.txt")];
  const [deletion, second] = await Promise.all([queue.remove(found), queue.remove(found)]);
  expect([deletion?.items, second]).toEqual([[folder("/docs"), file("docs-old.txt")], null]);
});

test("a deletion that cannot be undone waits for the person's confirmation", async () => {
  results = [{ done: 0, undoable: false }];
  const ending = queue.add({ action: "delete", items: [file("a.txt")], from: "/", to: "/" });
  const asking = await shown("waiting");
  expect(asking).toMatchObject({ isUndoable: false, question: { about: "delete" } });
  expect(sent).toHaveLength(1);
  queue.answer(asking.id, "delete");
  expect(await ending).toMatchObject({ status: "done", done: 1 });
});

test("a retry continues where the change has failed", async () => {
  results = [{ done: 10, cursor: "1" }, new FilesError("denied")];
  await queue.add(move([folder("/a")]));
  expect(ended).toMatchObject([{ status: "failed", done: 10, error: { code: "denied" } }]);
  queue.retry(1);
  await expect.poll(() => ended.length).toBe(2);
  expect(ended[1]).toMatchObject({ status: "done", done: 11 });
  expect(sent.at(-1)).toMatchObject(["move", { cursor: "1" }]);
});

test("a temporary failure is retried by itself", async () => {
  results = [new FilesError("unavailable"), { done: 1 }];
  expect(await queue.add(move([file("a.txt")]))).toMatchObject({ status: "done", isRetrying: false });
  expect(sent).toHaveLength(2);
});

test("a retry sends the failed files again, and merges the rest of a folder with its beginning", async () => {
  const failed = ["a.txt", "docs/x/y.txt"].map((key) => ({ key, code: "provider_failed" }));
  results = [{ done: 3, failed }];
  await queue.add(move([file("a.txt"), file("b.txt"), folder("/docs"), folder("/docs-old")]));
  expect(queue.getState()).toMatchObject([{ status: "failed", failed }]);
  queue.retry(1);
  await expect.poll(() => ended.length).toBe(3);
  expect(sent.slice(1)).toMatchObject([
    ["move", { items: [{ key: "a.txt" }], onConflict: "fail" }],
    ["move", { items: [{ folderPath: "/docs" }], onConflict: "replace" }],
  ]);
  expect(queue.getState()).toEqual([]);
});

test("undoing asks nothing: it fails if a name is taken meanwhile, and can be retried", async () => {
  const of = await queue.add(move([file("a.txt")]));
  results = [{ done: 0, conflicts: [{ name: "a.txt", key: "in/a.txt" }] }];
  const back = move([file("in/a.txt")], { from: "/in", to: "/", stepOf: { way: "undo", change: of } });
  const change = await queue.add(back);
  expect(change).toMatchObject({ status: "failed", error: { code: "name_taken" } });
  expect(sent.at(-1)).toMatchObject(["move", { onConflict: "fail" }]);
  queue.retry(change.id);
  await expect.poll(() => ended.at(-1)?.status).toBe("done");
});

test("a change keeps what undoing needs: handles, names that the server chose, names that were replaced", async () => {
  const renamed = [{ name: "a (1).txt", key: "a.txt" }];
  results = [
    { done: 0, cursor: "1", renamed },
    { done: 1, renamed, undo: "handle" },
  ];
  const kept = await queue.add(move([file("a.txt")], { action: "copy", choice: "keep-both" }));
  expect(kept).toMatchObject({ renamed, undoHandles: ["handle"], replaced: null });
  const conflicts = [{ name: "a.txt", key: "a.txt" }];
  for (const [answer, expected] of [
    ["replace", { replaced: conflicts, skipped: [] }],
    ["skip", { replaced: null, skipped: ["a.txt"] }],
  ] as const) {
    results = [{ done: 0, conflicts }];
    const ending = queue.add(move([file("a.txt"), file("b.txt")]));
    queue.answer((await shown("waiting")).id, answer);
    expect(await ending).toMatchObject(expected);
  }
});

test("objects that the server does not restore count as failed", async () => {
  const failed = [{ key: "in/a.txt", code: "changed" }];
  results = [{ restored: 2, failed }, { restored: 1 }];
  const items = [file("in/a.txt")];
  const removed = await queue.add({
    action: "remove-created",
    items,
    from: "/in",
    to: "/in",
    undoHandles: ["one", "two"],
  });
  expect(removed).toMatchObject({ status: "failed", done: 3, failed, error: null, undoHandles: [] });
});

test("the queue is idle when nothing runs or waits", async () => {
  await queue.idle();
  const changes = [queue.add(move([file("a.txt")])), queue.add(move([file("b.txt")]))];
  await queue.idle();
  expect(ended.map(({ status }) => status)).toEqual(["done", "done"]);
  await Promise.all(changes);
});

/** Fails the first time. */
const failingLoad = () =>
  vi.fn(async () => runner).mockRejectedValueOnce(new TypeError("Failed to fetch a module"));

test("when its code cannot be loaded, a change fails at once, and continues when it is retried", async () => {
  const load = failingLoad();
  queue = create(call, undefined, load);
  const change = await queue.add(move([file("a.txt")]));
  expect([change.status, change.error?.code, sent]).toEqual(["failed", "code_not_loaded", []]);
  expect(load).toHaveBeenCalledOnce();
  queue.retry(change.id);
  await queue.idle();
  expect([queue.getState(), sent.length]).toEqual([[], 1]);
});

test("without a network, a change waits for its code", async () => {
  let connect = () => {};
  const network = {
    isOnline: () => false,
    onOnline(listener: () => void) {
      connect = listener;
      return () => {};
    },
  };
  queue = create(call, { ...realWorld, random: () => 0, network }, failingLoad());
  const ending = queue.add(move([file("a.txt")]));
  await vi.waitFor(() => expect(queue.getState()).toMatchObject([{ isRetrying: true }]));
  connect();
  expect((await ending).status).toBe("done");
});

test("only an answer to its question is taken", async () => {
  results = [{ undoable: false }, { done: 1 }];
  const ending = queue.add(move([file("a.txt")], { action: "delete" }));
  const { id } = await shown("waiting");
  for (const answer of ["skip", "keep-both", "replace"] as const)
    expect(() => queue.answer(id, answer)).toThrow(RangeError);
  expect(sent).toHaveLength(1);
  queue.answer(id, "delete");
  expect(await ending).toMatchObject({ status: "done", done: 1 });
  results = [{ done: 0, conflicts: [{ name: "a.txt", key: "a.txt" }] }];
  const moving = queue.add(move([file("a.txt")]));
  const asking = await shown("waiting");
  expect(() => queue.answer(asking.id, "delete")).toThrow(RangeError);
  queue.answer(asking.id, "skip");
  await moving;
});

test("a change that is cancelled while it is found out whether it can be undone asks nothing", async () => {
  results = [{ undoable: false }];
  const ending = queue.add(move([file("a.txt")], { action: "delete" }));
  queue.cancel(queue.getState()[0]?.id ?? 0);
  expect(await ending).toMatchObject({ status: "cancelled", done: 0, question: null });
  expect(sent.filter(([, { check }]) => check !== true)).toEqual([]);
});

test("what a failed change has done can be undone, also if it is cancelled when it is queued again", async () => {
  results = [{}, { done: 1, cursor: "1", undo: "handle" }, new FilesError("denied")];
  const failed = await queue.add(move([folder("/a")], { action: "delete" }));
  expect(failed).toMatchObject({ status: "failed", done: 1 });
  const [steps] = endedSteps;
  expect(steps).not.toBeNull();
  const other = queue.add(move([file("b.txt")]));
  queue.retry(failed.id);
  queue.cancel(failed.id);
  await other;
  expect(ended.map(({ id, status }) => [id, status])).toContainEqual([failed.id, "cancelled"]);
  expect(endedSteps).not.toContain(null);
});

test("a change that failed while it was being stopped runs on when it is retried", async () => {
  let release = (_: Result) => {};
  results = [{ done: 1, cursor: "1" }, new Promise<Result>((resolve) => (release = resolve))];
  const ending = queue.add(move([folder("/a")]));
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  queue.cancel(queue.getState()[0]?.id ?? 0);
  release(new FilesError("denied"));
  const failed = await ending;
  expect(failed.status).toBe("failed");
  results = [{ done: 2 }];
  queue.retry(failed.id);
  await queue.idle();
  expect(ended.at(-1)).toMatchObject({ status: "done", done: 3 });
});

test("only failed changes can be dismissed", async () => {
  const first = queue.add(move([file("a.txt")]));
  const second = queue.add(move([file("b.txt")]));
  for (const { id } of queue.getState()) queue.dismiss(id);
  expect(queue.getState()).toHaveLength(2);
  expect([(await first).status, (await second).status]).toEqual(["done", "done"]);
});
