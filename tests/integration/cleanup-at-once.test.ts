/** `npm run cleanup` at the same time as requests that change the same files, and as another cleanup. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { StackInfo } from "../../local/stack-info";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { type Asked, asks } from "../support/files/cut-off-changes";
import {
  age,
  eventsOf,
  openRecorded,
  pendingOf,
  sendInParts,
  settlePending,
  uploadCalls,
} from "../support/files/event-calls";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";

let stack: StackInfo;
let faulty: FaultyStore;
let app: RouteApp;
let otherApp: RouteApp;
beforeAll(async () => {
  faulty = await startFaultyStore(inject("stack"));
  // A database of its own, as cleanup settles all that it finds.
  stack = { ...faulty.stack, postgresUrl: await makeDatabase(faulty.stack) };
  app = createRouteApp(stack);
  otherApp = createRouteApp(stack);
});
beforeEach(() => {
  faulty.intercept = null;
});
afterAll(async () => {
  await Promise.all([app, otherApp].map((each) => each?.close()));
  await faulty?.close();
});

/** Holds the requests of a kind at the store until `release` is called. `reached` tells that one has come. */
function hold(isMeant: (request: Asked) => boolean) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    faulty.intercept = async (request) => {
      if (!isMeant(request)) return undefined;
      resolve();
      await released;
      return undefined;
    };
  });
  return { reached, release };
}

describe.each([
  ["without versions", false],
  ["with versions", true],
])("in a bucket %s", (_, keepsVersions) => {
  async function open() {
    const { bucket, tokenOf } = await openRecorded(app, stack, keepsVersions);
    const token = await tokenOf();
    const uploads = uploadCalls(app, stack, bucket.name, token);
    const ageAll = () => age(stack.postgresUrl, bucket.name, "16 min");
    const events = async () =>
      (await eventsOf(stack.postgresUrl, bucket.name)).map(({ type, key }) => [type, key]);
    const pending = () => pendingOf(stack.postgresUrl, bucket.name);
    return { bucket, uploads, ask: uploads.ask, ageAll, events, pending };
  }

  it.each([
    ["a move", "move", { to: "/to", onConflict: "fail" }, asks.copy, asks.delete, "file.moved", "to/a.txt"],
    ["a copy", "copy", { to: "/to", onConflict: "fail" }, asks.copy, asks.copy, "file.copied", "to/a.txt"],
    ["a deletion", "delete", {}, asks.delete, asks.delete, "file.deleted", "a.txt"],
  ] as const)("%s that repeats one that was killed is recorded as what it is", async (...pair) => {
    const [, what, rest, isFirst, isLast, type, key] = pair;
    const { bucket, ask, ageAll, events, pending } = await open();
    await bucket.put("a.txt", "hello");
    const request = { items: [{ key: "a.txt" }], ...rest };
    faulty.intercept = (asked) => (isFirst(asked) ? { reset: true } : undefined);
    expect((await ask(what, request)).status).toBe(503);
    faulty.intercept = null;
    await ageAll();

    const { reached, release } = hold(isLast);
    const changing = ask(what, request);
    await reached;
    const settled = await settlePending(otherApp);
    release();
    expect((await changing).body).toMatchObject({ done: 1, failed: [] });
    expect(settled).toMatchObject({ made: 0, notMade: 0, open: 1 });
    expect(await events()).toEqual([[type, key]]);
    expect(await pending()).toEqual([]);
    expect(await settlePending(otherApp)).toMatchObject({ made: 0, notMade: 0, recorded: 0, open: 0 });
  });

  it("the completion of an old upload in parts is recorded once", async () => {
    const { bucket, uploads, ask, ageAll, events } = await open();
    const { upload } = await sendInParts(uploads, "a.txt", "hello");
    const { reached, release } = hold(({ method, query }) => method === "POST" && query.has("uploadId"));
    const completing = ask("multipart/complete", { bucket: undefined, upload });
    await reached;
    await ageAll();
    // Nothing is stored yet. Then the store completes it, while cleanup looks again and the request goes on.
    expect(await settlePending(otherApp)).toMatchObject({ made: 0, open: 1 });
    release();
    const [completed] = await Promise.all([completing, settlePending(otherApp), settlePending(otherApp)]);
    expect(completed).toMatchObject({ status: 200, body: { key: "a.txt" } });
    await Promise.all([app, otherApp].map((each) => each.events.flush()));
    expect(await events()).toEqual([["file.uploaded", "a.txt"]]);
    expect(String(await bucket.get("a.txt"))).toBe("hello");
  });

  it("two cleanups count each change once", async () => {
    const { bucket, ask, ageAll, events, pending } = await open();
    const names = Array.from({ length: 12 }, (_, index) => `${index}.txt`);
    for (const name of names) await bucket.put(name, name);
    // The store deletes them, and the process is killed before the responses come.
    const deleted = new Set<string>();
    faulty.intercept = (asked) => {
      if (deleted.has(asked.key)) return { reset: true };
      if (!asks.delete(asked)) return undefined;
      deleted.add(asked.key);
      return { loseResponse: true };
    };
    for (const name of names) await ask("delete", { items: [{ key: name }] });
    faulty.intercept = null;
    await ageAll();
    const settled = await Promise.all([settlePending(app), settlePending(otherApp)]);
    const sum = (what: "made" | "notMade" | "recorded") =>
      settled.reduce((total, each) => total + each[what], 0);
    expect([sum("made"), sum("notMade"), sum("recorded")]).toEqual([names.length, 0, 0]);
    expect(await pending()).toEqual([]);
    expect((await events()).sort()).toEqual(names.map((name) => ["file.deleted", name]).sort());
  });
});
