/** Moves and copies that were cut off or repeated: what cleanup records of them, whatever happened to the files since. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { authorOf } from "../../app/events/event";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import type { makeBucket } from "../support/files/bucket";
import { secondsAgo } from "../support/files/cut-off-changes";
import {
  age,
  eventsOf,
  openRecorded,
  pendingOf,
  settlePending,
  uploadCalls,
} from "../support/files/event-calls";
import { testGrant } from "../support/files/grant";

const shared = inject("stack");
let stack: typeof shared;
let app: RouteApp;
beforeAll(async () => {
  // A database of its own, as cleanup settles all that it finds.
  stack = { ...shared, postgresUrl: await makeDatabase(shared) };
  app = createRouteApp(stack);
});
afterAll(() => app?.close());

async function cleanUp(bucket: string) {
  await age(stack.postgresUrl, bucket, "16 min");
  return settlePending(app);
}

async function open(keepsVersions: boolean) {
  const { bucket, tokenOf } = await openRecorded(app, stack, keepsVersions);
  const { ask, put } = uploadCalls(app, stack, bucket.name, await tokenOf());
  const brief = async () =>
    (await eventsOf(stack.postgresUrl, bucket.name)).flatMap(({ type, key, data }) =>
      type === "folder.created" ? [] : [[type, key, ...(data.from ? [data.from] : [])]],
    );
  return { bucket, ask, put, brief, pending: () => pendingOf(stack.postgresUrl, bucket.name) };
}

const author = authorOf(testGrant(), { requestId: "r" });

/** A move of `a.txt` to `b.txt` that was killed after its copy; with `isDone`, after its source was deleted. */
async function cutOffMove({ bucket }: Awaited<ReturnType<typeof open>>, isDone = true) {
  const name = bucket.name;
  await bucket.put("a.txt", "hello");
  const source = await app.objectStore.describeObject({ bucket: name, key: "a.txt" });
  const { size = 0, etag = "" } = source ?? {};
  const event = { ...author, type: "file.moved", bucket: name, key: "b.txt" } as const;
  await app.events.recordPending({ ...event, data: { from: "a.txt", size, etag } }, etag);
  await app.objectStore.copyObject({ bucket: name, key: "a.txt", to: "b.txt", size, etag, overwrite: false });
  if (isDone) await app.objectStore.removeObject({ bucket: name, key: "a.txt" });
}

describe.each([
  ["without versions", false],
  ["with versions", true],
])("in a bucket %s", (_, keepsVersions) => {
  it.each([
    ["replaced", (bucket) => bucket.put("b.txt", "another text")],
    ["deleted", (bucket) => bucket.remove("b.txt")],
  ] as [string, (bucket: Awaited<ReturnType<typeof makeBucket>>) => Promise<void>][])(
    "a move is recorded if its target was %s before cleanup",
    async (_how, change) => {
      const opened = await open(keepsVersions);
      await cutOffMove(opened);
      await change(opened.bucket);
      // Without versions nothing but the missing source is left, and cleanup says so.
      expect(await cleanUp(opened.bucket.name)).toMatchObject({ made: 1, assumed: keepsVersions ? 0 : 1 });
      expect(await opened.brief()).toEqual([["file.moved", "b.txt", "a.txt"]]);
      expect(await opened.pending()).toEqual([]);
    },
  );

  it("a move is recorded if its target was moved on, which a later event tells", async () => {
    const opened = await open(keepsVersions);
    await secondsAgo(() => cutOffMove(opened));
    await opened.ask("move", { items: [{ key: "b.txt" }], to: "/c", onConflict: "fail" });
    expect(await cleanUp(opened.bucket.name)).toMatchObject({ made: 1, assumed: 0 });
    expect((await opened.brief()).sort()).toEqual([
      ["file.moved", "b.txt", "a.txt"],
      ["file.moved", "c/b.txt", "b.txt"],
    ]);
  });

  it("a move whose source somebody else deleted, and that copied nothing, is not recorded", async () => {
    const opened = await open(keepsVersions);
    const { bucket, ask, brief } = opened;
    await bucket.put("a.txt", "hello");
    const found = await app.objectStore.describeObject({ bucket: bucket.name, key: "a.txt" });
    const event = { ...author, type: "file.moved", bucket: bucket.name, key: "b.txt" } as const;
    await app.events.recordPending({ ...event, data: { from: "a.txt", size: 5, etag: found?.etag } }, "x");
    await ask("delete", { items: [{ key: "a.txt" }] });
    expect(await cleanUp(bucket.name)).toMatchObject({ made: 0, notMade: 1 });
    expect(await brief()).toEqual([["file.deleted", "a.txt"]]);
  });

  it.each([
    ["other", "jello"],
    ["the same", "hello"],
  ])(
    "an upload of %s bytes, to where a copy was killed before it began, is not the copy",
    async (_bytes, text) => {
      const { bucket, put, brief, pending } = await open(keepsVersions);
      await bucket.put("a.txt", "hello");
      const found = await app.objectStore.describeObject({ bucket: bucket.name, key: "a.txt" });
      const event = { ...author, type: "file.copied", bucket: bucket.name, key: "b.txt" } as const;
      await app.events.recordPending({ ...event, data: { from: "a.txt", size: 5, etag: found?.etag } }, "x");
      await put("b.txt", text);
      expect(await cleanUp(bucket.name)).toMatchObject({ notMade: 1 });
      expect(await brief()).toEqual([["file.uploaded", "b.txt"]]);
      expect((await pending()).filter(({ type }) => type === "file.copied")).toEqual([]);
    },
  );

  it("a move that was repeated, at once or later, is one event", { timeout: 60_000 }, async () => {
    const { bucket, ask, brief, pending } = await open(keepsVersions);
    const names = Array.from({ length: 15 }, (_, index) => `${index}.txt`);
    await secondsAgo(async () => {
      for (const name of names) await bucket.put(`from/${name}`, name);
    });
    const move = { items: [{ folderPath: "/from" }], to: "/to", onConflict: "fail" };
    const { body: planned } = await ask("move", move);
    const proceed = { ...move, ...(planned.cursor && { cursor: planned.cursor }) };
    await Promise.all([ask("move", proceed), ask("move", proceed), ask("move", proceed)]);
    await ask("move", proceed);
    await cleanUp(bucket.name);
    await cleanUp(bucket.name);
    expect(await pending()).toEqual([]);
    const expected = names.map((name) => ["file.moved", `to/from/${name}`, `from/${name}`]);
    expect((await brief()).sort()).toEqual(expected.sort());
  });

  it("a copy that was repeated is one event", async () => {
    const { bucket, ask, brief, pending } = await open(keepsVersions);
    await secondsAgo(() => bucket.put("a.txt", "hello"));
    const copy = { items: [{ key: "a.txt" }], to: "/to", onConflict: "fail" };
    await Promise.all([ask("copy", copy), ask("copy", copy), ask("copy", copy)]);
    await ask("copy", copy);
    await cleanUp(bucket.name);
    expect(await pending()).toEqual([]);
    expect(await brief()).toEqual([["file.copied", "to/a.txt", "a.txt"]]);
  });

  it("a row that a repeated request has left is settled with the event it belongs to", async () => {
    const opened = await open(keepsVersions);
    const { bucket, ask, brief } = opened;
    await secondsAgo(() => bucket.put("a.txt", "hello"));
    const found = await app.objectStore.describeObject({ bucket: bucket.name, key: "a.txt" });
    await ask("move", { items: [{ key: "a.txt" }], to: "/to", onConflict: "fail" });
    const event = { ...author, type: "file.moved", bucket: bucket.name, key: "to/a.txt" } as const;
    await app.events.recordPending({ ...event, data: { from: "a.txt", size: 5, etag: found?.etag } }, "x");
    await bucket.put("b.txt", "other");
    await ask("delete", { items: [{ key: "b.txt" }] });
    const other = { ...author, type: "file.deleted", bucket: bucket.name, key: "b.txt" } as const;
    const deleted = (await eventsOf(stack.postgresUrl, bucket.name)).find(
      ({ type }) => type === "file.deleted",
    );
    await app.events.recordPending({ ...other, data: { size: 5, etag: String(deleted?.data.etag) } }, "x");
    expect(await cleanUp(bucket.name)).toMatchObject({ made: 0, recorded: 2 });
    expect(await brief()).toEqual([
      ["file.moved", "to/a.txt", "a.txt"],
      ["file.deleted", "b.txt"],
    ]);
  });
});
