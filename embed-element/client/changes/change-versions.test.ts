import { beforeEach, describe, expect, test } from "vitest";
import { fileRow, folderRow as folder } from "../../../tests/support/files/rows";
import { FilesError } from "../errors";
import { Events } from "../events";
import type { FolderTime } from "../folder-time";
import type { Call } from "../request";
import type { Row } from "../rows";
import { realWorld } from "../world";
import type { Change, RequestedChange } from "./change";
import { type ChangeEvents, Changes } from "./changes";

const moment: FolderTime = { kind: "at", moment: "2026-11-25T12:00:00Z" };
const deleted: FolderTime = { kind: "deleted" };
const file = (key: string) => fileRow(key, { versionId: `version of ${key}` });
const found = (...keys: string[]) => keys.map((key) => ({ key, versionId: `version of ${key}` }));
const taken = (...keys: string[]) => keys.map((key) => ({ key, code: "name_taken" }));
const many = (count: number, at = "f") => Array.from({ length: count }, (_, index) => `${at}/${index}`);

type Result = Record<string, unknown> | Error;
interface Sent {
  items: { key: string; versionId?: string }[];
  onConflict?: string;
  cursor?: string;
}

let sent: [endpoint: string, request: Sent][];
/** what the endpoints answer, in the order of the calls; `restore` and `purge` do by default what they are asked */
let results: Record<string, Result[]>;
let ended: Change[];
let queue: Changes;

beforeEach(() => {
  sent = [];
  results = {};
  ended = [];
  const call = async (endpoint: string, request: Sent) => {
    sent.push([endpoint, { ...request }]);
    const count = request.items?.length;
    const result = results[endpoint]?.shift() ?? { restored: count, purged: count, done: count };
    if (result instanceof Error) throw result;
    return { failed: [], cursor: null, files: [], folders: [], nextCursor: null, ...result };
  };
  const events = new Events<ChangeEvents>();
  events.on("changed", ({ change }) => ended.push(change));
  queue = new Changes(call as unknown as Call, realWorld, events);
});

const wanted = (action: "restore" | "purge", items: Row[], time: FolderTime): RequestedChange => {
  return { action, items, from: "/", to: "/", time };
};
/** The change, once it asks. */
const asking = () =>
  new Promise<Change>((resolve) => {
    const look = () => {
      const change = queue.getState().find(({ status }) => status === "waiting");
      if (!change) return;
      stop();
      resolve(change);
    };
    const stop = queue.subscribe(look);
    queueMicrotask(look);
  });
const keysOf = ({ items }: Sent) => items.map(({ key }) => key);
const sentTo = (endpoint: string) => sent.filter(([one]) => one === endpoint).map(([, request]) => request);

describe("restoring", () => {
  test("files are named with their versions, and a file in a folder that is restored, too, is named once", async () => {
    results.deleted = [{ files: found("docs/a") }];
    const items = [file("a.txt"), folder("/docs"), file("docs/a"), file("docs.txt")];
    const change = await queue.add(wanted("restore", items, deleted));
    expect(change).toMatchObject({ status: "done", done: 3, found: 3, failed: [] });
    expect(sent).toEqual([
      ["restore", { items: found("a.txt", "docs.txt"), onConflict: "fail", cursor: undefined }],
      ["deleted", { folderPath: "/docs", cursor: undefined }],
      ["restore", { items: found("docs/a"), onConflict: "fail", cursor: undefined }],
    ]);
  });

  test("deleted files are restored while they are being read, a thousand at a time", async () => {
    results.deleted = [
      { files: found(...many(700, "a")), cursor: "1" },
      { files: [], cursor: "2" },
      { files: found(...many(700, "b")), cursor: "3" },
      { files: found(...many(5, "c")) },
    ];
    const change = await queue.add(wanted("restore", [folder("/")], deleted));
    expect(change).toMatchObject({ status: "done", done: 1405, found: 1405 });
    expect(sent.map(([endpoint, { cursor, items }]) => [endpoint, items?.length ?? cursor])).toEqual([
      ["deleted", undefined],
      ["deleted", "1"],
      ["deleted", "2"],
      ["restore", 1000],
      ["restore", 400],
      ["deleted", "3"],
      ["restore", 5],
    ]);
  });

  test("a folder of the past is read with its subfolders, and only files that have changed since are counted", async () => {
    results.list = [
      { files: found("docs/a"), folders: [{ name: "in", path: "/docs/in" }], nextCursor: "more" },
      { files: found("docs/in/b") },
      { files: found("docs/c") },
    ];
    results.restore = [{ restored: 3, unchanged: 2 }];
    const change = await queue.add(wanted("restore", [folder("/docs")], moment));
    expect(change).toMatchObject({ status: "done", done: 1, found: 1 });
    const at = moment.kind === "at" && moment.moment;
    expect(sentTo("list")).toEqual([
      { folderPath: "/docs", cursor: undefined, at, pageSize: 1000 },
      { folderPath: "/docs/in", cursor: undefined, at, pageSize: 1000 },
      { folderPath: "/docs", cursor: "more", at, pageSize: 1000 },
    ]);
    expect(sentTo("restore").map(keysOf)).toEqual([["docs/a", "docs/in/b", "docs/c"]]);
  });

  test("a deleted file that exists again counts as restored: an earlier attempt may have restored it", async () => {
    results.restore = [{ restored: 1, unchanged: 1 }];
    expect(await queue.add(wanted("restore", [file("a")], deleted))).toMatchObject({ done: 1 });
  });

  test.each([
    ["replace", [[["a", "b"], "replace"]], { done: 3, skipped: [] }],
    ["keep-both", [[["a", "b"], "keep-both"]], { done: 3, skipped: [] }],
    ["skip", [], { done: 1, skipped: ["a", "b"], found: 1 }],
  ] as const)(
    "the person is asked about taken names once, at the end: %s",
    async (answer, expected, ended) => {
      results.deleted = [{ files: found("a"), cursor: "1" }, { files: found("b", "c") }];
      results.restore = [{ restored: 1, failed: taken("a", "b") }];
      const ending = queue.add(wanted("restore", [folder("/")], deleted));
      const { id, question } = await asking();
      expect(question).toEqual({
        about: "conflicts",
        items: [
          { key: "a", name: "a" },
          { key: "b", name: "b" },
        ],
      });
      queue.answer(id, answer);
      expect(await ending).toMatchObject({ status: "done", failed: [], ...ended });
      const answered = sentTo("restore").slice(1);
      expect(answered.map((request) => [keysOf(request), request.onConflict])).toEqual(expected);
    },
  );

  test("each file can be decided for itself", async () => {
    results.deleted = [{ files: found("a", "b", "c") }];
    results.restore = [{ restored: 0, failed: taken("a", "b", "c") }];
    const ending = queue.add(wanted("restore", [folder("/")], deleted));
    const { id } = await asking();
    queue.answer(
      id,
      new Map([
        ["a", "keep-both"],
        ["b", "replace"],
      ] as const),
    );
    expect(await ending).toMatchObject({ status: "done", failed: [], skipped: ["c"], found: 2 });
    const answered = sentTo("restore").slice(1);
    expect(answered.map((request) => [keysOf(request), request.onConflict])).toEqual([
      [["b"], "replace"],
      [["a"], "keep-both"],
    ]);
  });

  test("files of one name in several folders are skipped each for itself", async () => {
    results.deleted = [{ files: found("x/a", "y/a") }];
    results.restore = [{ restored: 1, failed: taken("y/a") }];
    const ending = queue.add(wanted("restore", [folder("/")], deleted));
    queue.answer((await asking()).id, "skip");
    expect(await ending).toMatchObject({ status: "done", done: 1, skipped: ["y/a"] });
  });

  test("cancelling the question keeps what was restored before", async () => {
    results.restore = [{ restored: 1, failed: taken("a") }];
    const ending = queue.add(wanted("restore", [file("a"), file("b")], deleted));
    queue.cancel((await asking()).id);
    expect(await ending).toMatchObject({ status: "cancelled", done: 1 });
    expect(sentTo("restore")).toHaveLength(1);
  });

  test("after it is cancelled, a change reads and restores nothing more", async () => {
    results.deleted = [{ files: found(...many(1000)), cursor: "1" }];
    const ending = queue.add(wanted("restore", [folder("/")], deleted));
    const stop = queue.subscribe(() => {
      if (queue.getState()[0]?.done === 1000) {
        stop();
        queue.cancel(1);
      }
    });
    expect(await ending).toMatchObject({ status: "cancelled", done: 1000 });
    expect(sent.map(([endpoint]) => endpoint)).toEqual(["deleted", "restore"]);
  });

  test("a retry continues where reading or restoring has failed, and restores nothing twice", async () => {
    results.deleted = [{ files: found("a"), cursor: "1" }, new FilesError("denied"), { files: found("b") }];
    results.restore = [
      { restored: 0, cursor: "half" },
      new FilesError("denied"),
      { restored: 1 },
      { restored: 1 },
    ];
    await queue.add(wanted("restore", [folder("/")], deleted));
    expect(queue.getState()).toMatchObject([{ status: "failed", done: 0, found: 1 }]);
    queue.retry(1);
    await expect.poll(() => queue.getState()[0]).toMatchObject({ status: "failed", cursor: "half" });
    queue.retry(1);
    await queue.idle();
    expect(ended.at(-1)).toMatchObject({ status: "done", done: 2, found: 2 });
    expect(sentTo("deleted").map(({ cursor }) => cursor)).toEqual([undefined, "1", "1"]);
    expect(sentTo("restore").map((request) => [keysOf(request), request.cursor])).toEqual([
      [["a"], undefined],
      [["a"], "half"],
      [["a"], "half"],
      [["b"], undefined],
    ]);
  });

  test("a retry names the failed files with their versions, without their folder", async () => {
    results.deleted = [{ files: found("docs/a", "docs/b") }];
    results.restore = [{ restored: 1, failed: [{ key: "docs/b", code: "provider_failed" }] }];
    const change = await queue.add(wanted("restore", [folder("/docs")], deleted));
    expect(change).toMatchObject({ status: "failed", error: null, done: 1 });
    queue.retry(1);
    await queue.idle();
    expect(sent.slice(2)).toEqual([
      ["restore", { items: found("docs/b"), onConflict: "fail", cursor: undefined }],
    ]);
  });
});

describe("deleting permanently", () => {
  test("all files are read, and nothing is deleted before the person has confirmed their number", async () => {
    results.deleted = [{ files: found(...many(1000)), cursor: "1" }, { files: found("b") }];
    results.purge = [
      { purged: 400, done: 300, cursor: "half" },
      { purged: 900, done: 700 },
    ];
    const ending = queue.add(wanted("purge", [folder("/")], deleted));
    const { id, found: count } = await asking();
    expect([count, sentTo("purge")]).toEqual([1001, []]);
    queue.answer(id, "delete");
    expect(await ending).toMatchObject({ status: "done", done: 1001 });
    const asked = sentTo("purge").map(({ items, cursor }) => [items.length, cursor]);
    expect(asked).toEqual([
      [1000, undefined],
      [1000, "half"],
      [1, undefined],
    ]);
    expect(sentTo("purge")[2]?.items).toEqual([{ key: "b" }]);
  });

  test("cancelling the question deletes nothing", async () => {
    const ending = queue.add(wanted("purge", [file("a")], deleted));
    queue.cancel((await asking()).id);
    expect(await ending).toMatchObject({ status: "cancelled", done: 0 });
    expect(sent).toEqual([]);
  });

  test("there is no question if there is nothing to delete, and no second one after a failure", async () => {
    expect(await queue.add(wanted("purge", [folder("/")], deleted))).toMatchObject({
      status: "done",
      done: 0,
    });
    results.purge = [new FilesError("denied")];
    const ending = queue.add(wanted("purge", [file("a")], deleted));
    queue.answer((await asking()).id, "delete");
    await ending;
    queue.retry(2);
    await queue.idle();
    expect([queue.getState(), sentTo("purge").length]).toEqual([[], 2]);
  });
});
