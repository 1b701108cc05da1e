/** The files that were added last: what the record says, as far as the store still has it and the token may see it. */
import { PutObjectTaggingCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import type { FileEventType } from "../../app/events/event";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";

const stack = inject("stack");
let faulty: FaultyStore;
let app: RouteApp;
let bucket: TestBucket;
/** object requests that the store has received */
let asked = 0;

beforeAll(async () => {
  faulty = await startFaultyStore(stack);
  app = createRouteApp(faulty.stack, { POSTGRES_URL: await makeDatabase(stack) });
});
afterEach(() => {
  faulty.intercept = null;
  asked = 0;
});
afterAll(async () => {
  await app?.close();
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
  return { status: response.status, code: result.code, files: result.files, keys };
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

  it("asks the store a bounded number of times, however many files were added and deleted", async () => {
    await makeStore(["first.txt"]);
    await record(["file.uploaded", "first.txt"]);
    const now = Date.now();
    await Promise.all(
      Array.from({ length: 1_500 }, (_, index) =>
        app.events.record({
          ...{
            companyId: "acme",
            clientId: "portal",
            requestId: "r",
            ...ada,
            type: "file.uploaded" as const,
          },
          ...{ bucket: bucket.name, key: `gone-${index}.txt`, data: {}, occurredAt: new Date(now + index) },
        }),
      ),
    );
    const { status } = await recent();
    expect(status).toBe(200);
    expect(asked).toBeLessThanOrEqual(500);
  });

  it("says so if the store or the record cannot be asked", async () => {
    await makeStore(["a.txt"]);
    await record(["file.uploaded", "a.txt"]);
    faulty.intercept = ({ method, key }) =>
      method === "HEAD" && key !== "" ? { error: { status: 503, code: "SlowDown" } } : undefined;
    expect((await recent()).status).toBeGreaterThanOrEqual(502);
    const token = tokenFor();
    expect(await recent({}, { token: `${token}x` })).toMatchObject({ status: 401 });
  });
});
