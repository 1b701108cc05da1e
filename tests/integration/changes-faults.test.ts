/** Faults of the store while files and folders are copied, moved and deleted. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { ObjectStorage } from "../../local/object-store/storage";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { type ChangeCalls, openChanges } from "../support/files/change-calls";
import { asks, before, filled, repeatUntilDone } from "../support/files/cut-off-changes";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";

const stack = inject("stack");
let faulty: FaultyStore;
let app: RouteApp;
let calls: ChangeCalls;
/** the same through an app with a time limit of one second */
let impatient: RouteApp;

/** More than one listing or one response holds. */
const MANY = 1_010;
const EMPTY = '"d41d8cd98f00b204e9800998ecf8427e"';

beforeAll(async () => {
  faulty = await startFaultyStore(stack, seed);
  app = createRouteApp(faulty.stack);
  impatient = createRouteApp(faulty.stack, { CLOUD_S3_TIMEOUT_SECONDS: "1" });
  calls = await openChanges(faulty.stack, app.fetch);
});
afterAll(async () => {
  await app?.close();
  await impatient?.close();
  await faulty?.close();
});
beforeEach(() => {
  faulty.intercept = null;
});

/** Writes empty objects to the store's folder before it starts. Uploading them takes longer than the test. */
function seed(dataDir: string): void {
  const storage = new ObjectStorage(dataDir);
  storage.create("seeded");
  const bucket = storage.get("seeded");
  for (let index = 0; index < MANY; index++) {
    const key = `many/${String(index % 7)}/${index}`;
    const record = { key, size: 0, etag: EMPTY, lastModified: 1_000, headers: {}, pieces: [] };
    bucket.commit(record, () => {});
  }
}

describe("a store", () => {
  it.each(Object.entries(asks).filter(([kind]) => kind !== "look" && kind !== "put"))(
    "that does not respond to a %s request is waited for briefly",
    async (_, isMeant) => {
      const asked = await openChanges(faulty.stack, impatient.fetch);
      const { at, items } = await filled(asked);
      let isHit = false;
      faulty.intercept = (request) => {
        if (!isMeant(request)) return undefined;
        isHit = true;
        return { hang: true };
      };
      const { failures } = await repeatUntilDone(faulty, asked, "move", {
        items,
        to: `/${at}/to`,
        onConflict: "fail",
      });
      expect(isHit).toBe(true);
      // On a busy machine a second may be too short for other requests as well.
      expect(failures).toBeGreaterThanOrEqual(1);
      expect(Object.keys(await asked.below(at))).toHaveLength(7);
    },
  );

  it("that refuses one object gets it reported; the others are changed", async () => {
    const { at, items } = await filled(calls);
    faulty.intercept = (request) =>
      asks.copy(request) && request.key.endsWith("docs/c")
        ? { error: { status: 403, code: "AccessDenied" } }
        : undefined;
    const moved = await calls.change("move", { items, to: `/${at}/to`, onConflict: "fail" });
    expect(moved).toMatchObject({
      done: 4,
      failed: [{ key: `${at}/from/docs/c`, code: "provider_failed" }],
    });
    faulty.intercept = null;
    expect(await calls.below(at)).toMatchObject({ "from/docs/c": "c", "to/docs/b": "b" });
  });

  it("without conditional requests and versions gets plain requests", async () => {
    const other = await openChanges(faulty.stack, app.fetch);
    const { at, items } = await filled(other);
    faulty.intercept = ({ method, headers, query }) => {
      const isCondition = "if-none-match" in headers || "if-match" in headers;
      if ((isCondition && method !== "GET") || query.has("versioning")) {
        return { error: { status: 501, code: "NotImplemented" } };
      }
      return undefined;
    };
    // The folder is copied: moving it would leave an empty folder, whose marker is always created with a condition.
    const moved = await other.change("copy", { items, to: `/${at}/to`, onConflict: "fail" });
    expect(moved).toMatchObject({ done: 5, failed: [] });
    const file = { items: [{ key: `${at}/from/docs/b` }], to: `/${at}/to2`, onConflict: "fail" };
    expect(await other.change("move", file)).toMatchObject({ done: 1, failed: [] });
    faulty.intercept = null;
    expect(await other.below(`${at}/to`)).toEqual(before);
    expect(await other.below(`${at}/to2`)).toEqual({ b: "b" });
  });

  it("that does not tell whether it keeps versions offers no undo", async () => {
    const other = await openChanges(faulty.stack, app.fetch);
    await other.keepVersions();
    const { items } = await filled(other);
    faulty.intercept = ({ query }) =>
      query.has("versioning") ? { error: { status: 403, code: "AccessDenied" } } : undefined;
    const { body } = await other.ask("delete", { items, check: true });
    expect(body.undoable).toBe(false);
  });
});

describe("a concurrent change", () => {
  it("does not get a file that appears under the new name overwritten", async () => {
    const { at, items } = await filled(calls);
    const request = { items, to: `/${at}/to`, onConflict: "fail" };
    const { body } = await calls.ask("move", request);
    await calls.put({ [`${at}/to/docs/b`]: "appeared" });
    const moved = await calls.ask("move", { ...request, cursor: body.cursor });
    expect(moved.body).toMatchObject({
      done: 4,
      failed: [{ key: `${at}/from/docs/b`, code: "name_taken" }],
    });
    expect(await calls.below(at)).toMatchObject({ "from/docs/b": "b", "to/docs/b": "appeared" });
  });

  it.each([
    ["is listed", asks.list],
    ["is replaced", asks.copy],
  ])(
    "of a file is kept when the restoring before it is undone, just before the file %s",
    async (_, isMeant) => {
      const versioned = await openChanges(faulty.stack, app.fetch);
      await versioned.keepVersions();
      for (const text of ["old", "new"]) await versioned.put({ "a/b": text });
      const { versions } = await app.objectStore.listVersions({
        bucket: versioned.bucket.name,
        prefix: "a/b",
      });
      const items = [{ key: "a/b", versionId: versions[1]?.versionId }];
      const { body } = await versioned.ask("restore", { items, onConflict: "replace" });
      let isChanged = false;
      faulty.intercept = async (request) => {
        if (isChanged || !isMeant(request)) return undefined;
        isChanged = true;
        await versioned.put({ "a/b": "changed" });
        return undefined;
      };
      expect((await versioned.ask("restore", { undo: body.undo })).body).toEqual({
        restored: 0,
        failed: [{ key: "a/b", code: "changed" }],
        cursor: null,
      });
      expect([isChanged, await versioned.below("a")]).toEqual([true, { b: "changed" }]);
    },
  );

  it("of a file during its move is not lost", async () => {
    const { at, items } = await filled(calls);
    const key = `${at}/from/docs/b`;
    let isWritten = false;
    faulty.intercept = async (request) => {
      if (!asks.delete(request) || request.key !== key || isWritten) return undefined;
      isWritten = true;
      await calls.bucket.put(key, "newer");
      return undefined;
    };
    const moved = await calls.change("move", { items, to: `/${at}/to`, onConflict: "fail" });
    expect(moved.failed).toEqual([{ key, code: "upload_conflict" }]);
    faulty.intercept = null;
    expect(await calls.below(at)).toMatchObject({ "from/docs/b": "newer", "to/docs/b": "b" });
  });
});

it("a folder with more objects than one response or listing holds is deleted completely", async () => {
  const of = await openChanges(faulty.stack, app.fetch, "seeded");
  const deleted = await of.change("delete", { items: [{ folderPath: "/many" }] });
  expect(deleted).toMatchObject({ done: MANY, failed: [] });
  expect(await of.keysBelow("many")).toEqual([]);
});
