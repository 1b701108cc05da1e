/** The files that were added last: what the record says, as far as the store still has it and the token may see it. */
import { PutObjectTaggingCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import type { FileEventType } from "../../app/events/event";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";
import { Wire } from "../support/network/wire";

const stack = inject("stack");
let faulty: FaultyStore;
let app: RouteApp;
let wire: Wire;
let bucket: TestBucket;
/** object requests that the store has received */
let asked = 0;

beforeAll(async () => {
  faulty = await startFaultyStore(stack);
  const url = await makeDatabase(stack);
  wire = await Wire.to(url);
  app = createRouteApp(faulty.stack, { POSTGRES_URL: wire.over(url) });
});
afterEach(() => {
  faulty.intercept = null;
  asked = 0;
});
afterAll(async () => {
  await app?.close();
  await wire?.cut();
  await faulty?.close();
});

const makeStore = async (keys: readonly string[]) => {
  bucket = await makeBucket(faulty.stack);
  for (const key of keys) await bucket.put(key, "text", "text/plain");
  faulty.intercept = ({ method, key }) => {
    if (method === "HEAD" && key !== "") asked += 1;
    return undefined;
  };
};

const ada = { visitorId: "u-1", visitorName: "Ada" };
let seconds = 0;

/** Records what happened, each a second after the one before. */
async function record(...events: [type: FileEventType, key: string, from?: string, more?: object][]) {
  for (const [type, key, from, more] of events)
    await app.events.record({
      ...{ companyId: "acme", clientId: "portal", requestId: "r", ...ada, type, bucket: bucket.name, key },
      data: from === undefined ? {} : { from },
      occurredAt: new Date(Date.now() - 3_600_000 + ++seconds * 1_000),
      ...more,
    });
}

function tokenFor(scope: object = {}): string {
  const now = Math.floor(Date.now() / 1_000);
  const origins = [stack.demoClient.origin];
  const claims = { cid: "portal", companyId: "acme", svc: "files", origins, iat: now, exp: now + 900 };
  return signEmbedToken({ ...claims, scope: { bucket: bucket.name, ...scope } }, stack.embedSigningSecret);
}

async function recent(scope: object = {}, body: object = {}) {
  const response = await app.fetch(`${app.platformBaseUrl}/api/embed/storage/recent`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: tokenFor(scope), bucket: bucket.name, ...body }),
  });
  const result = await response.json();
  const keys = result.files?.map(({ key }: { key: string }) => key);
  return {
    status: response.status,
    code: result.code,
    files: result.files,
    keys,
    complete: result.complete,
  };
}

/** Records many events of one type, newest last, all before those of `record`. */
async function recordMany(
  type: FileEventType,
  count: number,
  namesOf: (index: number) => { key: string; from?: string },
) {
  const begin = Date.now() - 86_400_000;
  const author = { companyId: "acme", clientId: "portal", requestId: "r", ...ada };
  // In batches, because only so many events may wait to be written.
  for (let from = 0; from < count; from += 2_000)
    await Promise.all(
      Array.from({ length: Math.min(2_000, count - from) }, (_, index) => {
        const { key, ...data } = namesOf(from + index);
        const occurredAt = new Date(begin + from + index);
        return app.events.record({ ...author, type, bucket: bucket.name, key, data, occurredAt });
      }),
    );
  await app.events.flush();
}

/** Makes a change by the API, as the explorer does. @returns the last response */
async function change(
  operation: "delete" | "move" | "restore",
  body: object,
  cursor?: string,
): Promise<{ undo?: string }> {
  const token = tokenFor({ actions: ["organize", "delete", "history"] });
  const response = await app.fetch(`${app.platformBaseUrl}/api/embed/storage/${operation}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, bucket: bucket.name, ...body, cursor }),
  });
  expect(response.status).toBe(200);
  const result = await response.json();
  return result.cursor ? change(operation, body, result.cursor) : result;
}

describe("POST /api/embed/storage/recent", () => {
  it("lists what was added, the last first, with size and time, and each file once", async () => {
    await makeStore(["a/one.txt", "two.txt", "three.txt"]);
    await record(
      ["file.uploaded", "a/one.txt"],
      ["file.uploaded", "two.txt"],
      ["file.copied", "three.txt", "two.txt"],
      ["file.download_signed", "two.txt"],
      ["file.uploaded", "a/one.txt"],
    );
    const { status, keys, files } = await recent({ actions: ["activity"] });
    expect(status).toBe(200);
    expect(keys).toEqual(["a/one.txt", "three.txt", "two.txt"]);
    expect(files[0]).toEqual({
      ...{ key: "a/one.txt", name: "one.txt", size: 4, etag: expect.any(String) },
      lastModified: expect.any(String),
      addedAt: expect.any(String),
      visitor: { id: "u-1", name: "Ada" },
    });
    expect((await recent()).files[0].visitor).toBeUndefined();
  });

  it("follows files that were moved, and leaves out those that were deleted or replaced", async () => {
    await makeStore(["b/renamed.txt", "back.txt", "target.txt"]);
    await record(
      ["file.uploaded", "new.txt"],
      ["file.moved", "b/new.txt", "new.txt"],
      ["file.moved", "b/renamed.txt", "b/new.txt"],
      ["file.uploaded", "gone.txt"],
      ["file.deleted", "gone.txt"],
      ["file.uploaded", "back.txt"],
      ["file.moved", "away.txt", "back.txt"],
      ["file.moved", "back.txt", "away.txt"],
      // Of this name there were two files: the one that stays was there before the record begins.
      ["file.uploaded", "target.txt"],
      ["file.moved", "target.txt", "old.txt"],
      ["folder.created", "b/"],
    );
    expect((await recent()).keys).toEqual(["back.txt", "b/renamed.txt"]);
  });

  it("keeps to the token's folder: what came from outside was added, without a word of where it was", async () => {
    await makeStore([
      "in/file.txt",
      "in/from-outside.txt",
      "inside/file.txt",
      "out/file.txt",
      "in/moved-out.txt",
    ]);
    await record(
      ["file.uploaded", "out/secret.txt"],
      ["file.uploaded", "in/file.txt"],
      ["file.uploaded", "inside/file.txt"],
      ["file.uploaded", "out/file.txt"],
      ["file.moved", "in/from-outside.txt", "out/secret.txt"],
      ["file.uploaded", "in/../out/file.txt"],
    );
    const found = await recent({ path: "/in", actions: ["activity"] });
    expect(found.keys).toEqual(["in/from-outside.txt", "in/file.txt"]);
    expect(JSON.stringify(found.files)).not.toContain("out/");
  });

  it("shows nothing of another company, another bucket, or to a token for handing files in", async () => {
    await makeStore(["theirs.txt", "elsewhere.txt"]);
    await record(
      ["file.uploaded", "theirs.txt", undefined, { companyId: "other" }],
      ["file.uploaded", "elsewhere.txt", undefined, { bucket: "another" }],
    );
    expect(await recent()).toMatchObject({ status: 200, keys: [] });
    expect(await recent({}, { bucket: "another" })).toMatchObject({ status: 403, code: "scope_not_allowed" });
    expect(await recent({ view: "hand-in", actions: ["upload"] })).toMatchObject({
      ...{ status: 403, code: "scope_not_allowed" },
    });
  });

  it("forgets what was added more than 30 days ago", async () => {
    await makeStore(["old.txt", "new.txt"]);
    const occurredAt = new Date(Date.now() - 31 * 86_400_000);
    await record(["file.uploaded", "old.txt", undefined, { occurredAt }], ["file.uploaded", "new.txt"]);
    expect((await recent()).keys).toEqual(["new.txt"]);
  });

  it("lists only files with the tag that the token requires", async () => {
    await makeStore([]);
    await bucket.keepVersions();
    const { endpoint, region, accessKeyId, secretAccessKey } = faulty.stack.objectStore;
    const credentials = { accessKeyId, secretAccessKey };
    const store = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    for (const Key of ["clean.txt", "infected.txt", "new.txt"]) {
      await bucket.put(Key, "text", "text/plain");
      await record(["file.uploaded", Key]);
      if (Key === "new.txt") continue;
      const Tagging = { TagSet: [{ Key: "scan", Value: Key === "clean.txt" ? "clean" : "infected" }] };
      await store.send(new PutObjectTaggingCommand({ Bucket: bucket.name, Key, Tagging }));
    }
    expect((await recent({ requireTag: { key: "scan", value: "clean" } })).keys).toEqual(["clean.txt"]);
    expect((await recent()).keys).toEqual(["new.txt", "infected.txt", "clean.txt"]);
  });

  it("follows a folder that was moved, and a file that was deleted and brought back by undo", async () => {
    await makeStore(["old/a.txt", "old/b.txt", "undone.txt"]);
    await bucket.keepVersions();
    await record(
      ["file.uploaded", "old/a.txt"],
      ["file.uploaded", "old/b.txt"],
      ["file.uploaded", "undone.txt"],
    );
    await change("move", { items: [{ folderPath: "/old" }], to: "/new", onConflict: "fail" });
    expect((await recent()).keys).toEqual(["undone.txt", "new/old/b.txt", "new/old/a.txt"]);

    const { undo } = await change("delete", { items: [{ key: "undone.txt" }] });
    asked = 0;
    expect((await recent()).keys).toEqual(["new/old/b.txt", "new/old/a.txt"]);
    expect(asked).toBe(2);
    await change("restore", { undo });
    expect((await recent()).keys).toEqual(["undone.txt", "new/old/b.txt", "new/old/a.txt"]);
  });

  it("lists a file that was restored by who added it, and one that was deleted and uploaded again once", async () => {
    await makeStore(["restored.txt", "again.txt", "copy.txt"]);
    const bob = { visitorId: "u-2", visitorName: "Bob" };
    await record(
      ["file.uploaded", "copy.txt"],
      ["file.deleted", "copy.txt"],
      ["file.uploaded", "restored.txt"],
      ["file.deleted", "restored.txt"],
      ["file.restored", "restored.txt", undefined, bob],
      ["file.uploaded", "again.txt"],
      ["file.deleted", "again.txt"],
      ["file.uploaded", "again.txt", undefined, bob],
      // An older version of another file has got this name: nobody has uploaded it.
      ["file.restored", "copy.txt", "restored.txt", bob],
    );
    const { files, keys } = await recent({ actions: ["activity"] });
    expect(keys).toEqual(["again.txt", "restored.txt"]);
    expect(files.map(({ visitor }: { visitor: { name: string } }) => visitor.name)).toEqual(["Bob", "Ada"]);
  });

  it("tells two files apart that had the same name, one after the other", async () => {
    await makeStore(["a.txt", "b.txt"]);
    await record(["file.uploaded", "a.txt"], ["file.moved", "b.txt", "a.txt"], ["file.uploaded", "a.txt"]);
    expect((await recent()).keys).toEqual(["a.txt", "b.txt"]);
  });

  it("lists the last 50 files, in the order of the record also within a millisecond", async () => {
    const names = Array.from({ length: 60 }, (_, index) => `${index}.txt`);
    await makeStore(names);
    const occurredAt = new Date(Date.now() - 60_000);
    for (const name of names) await record(["file.uploaded", name, undefined, { occurredAt }]);
    // On a busy machine, the time of one request may end before it has looked at all of them. Then it says so.
    await expect.poll(recent).toMatchObject({ keys: names.slice(10).reverse(), complete: true });
  });

  it("reads further pages of the record, and asks about no file that was deleted since", async () => {
    await makeStore(["first.txt"]);
    await recordMany("file.uploaded", 601, (index) => ({ key: index === 0 ? "first.txt" : `${index}.txt` }));
    await record(
      ...Array.from(
        { length: 600 },
        (_, index) => ["file.deleted", `${index + 1}.txt`] as [FileEventType, string],
      ),
    );
    expect(await recent()).toMatchObject({ keys: ["first.txt"], complete: true });
    expect(asked).toBe(1);
  });

  it("says that the list is not complete if the record has more events than are read", async () => {
    await makeStore(["first.txt"]);
    await record([
      "file.uploaded",
      "first.txt",
      undefined,
      { occurredAt: new Date(Date.now() - 2 * 86_400_000) },
    ]);
    expect(await recent()).toMatchObject({ keys: ["first.txt"], complete: true });
    await recordMany("file.moved", 10_000, (index) => ({ key: `b/${index}.txt`, from: `a/${index}.txt` }));
    expect(await recent()).toMatchObject({ status: 200, keys: [], complete: false });
  });

  it("asks the store a bounded number of times, however many files others have removed, and says so", async () => {
    await makeStore(["first.txt"]);
    await recordMany("file.uploaded", 1_500, (index) => ({
      key: index === 0 ? "first.txt" : `gone-${index}.txt`,
    }));
    expect(await recent()).toMatchObject({ status: 200, keys: [], complete: false });
    expect(asked).toBeLessThanOrEqual(500);
  });

  it("says that the list is not complete if the store takes too long", async () => {
    const names = Array.from({ length: 30 }, (_, index) => `${index}.txt`);
    await makeStore(names);
    for (const name of names) await record(["file.uploaded", name]);
    faulty.intercept = ({ method, key }) =>
      method === "HEAD" && key !== "" ? { delayMs: 1_100 } : undefined;
    const { keys, complete } = await recent();
    expect(keys.slice(0, 8)).toEqual(names.slice(-8).reverse());
    expect(keys.length).toBeLessThan(30);
    expect(complete).toBe(false);
  });

  it("leaves out files that the store refuses to describe, and fails only if it refuses all of them", async () => {
    await makeStore(["a.txt", "b.txt", "c.txt"]);
    await record(["file.uploaded", "a.txt"], ["file.uploaded", "b.txt"], ["file.uploaded", "c.txt"]);
    const refuse = (names: string[], status: number) => {
      faulty.intercept = ({ method, key }) =>
        method === "HEAD" && names.includes(key) ? { error: { status, code: "AccessDenied" } } : undefined;
    };
    for (const status of [403, 400]) {
      refuse(["b.txt"], status);
      expect(await recent()).toMatchObject({ status: 200, keys: ["c.txt", "a.txt"], complete: false });
    }
    refuse(["a.txt", "b.txt", "c.txt"], 403);
    expect(await recent()).toMatchObject({ status: 502, code: "provider_failed" });
  });

  it("says so if the store or the record cannot be asked", async () => {
    await makeStore(["a.txt"]);
    await record(["file.uploaded", "a.txt"]);
    faulty.intercept = ({ method, key }) =>
      method === "HEAD" && key !== "" ? { error: { status: 503, code: "SlowDown" } } : undefined;
    expect(await recent()).toMatchObject({ status: 503, code: "unavailable" });
    faulty.intercept = null;
    const token = tokenFor();
    expect(await recent({}, { token: `${token}x` })).toMatchObject({ status: 401 });
    await wire.cut();
    expect(await recent()).toMatchObject({ status: 503, code: "unavailable" });
    await wire.restore();
    await expect.poll(async () => (await recent()).keys).toEqual(["a.txt"]);
  });
});
