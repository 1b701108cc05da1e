/** What may go wrong between us and the store while files and folders are copied, moved and deleted. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { ObjectStorage } from "../../local/object-store/storage";
import { type ChangeCalls, openChanges } from "../support/change-calls";
import { asks, before, filled, persist } from "../support/cut-off-changes";
import { type FaultyStore, startFaultyStore } from "../support/faulty-store";
import { createRouteApp, type RouteApp } from "../support/route-app";

const stack = inject("stack");
let faulty: FaultyStore;
let app: RouteApp;
let calls: ChangeCalls;
/** the same by an app that waits for a second only */
let impatient: RouteApp;

/** More than one listing and one response hold. */
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

/** Objects of no bytes, written where the store keeps them before it starts: putting them there takes longer than the test. */
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
    "that stays silent when it is asked to %s is waited for, and not for long",
    async (_, isMeant) => {
      const asked = await openChanges(faulty.stack, impatient.fetch);
      const { at, items } = await filled(asked);
      let isHit = false;
      faulty.intercept = (request) => {
        if (!isMeant(request)) return undefined;
        isHit = true;
        return { hang: true };
      };
      const { failures } = await persist(faulty, asked, "move", {
        items,
        to: `/${at}/to`,
        onConflict: "fail",
      });
      expect(isHit).toBe(true);
      // On a busy machine a second may be too short for more than the request that is meant.
      expect(failures).toBeGreaterThanOrEqual(1);
      expect(Object.keys(await asked.below(at))).toHaveLength(7);
    },
  );

  it("that refuses one object is said to, and the others are done", async () => {
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

  it("that knows no conditions, and no versions, is asked without", async () => {
    const other = await openChanges(faulty.stack, app.fetch);
    const { at, items } = await filled(other);
    faulty.intercept = ({ method, headers, query }) => {
      const isCondition = "if-none-match" in headers || "if-match" in headers;
      if ((isCondition && method !== "GET") || query.has("versioning")) {
        return { error: { status: 501, code: "NotImplemented" } };
      }
      return undefined;
    };
    // The folder that was left empty is made under a condition too, and always has been: here it is left to itself.
    const moved = await other.change("copy", { items, to: `/${at}/to`, onConflict: "fail" });
    expect(moved).toMatchObject({ done: 5, failed: [] });
    const file = { items: [{ key: `${at}/from/docs/b` }], to: `/${at}/to2`, onConflict: "fail" };
    expect(await other.change("move", file)).toMatchObject({ done: 1, failed: [] });
    faulty.intercept = null;
    expect(await other.below(`${at}/to`)).toEqual(before);
    expect(await other.below(`${at}/to2`)).toEqual({ b: "b" });
  });

  it("that refuses to say whether it keeps versions has nothing to undo", async () => {
    const other = await openChanges(faulty.stack, app.fetch);
    await other.keepVersions();
    const { items } = await filled(other);
    faulty.intercept = ({ query }) =>
      query.has("versioning") ? { error: { status: 403, code: "AccessDenied" } } : undefined;
    const { body } = await other.ask("delete", { items, check: true });
    expect(body.undoable).toBe(false);
  });
});

describe("what happens meanwhile", () => {
  it("a file that appears under a name is not overwritten", async () => {
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

  it("a file that changes while it is moved is not lost", async () => {
    const { at, items } = await filled(calls);
    const key = `${at}/from/docs/b`;
    let writes = 0;
    let written: Promise<void> | undefined;
    faulty.intercept = (request) => {
      if (!asks.delete(request) || request.key !== key || writes++ > 0) return undefined;
      written = calls.bucket.put(key, "newer");
      return { delayMs: 300 };
    };
    const moved = await calls.change("move", { items, to: `/${at}/to`, onConflict: "fail" });
    await written;
    expect(moved.failed).toEqual([{ key, code: "upload_conflict" }]);
    faulty.intercept = null;
    expect(await calls.below(at)).toMatchObject({ "from/docs/b": "newer", "to/docs/b": "b" });
  });
});

it("a folder of more objects than one response or one listing holds is deleted whole", async () => {
  const of = await openChanges(faulty.stack, app.fetch, "seeded");
  const deleted = await of.change("delete", { items: [{ folderPath: "/many" }] });
  expect(deleted).toMatchObject({ done: MANY, failed: [] });
  expect(await of.keysBelow("many")).toEqual([]);
});
