/** A bucket's notifications record what no browser told, and nothing twice. */
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { addCatalogue } from "../../app/catalogue/catalogues.server";
import { scopeActions } from "../../app/services/files/place/actions";
import { standardError } from "../../app/shared/log.server";
import { issueEmbedUrl, makeEmbedClient } from "../support/app/embed-client";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { query } from "../support/databases/postgres";
import { type SnsAtTheWire, startSns, TOPIC } from "../support/email/sns";
import { makeBucket } from "../support/files/bucket";
import { eventsOf, pendingOf, uploadCalls } from "../support/files/event-calls";

const stack = inject("stack");
let amazon: SnsAtTheWire;
let app: RouteApp;
beforeAll(async () => {
  amazon = await startSns();
  app = createRouteApp(stack, { STORAGE_EVENTS_TOPICS: TOPIC });
});
afterAll(async () => {
  await app?.close();
  await amazon?.close();
});

const events = (bucket: string) => eventsOf(stack.postgresUrl, bucket);

async function open() {
  const bucket = await makeBucket(stack);
  const client = await makeEmbedClient(stack, { bucket: bucket.name, files: { actions: [...scopeActions] } });
  const request = { scope: { actions: scopeActions }, visitor: { id: "u-1", name: "Ada" } };
  const { token } = await issueEmbedUrl(stack, client, request);
  /** Posts a notification as Amazon S3 writes it. `object` overrides what the store has. */
  async function notify(eventName: string, key: string, object: object = {}) {
    const found = await app.objectStore.describeObject({ bucket: bucket.name, key });
    const described = found && { size: found.size, eTag: found.etag.replaceAll('"', "") };
    const record = {
      eventName,
      eventTime: new Date().toISOString(),
      s3: {
        bucket: { name: bucket.name },
        object: {
          key: encodeURIComponent(key).replaceAll("%20", "+"),
          sequencer: "1",
          ...described,
          ...object,
        },
      },
    };
    return post(amazon.message({ Message: JSON.stringify({ Records: [record] }) }));
  }
  return { bucket, client, notify, ...uploadCalls(app, stack, bucket.name, token) };
}

async function post(body: string) {
  const response = await app.fetch(`${app.apiBaseUrl}/api/storage/events`, { method: "POST", body });
  return { status: response.status, ...(await response.json()) };
}

describe("POST /api/storage/events", () => {
  it.each([
    ["the notification", "the browser"],
    ["the browser", "the notification"],
  ])("makes one event of an upload if %s comes first, and %s after it", async (first) => {
    const { bucket, put, confirm, notify } = await open();
    await put("a b+c.txt", "hello");
    const tell = [() => notify("ObjectCreated:Put", "a b+c.txt"), () => confirm("a b+c.txt")];
    for (const by of first === "the notification" ? tell : tell.reverse())
      expect((await by()).status).toBe(200);
    await notify("ObjectCreated:Put", "a b+c.txt");
    expect(await events(bucket.name)).toMatchObject([
      {
        type: "file.uploaded",
        key: "a b+c.txt",
        visitorId: "u-1",
        data: { size: 5 },
        companyId: expect.any(String),
      },
    ]);
    expect(await pendingOf(stack.postgresUrl, bucket.name)).toEqual([]);
  });

  it("knows an upload that has been replaced since, by its pending row", async () => {
    const { bucket, put, notify } = await open();
    await put("a.txt", "first");
    const eTag = "5d41402abc4b2a76b9719d911017c592";
    await put("a.txt", "the second");
    await notify("ObjectCreated:Put", "a.txt", { size: 5, eTag, sequencer: "1" });
    await notify("ObjectCreated:Put", "a.txt", { sequencer: "2" });
    expect((await events(bucket.name)).map(({ visitorId, data }) => [visitorId, data.size])).toEqual([
      ["u-1", 5],
      ["u-1", 10],
    ]);
  });

  it("records a second use of one presigned URL", async () => {
    const { bucket, ask, confirm, notify } = await open();
    const file = { folderPath: "/", fileName: "a.txt", contentType: "text/plain" };
    const { body } = await ask("presign-upload", file);
    for (const text of ["first", "second"]) {
      await fetch(body.url, { method: "PUT", headers: body.headers, body: text });
      await confirm("a.txt");
      await notify("ObjectCreated:Put", "a.txt", { sequencer: text });
    }
    expect((await events(bucket.name)).map(({ data, visitorId }) => [data.size, visitorId])).toEqual([
      [5, "u-1"],
      [6, "u-1"],
    ]);
  });

  it("records what others do to the bucket, once, for the company that reaches it", async () => {
    const { bucket, notify } = await open();
    await bucket.put("theirs.txt", "x");
    for (let times = 0; times < 2; times++) await notify("ObjectCreated:Put", "theirs.txt");
    await notify("ObjectCreated:Copy", "theirs.txt", { sequencer: "2", eTag: "other" });
    await bucket.remove("theirs.txt");
    await notify("ObjectRemoved:Delete", "theirs.txt", { sequencer: "3" });
    await notify("ObjectRemoved:Delete", "theirs.txt", { sequencer: "4", versionId: "an-older-version" });
    const recorded = await events(bucket.name);
    expect(recorded).toMatchObject(
      ["file.uploaded", "file.copied", "file.deleted"].map((type) => ({
        type,
        source: "store",
        visitorId: null,
      })),
    );
    expect(new Set(recorded.map(({ companyId }) => companyId)).size).toBe(1);
    expect(recorded[0]?.companyId).not.toBeNull();
  });

  it("names no company where several reach the bucket", async () => {
    const { bucket, notify } = await open();
    await makeEmbedClient(stack, { bucket: bucket.name });
    await bucket.put("theirs.txt", "x");
    await notify("ObjectCreated:Put", "theirs.txt");
    expect(await events(bucket.name)).toMatchObject([{ companyId: null }]);
  });

  it("records nothing that we asked the store for", async () => {
    const { bucket, ask, notify } = await open();
    await bucket.put("a.txt", "a");
    await ask("copy", { items: [{ key: "a.txt" }], to: "/b", onConflict: "fail" });
    await notify("ObjectCreated:Copy", "b/a.txt");
    await ask("move", { items: [{ key: "b/a.txt" }], to: "/c", onConflict: "fail" });
    await notify("ObjectCreated:Copy", "c/a.txt");
    await notify("ObjectRemoved:Delete", "b/a.txt");
    await ask("delete", { items: [{ key: "c/a.txt" }] });
    await notify("ObjectRemoved:Delete", "c/a.txt");
    await ask("create-folder", { folderPath: "/", name: "new" });
    await notify("ObjectCreated:Put", "new/");
    expect((await events(bucket.name)).filter(({ source }) => source === "store")).toEqual([]);
  });

  it("takes a key that nobody could have written so, and has nothing of it: Amazon would deliver it again for an hour", async () => {
    const { bucket, notify } = await open();
    expect(await notify("ObjectCreated:Put", "a", { key: "%E0%A4%A" })).toEqual({
      status: 200,
      success: true,
      changes: 0,
    });
    expect(await events(bucket.name)).toEqual([]);
  });

  it("brings into the catalogue what others do, in whatever order it is told, and also what makes no event", async () => {
    const withCatalogues = createRouteApp(stack, {
      STORAGE_EVENTS_TOPICS: TOPIC,
      CATALOGUE_MAX_LAG_SECONDS: "60",
    });
    const bucket = await makeBucket(stack);
    const { id } = await addCatalogue(withCatalogues.database, bucket.name);
    const keys = async () => {
      const found = await query<{ key: string }>(
        stack.postgresUrl,
        "SELECT key FROM catalogue_objects WHERE catalogue_id = $1 AND NOT is_deleted ORDER BY key",
        [id],
      );
      return found.map(({ key }) => key);
    };
    const notify = async (...told: [eventName: string, key: string, object?: object][]) => {
      const Records = told.map(([eventName, key, object]) => ({
        eventName,
        eventTime: new Date().toISOString(),
        s3: { bucket: { name: bucket.name }, object: { key: encodeURIComponent(key), ...object } },
      }));
      const body = amazon.message({ Message: JSON.stringify({ Records }) });
      const response = await withCatalogues.fetch(`${app.apiBaseUrl}/api/storage/events`, {
        method: "POST",
        body,
      });
      expect(response.status).toBe(200);
    };
    try {
      await bucket.put("a b.txt", "x");
      await bucket.put("kept.txt", "x");
      const version = { versionId: "an-older-version", sequencer: "1" };
      await notify(
        ["ObjectCreated:Put", "a b.txt"],
        ["ObjectRemoved:Delete", "kept.txt", version],
        ["ObjectCreated:Put", "a b.txt"],
      );
      await expect.poll(keys).toEqual(["a b.txt", "kept.txt"]);
      await bucket.remove("a b.txt");
      await notify(["LifecycleExpiration:Delete", "a b.txt"]);
      await expect.poll(keys).toEqual(["kept.txt"]);
      // Too late, and wrong by now.
      await notify(["ObjectCreated:Put", "a b.txt"], ["ObjectRemoved:Delete", "kept.txt"]);
      await expect
        .poll(() =>
          query(stack.postgresUrl, "SELECT FROM catalogue_waiting_keys WHERE catalogue_id = $1", [id]),
        )
        .toEqual([]);
      expect(await keys()).toEqual(["kept.txt"]);
    } finally {
      await withCatalogues.close();
    }
  });

  it("logs that a subscription was ended", async () => {
    const warned = vi.spyOn(standardError, "write").mockReturnValue();
    const ended = {
      Type: "UnsubscribeConfirmation",
      SubscribeURL: "https://sns.eu-west-1.amazonaws.com/",
      Token: "t",
    };
    expect(await post(amazon.message(ended))).toEqual({ status: 200, success: true, changes: 0 });
    expect(warned.mock.calls.join()).toContain("notifications of buckets no longer arrive");
    warned.mockRestore();
  });

  it("takes Amazon's test message, and refuses what Amazon did not sign", async () => {
    const test = JSON.stringify({ Service: "Amazon S3", Event: "s3:TestEvent" });
    expect(await post(amazon.message({ Message: test }))).toEqual({ status: 200, success: true, changes: 0 });
    expect(await post(amazon.message({}, { Message: "other" }))).toMatchObject({ status: 401 });
    const elsewhere = createRouteApp(stack);
    const response = await elsewhere.fetch(`${app.apiBaseUrl}/api/storage/events`, {
      method: "POST",
      body: "{}",
    });
    expect(response.status).toBe(404);
    await elsewhere.close();
  });
});
