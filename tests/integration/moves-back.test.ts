/** Files of a bucket with versions that are moved back to where a move has taken them from: they come back without a copy, with their dates. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { authorOf } from "../../app/events/event";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import type { makeBucket } from "../support/files/bucket";
import { type Asked, asks, secondsAgo } from "../support/files/cut-off-changes";
import {
  age,
  eventsOf,
  openRecorded,
  pendingOf,
  settlePending,
  uploadCalls,
} from "../support/files/event-calls";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";
import { testGrant } from "../support/files/grant";

const shared = inject("stack");
let faulty: FaultyStore;
let app: RouteApp;
let bucket: Awaited<ReturnType<typeof makeBucket>>;
let ask: ReturnType<typeof uploadCalls>["ask"];
beforeAll(async () => {
  // A database of its own, as cleanup settles all that it finds.
  faulty = await startFaultyStore({ ...shared, postgresUrl: await makeDatabase(shared) });
  app = createRouteApp(faulty.stack);
  const opened = await openRecorded(app, faulty.stack, true);
  ({ bucket } = opened);
  ({ ask } = uploadCalls(app, faulty.stack, bucket.name, await opened.tokenOf("ada")));
});
beforeEach(() => {
  faulty.intercept = null;
});
afterAll(async () => {
  await app?.close();
  await faulty?.close();
});

const describeKey = (key: string) => app.objectStore.describeObject({ bucket: bucket.name, key });
/** Versions and delete markers of a file, newest first. */
async function historyOf(key: string) {
  const { versions } = await app.objectStore.listVersions({ bucket: bucket.name, prefix: key });
  return versions.map(({ versionId, isMarker }) => (isMarker ? "marker" : versionId));
}
/** What is recorded of a place's files. */
async function recorded(at: string) {
  const events = await eventsOf(faulty.stack.postgresUrl, bucket.name);
  return events.flatMap(({ type, key, data }) =>
    key.startsWith(`${at}/`) && type !== "folder.created"
      ? [[type, key.slice(at.length + 1), String(data.from).slice(at.length + 1), data.restoredVersion]]
      : [],
  );
}

/** Repeats a request until it is done. */
async function move(items: object[], to: string) {
  const total = { done: 0, failed: [] as object[], conflicts: [] as object[] };
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const body = { items, to, onConflict: "fail", ...(cursor && { cursor }) };
    const response = await ask("move", body);
    if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(response.body)}`);
    total.done += response.body.done;
    total.failed.push(...response.body.failed);
    total.conflicts.push(...response.body.conflicts);
    ({ cursor } = response.body);
  }
  return total;
}

/** Counts what is copied from now on. */
function countCopies() {
  const counted = { copies: 0 };
  faulty.intercept = (request) => {
    if (asks.copy(request)) counted.copies += 1;
    return undefined;
  };
  return counted;
}

let made = 0;
/** A file `from/a.txt` that was stored seconds ago, and has been moved to `to`. */
async function moved(text = "hello") {
  const at = `place-${made++}`;
  const [from, to] = [`${at}/from/a.txt`, `${at}/to/a.txt`];
  await secondsAgo(() => bucket.put(from, text));
  const original = await describeKey(from);
  expect(await move([{ key: from }], `/${at}/to`)).toMatchObject({ done: 1 });
  const back = () => move([{ key: to }], `/${at}/from`);
  return { at, from, to, original, back };
}

describe("a file that is moved back", () => {
  it("is the version that it was, with its date, and nothing is copied", async () => {
    const { at, from, to, original, back } = await moved();
    const counted = countCopies();
    expect(await back()).toEqual({ done: 1, failed: [], conflicts: [] });
    expect(counted).toEqual({ copies: 0 });
    expect(await describeKey(from)).toEqual(original);
    expect(await historyOf(from)).toEqual([original?.versionId]);
    expect(await describeKey(to)).toBeNull();
    expect(await recorded(at)).toEqual([
      ["file.moved", "to/a.txt", "from/a.txt", undefined],
      ["file.moved", "from/a.txt", "to/a.txt", original?.versionId],
    ]);
    const { body } = await ask("deleted", { folderPath: `/${at}` });
    expect(body.files).toEqual([]);
    expect(await back()).toMatchObject({ done: 0 });
  });

  it("and moved again goes back and forth without a copy", async () => {
    const { at, from, to, original, back } = await moved();
    const there = await describeKey(to);
    await back();
    const counted = countCopies();
    expect(await move([{ key: from }], `/${at}/to`)).toMatchObject({ done: 1 });
    expect(await describeKey(to)).toEqual(there);
    expect(await back()).toMatchObject({ done: 1 });
    expect(await describeKey(from)).toEqual(original);
    expect(counted).toEqual({ copies: 0 });
  });

  it("in a folder comes back unless it was changed: then it is copied", async () => {
    const at = `place-${made++}`;
    await secondsAgo(async () => {
      for (const name of ["a", "b", "sub/c"]) await bucket.put(`${at}/docs/${name}`, name);
    });
    const original = await describeKey(`${at}/docs/sub/c`);
    await move([{ folderPath: `/${at}/docs` }], `/${at}/to`);
    await bucket.put(`${at}/to/docs/b`, "changed");
    const counted = countCopies();
    expect(await move([{ folderPath: `/${at}/to/docs` }], `/${at}`)).toMatchObject({ done: 3, failed: [] });
    expect(counted).toEqual({ copies: 1 });
    expect(await describeKey(`${at}/docs/sub/c`)).toEqual(original);
    expect(String(await bucket.get(`${at}/docs/b`))).toBe("changed");
  });

  it("may have a name that the database cannot store", async () => {
    const at = `place-${made++}`;
    const name = "nul\0.txt";
    await bucket.put(`${at}/${name}`, "hello");
    const original = await describeKey(`${at}/${name}`);
    expect(await move([{ key: `${at}/${name}` }], `/${at}/to`)).toMatchObject({ done: 1, failed: [] });
    expect(await move([{ key: `${at}/to/${name}` }], `/${at}`)).toMatchObject({ done: 1, failed: [] });
    expect(await describeKey(`${at}/${name}`)).toEqual(original);
    for (const _ of ["first", "again"])
      expect(await ask("delete", { items: [{ key: `${at}/${name}` }] })).toMatchObject({ body: { done: 1 } });
  });

  it("does not uncover another file that was deleted at its place since", async () => {
    const { from, back } = await moved();
    await bucket.put(from, "another");
    await bucket.remove(from);
    const counted = countCopies();
    expect(await back()).toMatchObject({ done: 1 });
    expect(counted).toEqual({ copies: 1 });
    expect(String(await bucket.get(from))).toBe("hello");
  });

  it("is not taken for one that was stored anew with the same bytes: a copy has that one's metadata", async () => {
    const { to, back } = await moved();
    await bucket.put(to, "hello");
    const counted = countCopies();
    expect(await back()).toMatchObject({ done: 1 });
    expect(counted).toEqual({ copies: 1 });
  });

  it("replaces nothing that has its name by now", async () => {
    const { from, to, back } = await moved();
    await bucket.put(from, "another");
    expect(await back()).toMatchObject({ done: 0, conflicts: [{ name: "a.txt" }] });
    expect(String(await bucket.get(from))).toBe("another");
    expect(String(await bucket.get(to))).toBe("hello");
  });

  const isMarker = ({ method, query }: Asked) => method === "DELETE" && query.has("versionId");
  it.each([
    ["list versions", ({ query }: Asked) => query.has("versions")],
    ["delete versions", isMarker],
  ])("is copied if the access key may not %s", async (_, isRefused) => {
    const { at, from, back } = await moved();
    faulty.intercept = (request) =>
      isRefused(request) ? { error: { status: 403, code: "AccessDenied" } } : undefined;
    expect(await back()).toMatchObject({ done: 1 });
    faulty.intercept = null;
    expect(String(await bucket.get(from))).toBe("hello");
    expect(await recorded(at)).toMatchObject([{}, ["file.moved", "from/a.txt", "to/a.txt", undefined]]);
    expect(await pendingOf(faulty.stack.postgresUrl, bucket.name)).toEqual([]);
  });

  it("is hidden again if another program has taken the copy meanwhile: it would exist twice", async () => {
    const { at, from, to, original, back } = await moved();
    faulty.intercept = async (request) => {
      if (!isMarker(request)) return undefined;
      faulty.intercept = null;
      await bucket.remove(to);
      return undefined;
    };
    expect(await back()).toMatchObject({ done: 0, failed: [{ key: to, code: "not_found" }] });
    expect(await historyOf(from)).toEqual(["marker", original?.versionId]);
    expect(await recorded(at)).toHaveLength(1);
  });
});

describe("moving back, killed half way", () => {
  it("is finished by the same request, and is one event", async () => {
    const { at, from, to, original, back } = await moved();
    faulty.intercept = ({ method, key }) => (method === "DELETE" && key === to ? { reset: true } : undefined);
    await expect(back()).rejects.toThrow("503");
    faulty.intercept = null;
    expect([await describeKey(from), String(await bucket.get(to))]).toEqual([original, "hello"]);
    const counted = countCopies();
    expect(await back()).toEqual({ done: 1, failed: [], conflicts: [] });
    expect(counted).toEqual({ copies: 0 });
    expect(await describeKey(to)).toBeNull();
    expect(await recorded(at)).toEqual([
      ["file.moved", "to/a.txt", "from/a.txt", undefined],
      ["file.moved", "from/a.txt", "to/a.txt", original?.versionId],
    ]);
  });

  it.each([
    ["before it began", 0, []],
    ["when the file was back", 1, [["file.restored", "from/a.txt", "to/a.txt"]]],
    ["when the copy was gone", 2, [["file.moved", "from/a.txt", "to/a.txt"]]],
  ])("%s, is recorded by cleanup as far as it came", async (_, steps, expected) => {
    const { at, from, to, original, back } = await moved();
    const { size = 0, etag = "", versionId: restoredVersion = "" } = original ?? {};
    const { versions } = await app.objectStore.listVersions({ bucket: bucket.name, prefix: from });
    const version = versions[0]?.versionId ?? "";
    const [there] = await eventsOf(faulty.stack.postgresUrl, bucket.name);
    const author = authorOf({ ...testGrant(), companyId: there?.companyId ?? "" }, { requestId: "r" });
    const event = { ...author, type: "file.moved", bucket: bucket.name, key: from } as const;
    const data = { from: to, size, etag, restoredVersion, version };
    await app.events.recordPending({ ...event, data }, JSON.stringify([to, etag, version]));
    if (steps > 0) await app.objectStore.removeObject({ bucket: bucket.name, key: from, version });
    if (steps > 1) await app.objectStore.removeObject({ bucket: bucket.name, key: to });
    await age(faulty.stack.postgresUrl, bucket.name, "16 min");
    await settlePending(app);
    const ofMoveBack = (await recorded(at)).filter(([, key]) => key === "from/a.txt");
    expect(ofMoveBack.map((event) => event.slice(0, 3))).toEqual(expected);
    expect(await pendingOf(faulty.stack.postgresUrl, bucket.name)).toEqual([]);
    if (steps !== 1) return;
    // The file is at both places. Moving it back once more removes the copy.
    expect(await back()).toMatchObject({ done: 1, conflicts: [] });
    expect(await describeKey(to)).toBeNull();
    expect(await describeKey(from)).toEqual(original);
  });
});
