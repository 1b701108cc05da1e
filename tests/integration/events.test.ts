/** What is recorded of changes, uploads and downloads, also when a process is killed or the database is down. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { cleanup } from "../../app/commands/cleanup";
import { authorOf } from "../../app/events/event";
import { Events, newEventId } from "../../app/events/events.server";
import { scopeActions } from "../../app/services/files/place/actions";
import { standardError } from "../../app/shared/log.server";
import { deploymentEnv, makeDatabase } from "../support/app/deployment";
import { makeEmbedClient, type TestEmbedClient } from "../support/app/embed-client";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { runHere } from "../support/app/run-command";
import { query } from "../support/databases/postgres";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { type ChangeCalls, openChanges } from "../support/files/change-calls";
import { age, eventsOf, pendingOf, uploadCalls } from "../support/files/event-calls";
import { testGrant } from "../support/files/grant";
import { multipartCalls } from "../support/files/multipart-calls";
import { Wire } from "../support/network/wire";

const shared = inject("stack");
const ada = { id: "u-1", name: "Ada" };

let stack: typeof shared;
let wire: Wire;
let app: RouteApp;
beforeAll(async () => {
  // A database of its own, as cleanup settles all that it finds.
  stack = { ...shared, postgresUrl: await makeDatabase(shared) };
  wire = await Wire.to(stack.postgresUrl);
  app = createRouteApp(stack, { POSTGRES_URL: wire.over(stack.postgresUrl) });
});
afterAll(async () => {
  await app?.close();
  await wire?.cut();
});

const events = (bucket: string) => eventsOf(stack.postgresUrl, bucket);
const pending = (bucket: string) => pendingOf(stack.postgresUrl, bucket);
const brief = async (bucket: string) =>
  (await events(bucket)).map(({ type, key, data }) => [type, key, ...(data.from ? [data.from] : [])]);
const settle = async () => {
  const run = await runHere("cleanup", cleanup, [], deploymentEnv(stack, stack.postgresUrl));
  expect(run).toMatchObject({ code: 0 });
  return run.stdout.slice(run.stdout.indexOf("Changes that were cut off: ")).trim();
};

/** Ada's token for a bucket of its own, and what she can do with it. */
async function openUploads() {
  const bucket = await makeBucket(stack);
  const client = await makeEmbedClient(stack, { bucket: bucket.name, files: { actions: [...scopeActions] } });
  const token = await tokenOf(client);
  return { bucket, client, token, ...uploadCalls(app, stack, bucket.name, token) };
}

async function tokenOf(client: TestEmbedClient, visitor = ada) {
  const response = await app.fetch(`${app.apiBaseUrl}/api/embed/url`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Api-Key": client.apiKey },
    body: JSON.stringify({
      service: "files",
      scope: { bucket: client.bucket, actions: [...scopeActions] },
      visitor,
    }),
  });
  const { url } = (await response.json()) as { url: string };
  return new URL(url).searchParams.get("t") ?? "";
}

describe("a change", () => {
  let calls: ChangeCalls;
  let bucket: TestBucket;
  beforeAll(async () => {
    const uploads = await openUploads();
    bucket = uploads.bucket;
    calls = await openChanges(
      shared,
      (url, init) => {
        const body = { ...JSON.parse(String(init.body)), token: uploads.token };
        return app.fetch(url, { ...init, body: JSON.stringify(body) });
      },
      bucket.name,
    );
  });

  it("is recorded for each object, with its author", async () => {
    await bucket.put("a/one.txt", "1");
    await bucket.put("a/two.txt", "22");
    await calls.change("copy", { items: [{ folderPath: "/a" }], to: "/b", onConflict: "fail" });
    // They were copied at once, and either may be the first.
    const [one, two] = (await events(bucket.name)).sort((a, b) => (a.key < b.key ? -1 : 1));
    expect([one, two]).toMatchObject([
      { type: "file.copied", key: "b/a/one.txt", data: { from: "a/one.txt", size: 1 } },
      { type: "file.copied", key: "b/a/two.txt", data: { from: "a/two.txt", size: 2 } },
    ]);
    expect(one).toMatchObject({
      visitorId: "u-1",
      visitorName: "Ada",
      source: "service",
      clientId: expect.any(String),
    });
    expect(await pending(bucket.name)).toEqual([]);
  });

  it("is recorded once, whatever is repeated, and not at all if nothing changes", async () => {
    const before = (await events(bucket.name)).length;
    const move = { items: [{ key: "b/a/one.txt" }], to: "/b", onConflict: "fail" };
    for (let times = 0; times < 3; times++) await calls.change("move", move);
    await calls.change("delete", { items: [{ key: "no-such-file" }] });
    await bucket.put("taken/two.txt", "other");
    await calls.change("copy", { items: [{ key: "b/a/two.txt" }], to: "/taken", onConflict: "fail" });
    expect((await brief(bucket.name)).slice(before)).toEqual([["file.moved", "b/one.txt", "b/a/one.txt"]]);
    expect(await pending(bucket.name)).toEqual([]);
  });

  it("includes what is deleted, brought back and created, and folders that are kept", async () => {
    await bucket.keepVersions();
    const before = (await events(bucket.name)).length;
    const { undo } = await calls.change("delete", { items: [{ key: "taken/two.txt" }] });
    await calls.ask("restore", { undo: undo[0] });
    await calls.ask("restore", { undo: undo[0] });
    const { body } = await calls.ask("create-folder", { folderPath: "/", name: "new" });
    await calls.ask("restore", { undo: body.undo });
    expect((await brief(bucket.name)).slice(before)).toEqual([
      ["folder.created", "taken/"],
      ["file.deleted", "taken/two.txt"],
      ["file.restored", "taken/two.txt"],
      ["folder.created", "new/"],
      ["file.deleted", "new/"],
    ]);
    expect(await pending(bucket.name)).toEqual([]);
  });

  it("of many objects is written in batches", { timeout: 60_000 }, async () => {
    const many = Array.from({ length: 200 }, (_, index) => `many/${index}.txt`);
    for (let from = 0; from < many.length; from += 50)
      await Promise.all(many.slice(from, from + 50).map((key) => bucket.put(key, key)));
    const statements = await countWrites(() =>
      calls.change("move", { items: [{ folderPath: "/many" }], to: "/moved", onConflict: "fail" }),
    );
    expect(
      (await brief(bucket.name)).filter(
        ([type, key]) => type === "file.moved" && String(key).startsWith("moved/"),
      ),
    ).toHaveLength(200);
    // Two rows for each object.
    expect(statements).toBeLessThan(200);
  });

  /** The number of writes to the tables of events while `work` runs. */
  async function countWrites(work: () => Promise<unknown>): Promise<number> {
    const { $driverQuery } = app.database;
    let count = 0;
    app.database.$driverQuery = (statement, row) => {
      if (/INTO (pending_)?events/.test(statement.text)) count += 1;
      return $driverQuery(statement, row);
    };
    await work();
    app.database.$driverQuery = $driverQuery;
    return count;
  }
});

describe("an upload", () => {
  it("is recorded once it is confirmed, as the store has it", async () => {
    const { bucket, put, confirm, ask } = await openUploads();
    await put("a.txt", "hello");
    await ask("presign-upload", { folderPath: "/", fileName: "never.txt", contentType: "text/plain" });
    expect(await events(bucket.name)).toEqual([]);
    // Each key is asked for once.
    const confirmed = await confirm("a.txt", "never.txt", "a.txt");
    expect(confirmed.body.uploaded).toMatchObject([{ key: "a.txt", size: 5 }]);
    await Promise.all([confirm("a.txt"), confirm("a.txt"), confirm("never.txt")]);
    expect(await events(bucket.name)).toMatchObject([
      { type: "file.uploaded", key: "a.txt", visitorId: "u-1", data: { size: 5, contentType: "text/plain" } },
    ]);
    expect(await pending(bucket.name)).toMatchObject([{ key: "never.txt" }]);
  });

  it("in parts is recorded when it is complete, once", async () => {
    const { bucket, token } = await openUploads();
    const { create, send, ask } = multipartCalls(stack.platformBaseUrl, { bucket, token }, app.fetch);
    const { body } = await create();
    await send(body, Buffer.alloc(17 * 1024 ** 2), [1]);
    expect((await ask("complete", { upload: body.upload })).status).not.toBe(200);
    expect([await events(bucket.name), await pending(bucket.name)]).toEqual([[], []]);
    await send(body, Buffer.alloc(17 * 1024 ** 2), [2, 3]);
    for (let times = 0; times < 2; times++)
      expect((await ask("complete", { upload: body.upload })).status).toBe(200);
    expect(await events(bucket.name)).toMatchObject([
      { type: "file.uploaded", key: "large.bin", visitorId: "u-1", data: { size: 17 * 1024 ** 2 } },
    ]);
    expect(await pending(bucket.name)).toEqual([]);
  });

  it("keeps the visitor to whom it was signed, whoever confirms it", async () => {
    const { bucket, client, put } = await openUploads();
    await put("a.txt", "hello");
    const grace = await tokenOf(client, { id: "u-2", name: "Grace" });
    await uploadCalls(app, stack, bucket.name, grace).confirm("a.txt");
    expect(await events(bucket.name)).toMatchObject([{ visitorId: "u-1", visitorName: "Ada" }]);
  });

  it("is recorded under its own key, also if it was copied before it was confirmed", async () => {
    const { bucket, ask, put, confirm } = await openUploads();
    await put("a.txt", "hello");
    await ask("copy", { items: [{ key: "a.txt" }], to: "/copies", onConflict: "fail" });
    await confirm("copies/a.txt");
    await confirm("a.txt");
    expect((await brief(bucket.name)).sort()).toEqual([
      ["file.copied", "copies/a.txt", "a.txt"],
      ["file.uploaded", "a.txt"],
    ]);
  });

  it("of somebody else's bucket or folder is not confirmed", async () => {
    const mine = await openUploads();
    const other = await openUploads();
    await mine.put("a.txt", "hello");
    const { status, body } = await other.ask("uploaded", { bucket: mine.bucket.name, keys: ["a.txt"] });
    expect([status, body.code]).toEqual([403, "scope_not_allowed"]);
    expect(await events(mine.bucket.name)).toEqual([]);
  });
});

it("a signed download is recorded with what it is for", async () => {
  const { bucket, ask } = await openUploads();
  await bucket.put("a.txt", "a");
  await ask("presign-download", { key: "a.txt" });
  await ask("presign-downloads", { keys: ["a.txt", "b.txt"], disposition: "inline" });
  const recorded = await events(bucket.name);
  expect(recorded.map(({ type, key, data }) => [type, key, data.disposition]).sort()).toEqual([
    ["file.download_signed", "a.txt", "attachment"],
    ["file.download_signed", "a.txt", "inline"],
    ["file.download_signed", "b.txt", "inline"],
  ]);
});

describe("while the database is down", () => {
  it("nothing is changed, and downloads and uploads go on and are recorded when it is back", async () => {
    const { bucket, ask, put, confirm } = await openUploads();
    await bucket.put("a.txt", "a");
    await wire.cut();
    const changes = [
      ["move", { items: [{ key: "a.txt" }], to: "/b", onConflict: "fail" }],
      ["delete", { items: [{ key: "a.txt" }] }],
      ["create-folder", { folderPath: "/", name: "new" }],
    ] as const;
    for (const [what, body] of changes)
      expect((await ask(what, body)).body, what).toMatchObject({ code: "unavailable" });
    expect(await bucket.list()).toEqual(["a.txt"]);
    expect((await ask("presign-download", { key: "a.txt" })).status).toBe(200);
    await put("b.txt", "bb");
    expect((await confirm("b.txt")).status).toBe(200);
    expect(await events(bucket.name)).toEqual([]);

    await wire.restore();
    await expect.poll(() => brief(bucket.name), { timeout: 15_000 }).toHaveLength(2);
    expect((await brief(bucket.name)).sort()).toEqual([
      ["file.download_signed", "a.txt"],
      ["file.uploaded", "b.txt"],
    ]);
  });

  it("an upload in parts is not completed, keeps its parts, and is recorded once when it is completed later", async () => {
    const { bucket, token } = await openUploads();
    const { ask, create, send } = multipartCalls(stack.platformBaseUrl, { bucket, token }, app.fetch);
    const { body: created } = await create();
    await wire.cut();
    expect(await send(created, Buffer.alloc(17 * 1024 ** 2), [1, 2, 3])).toEqual([200, 200, 200]);
    const refused = await ask("complete", { upload: created.upload });
    expect([refused.status, refused.body.code]).toEqual([503, "unavailable"]);
    expect(await bucket.list()).toEqual([]);
    expect((await ask("list", { upload: created.upload })).body.parts).toHaveLength(3);

    await wire.restore();
    await expect
      .poll(async () => (await ask("complete", { upload: created.upload })).status, { timeout: 15_000 })
      .toBe(200);
    expect(await brief(bucket.name)).toEqual([["file.uploaded", "large.bin"]]);
    expect(await pending(bucket.name)).toEqual([]);
  });
});

describe("npm run cleanup", () => {
  // It counts what other tests have left.
  beforeEach(() => query(stack.postgresUrl, "DELETE FROM pending_events"));

  const grant = testGrant({}, { visitor: ada });
  const author = authorOf(grant, { requestId: "r" });

  it("asks the store what became of changes that were cut off", async () => {
    const bucket = await makeBucket(stack);
    await bucket.put("copied.txt", "12345");
    await bucket.put("moved.txt", "12345");
    await bucket.put("half.txt", "12345");
    await bucket.put("kept.txt", "12345");
    await bucket.put("source-of-half.txt", "12345");
    await bucket.put("folder/", "");
    const recordPending = (
      type: Parameters<typeof app.events.recordPending>[0]["type"],
      key: string,
      data = {},
    ) =>
      app.events.recordPending(
        { ...author, type, bucket: bucket.name, key, data: { size: 5, ...data } },
        key,
      );
    await recordPending("file.copied", "copied.txt", { from: "x" });
    await recordPending("file.copied", "not-copied.txt", { from: "x" });
    await recordPending("file.moved", "moved.txt", { from: "gone.txt" });
    await recordPending("file.moved", "half.txt", { from: "source-of-half.txt" });
    await recordPending("file.deleted", "deleted.txt");
    await recordPending("file.deleted", "kept.txt");
    await recordPending("folder.created", "folder/");
    await recordPending("folder.created", "no-folder/");
    // A request may still be at work.
    await age(stack.postgresUrl, bucket.name, "14 min");
    expect(await settle()).toBe(
      "Changes that were cut off: 0 had been made, 0 had not.\n" +
        "Left for a later run: 8 that began less than 15 minutes ago, and may be running.",
    );
    await query(
      stack.postgresUrl,
      "UPDATE pending_events SET pending_since = pending_since - interval '2 min'",
    );
    // The objects are older than that: the test made them before the changes began.
    expect(await settle()).toBe("Changes that were cut off: 5 had been made, 3 had not.");
    expect((await brief(bucket.name)).sort()).toEqual([
      ["file.copied", "copied.txt", "x"],
      ["file.copied", "half.txt", "source-of-half.txt"],
      ["file.deleted", "deleted.txt"],
      ["file.moved", "moved.txt", "gone.txt"],
      ["folder.created", "folder/"],
    ]);
    expect(await events(bucket.name)).toMatchObject(
      Array(5).fill({ visitorId: "u-1", companyId: "company" }),
    );
    expect(await pending(bucket.name)).toEqual([]);
  });

  it("records uploads that nobody confirmed, and forgets those that never came after a day", async () => {
    const { bucket, put, ask } = await openUploads();
    await put("a.txt", "hello");
    await ask("presign-upload", { folderPath: "/", fileName: "never.txt", contentType: "text/plain" });
    await age(stack.postgresUrl, bucket.name, "16 min");
    expect(await settle()).toBe(
      "Changes that were cut off: 1 had been made, 0 had not.\n" +
        "Left for a later run: 1 whose outcome the store does not show yet. They are forgotten 24 hours after they began.",
    );
    expect(await brief(bucket.name)).toEqual([["file.uploaded", "a.txt"]]);
    await age(stack.postgresUrl, bucket.name, "24 hours");
    expect(await settle()).toBe(
      "Changes that were cut off: 0 had been made, 1 had not.\n1 had been recorded already.",
    );
    expect(await pending(bucket.name)).toEqual([]);
    expect(await brief(bucket.name)).toHaveLength(1);
  });
});

it("events wait while the database takes no writes, and only what it can never store is left out", async () => {
  const readOnly = Object.assign(new Error("cannot execute INSERT in a read-only transaction"), {
    code: "25006",
  });
  const answers = [Promise.reject(readOnly), Promise.resolve([])];
  const statements: unknown[] = [];
  const slow = new Events({
    $driverQuery: async (...statement: unknown[]) => {
      statements.push(statement);
      return (await answers.shift()) as never;
    },
  });
  await slow.record({ companyId: "c", type: "file.deleted", bucket: "b", key: "k", data: {} });
  await expect.poll(() => statements.length).toBe(2);
  expect(statements[1]).toEqual(statements[0]);
});

it("events that the database has not taken when the process ends are logged as lost", async () => {
  const logged = vi.spyOn(standardError, "write").mockReturnValue();
  wire.hold();
  const event = { companyId: "c", type: "file.deleted" as const, bucket: "held", key: "k", data: {} };
  const recorded = app.events.record(event);
  await app.events.flush(20);
  expect(logged.mock.calls.join()).toContain("1 events were not written: they are lost.");
  logged.mockRestore();
  await wire.restore();
  await recorded;
});

it("keys that PostgreSQL cannot store do not keep others from being recorded", async () => {
  const bucket = "any";
  const event = (key: string) => ({ companyId: "c", type: "file.deleted" as const, bucket, key, data: {} });
  await Promise.all(
    ["a\0b", "c\ud800d", "e"].map((key) => app.events.record({ ...event(key), id: newEventId() })),
  );
  expect((await events(bucket)).map(({ key }) => key).sort()).toEqual(["a\u2400b", "c\ufffdd", "e"]);
});

it("a row that is not as expected does not keep others from being recorded", async () => {
  const logged = vi.spyOn(standardError, "write").mockReturnValue();
  const upload = { companyId: "c", type: "file.uploaded" as const, bucket: "odd", key: "odd" };
  const id = newEventId();
  const seenAt = new Date();
  await app.events.recordUpload({ ...upload, id, seenAt, data: { etag: "first" } });
  await Promise.all([
    app.events.recordUpload({ ...upload, id, seenAt, data: { etag: 5 as unknown as string } }),
    app.events.record({ ...upload, key: "other", data: {} }),
  ]);
  expect((await events("odd")).map(({ key }) => key).sort()).toEqual(["odd", "other"]);
  await app.events.record({ ...upload, key: "later", data: {} });
  expect((await events("odd")).map(({ key }) => key).sort()).toEqual(["later", "odd", "other"]);
  expect(logged.mock.calls.join()).toContain("could not be stored");
  logged.mockRestore();
});
