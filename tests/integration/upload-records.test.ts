/** Each content that an upload has stored is one event, on buckets with and without versions, also twice at once and after a kill. */
import { hash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import type { ObjectDescription } from "../../app/providers/object-changes.server";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { query } from "../support/databases/postgres";
import { type SnsAtTheWire, startSns, TOPIC } from "../support/email/sns";
import { aSecondLater } from "../support/files/cut-off-changes";
import {
  age,
  eventsOf,
  openRecorded,
  pendingOf,
  type SignedUpload,
  send,
  sendInParts,
  settlePending,
  uploadCalls,
} from "../support/files/event-calls";

const shared = inject("stack");
const ROUNDS = Array.from({ length: 12 }, (_, round) => round);

let stack: typeof shared;
let amazon: SnsAtTheWire;
/** Two processes' worth of the app: they share the database and the store only. */
let app: RouteApp;
let other: RouteApp;
beforeAll(async () => {
  // A database of its own, as cleanup settles all that it finds.
  stack = { ...shared, postgresUrl: await makeDatabase(shared) };
  amazon = await startSns();
  app = createRouteApp(stack, { STORAGE_EVENTS_TOPICS: TOPIC });
  other = createRouteApp(stack, { STORAGE_EVENTS_TOPICS: TOPIC });
});
afterAll(async () => {
  await app?.close();
  await other?.close();
  await amazon?.close();
});

// Cleanup counts what other tests have left.
beforeEach(() => query(stack.postgresUrl, "DELETE FROM pending_events"));

const cleanUp = () => settlePending(app);

async function open(keepsVersions: boolean) {
  const { bucket, tokenOf } = await openRecorded(app, stack, keepsVersions);
  const callsOf = async (visitor: { id: string }, by = app) =>
    uploadCalls(by, stack, bucket.name, await tokenOf(visitor.id));
  const ada = await callsOf({ id: "ada" });
  /** Posts a notification of an upload, as Amazon S3 writes it. */
  async function notify(key: string, sequencer: string) {
    await notifyOf(key, await app.objectStore.describeObject({ bucket: bucket.name, key }), sequencer);
  }
  async function notifyOf(key: string, found: ObjectDescription | null, sequencer: string) {
    const { size, etag = "", versionId } = found ?? {};
    const object = { key, size, eTag: etag.replaceAll('"', ""), versionId, sequencer };
    const s3 = { bucket: { name: bucket.name }, object };
    const record = { eventName: "ObjectCreated:Put", eventTime: new Date().toISOString(), s3 };
    const body = amazon.message({ Message: JSON.stringify({ Records: [record] }) });
    const response = await app.fetch(`${app.apiBaseUrl}/api/storage/events`, { method: "POST", body });
    expect(response.status).toBe(200);
  }
  const recorded = async () =>
    (await eventsOf(stack.postgresUrl, bucket.name)).map(({ type, key, visitorId, data }) => [
      type,
      key,
      visitorId,
      data.size,
    ]);
  return {
    bucket,
    callsOf,
    ada,
    notify,
    notifyOf,
    recorded,
    pending: () => pendingOf(stack.postgresUrl, bucket.name),
    age: (interval: string) => age(stack.postgresUrl, bucket.name, interval),
  };
}

const uploaded = (size: number, key = "a.txt", visitor: string | null = "ada") => [
  "file.uploaded",
  key,
  visitor,
  size,
];

describe.each([
  ["without versions", false],
  ["with versions", true],
])("in a bucket %s", (_, keepsVersions) => {
  const openOne = () => open(keepsVersions);

  it("each content that one URL has stored is an event, whoever tells it", async () => {
    for (const how of ["confirm", "notification", "cleanup"] as const) {
      const { ada, notify, recorded, age } = await openOne();
      const signed = await ada.sign("a.txt");
      await send(signed, "first");
      await ada.confirm("a.txt");
      await send(signed, "second");
      const tell = {
        confirm: () => ada.confirm("a.txt"),
        notification: () => notify("a.txt", "2"),
        cleanup: async () => {
          await age("16 min");
          await cleanUp();
        },
      };
      await tell[how]();
      // The store's times have whole seconds, so what only cleanup has found may be in another order.
      expect([how, (await recorded()).sort()]).toEqual([how, [uploaded(5), uploaded(6)]]);
      // Whoever tells it again.
      for (const again of [tell.confirm, tell.notification, tell.cleanup]) await again();
      expect([how, (await recorded()).sort()]).toEqual([how, [uploaded(5), uploaded(6)]]);
    }
  });

  it("a second content that is told twice at once is one event", { timeout: 60_000 }, async () => {
    const { ada, callsOf, notify, recorded } = await openOne();
    const elsewhere = await callsOf({ id: "ada" }, other);
    for (const round of ROUNDS) {
      const key = `${round}.txt`;
      const signed = await ada.sign(key);
      await send(signed, "first");
      await ada.confirm(key);
      await send(signed, "second");
      await Promise.all([ada.confirm(key), elsewhere.confirm(key), notify(key, "2")]);
    }
    const expected = ROUNDS.flatMap((round) => [uploaded(5, `${round}.txt`), uploaded(6, `${round}.txt`)]);
    expect((await recorded()).sort()).toEqual(expected.sort());
  });

  it("cleanup looks at a recorded upload twice, and forgets it after a day", async () => {
    const { ada, pending, age, recorded } = await openOne();
    await ada.put("a.txt", "hello");
    await ada.confirm("a.txt");
    expect(await pending()).toEqual([]);
    const looks = [];
    for (const interval of ["16 min", "1 hour", "24 hours", "24 hours"]) {
      await age(interval);
      looks.push(await cleanUp());
    }
    expect(looks).toMatchObject([
      { repeatable: 1, recorded: 0 },
      { repeatable: 0, recorded: 0 },
      { repeatable: 0, recorded: 1 },
      { repeatable: 0, recorded: 0 },
    ]);
    expect(await recorded()).toEqual([uploaded(5)]);
  });

  it("what one URL stores again after it was deleted is found by cleanup, though nobody tells it", async () => {
    const { ada, recorded, age } = await openOne();
    const signed = await ada.sign("a.txt", {
      size: 5,
      contentMd5: hash("md5", "first", "base64"),
    });
    await send(signed, "first");
    await ada.confirm("a.txt");
    await ada.ask("delete", { items: [{ key: "a.txt" }] });
    await aSecondLater();
    await send(signed, "first");
    await age("16 min");
    await cleanUp();
    const types = (await recorded()).map(([type]) => type);
    expect(types).toEqual(["file.uploaded", "file.deleted", "file.uploaded"]);
  });

  it("what was moved or copied before anybody told it is found by cleanup", async () => {
    for (const change of ["move", "copy"] as const) {
      const { ada, callsOf, recorded, age } = await openOne();
      const grace = await callsOf({ id: "grace" });
      const signed = await ada.sign("a.txt");
      await send(signed, "first");
      await ada.confirm("a.txt");
      await send(signed, "second");
      await grace.ask(change, { items: [{ key: "a.txt" }], to: "/b", onConflict: "fail" });
      await grace.ask("move", { items: [{ key: "b/a.txt" }], to: "/c", onConflict: "fail" });
      await send(signed, "first");
      await age("16 min");
      await cleanUp();
      await cleanUp();
      const uploads = (await recorded()).filter(([type]) => type === "file.uploaded");
      expect([change, uploads.sort()]).toEqual([change, [uploaded(5), uploaded(5), uploaded(6)]]);
    }
  });

  it("what is stored again after it was deleted or replaced is an event again", async () => {
    const { ada, recorded } = await openOne();
    const signed = await ada.sign("a.txt");
    const store = async (text: string) => {
      await send(signed, text);
      await ada.confirm("a.txt");
    };
    await store("first");
    await ada.ask("delete", { items: [{ key: "a.txt" }] });
    await store("first");
    await store("second");
    await store("first");
    const types = (await recorded()).map(([type, , , size]) => [type, size]);
    expect(types).toEqual([
      ["file.uploaded", 5],
      ["file.deleted", 5],
      ["file.uploaded", 5],
      ["file.uploaded", 6],
      ["file.uploaded", 5],
    ]);
  });

  it("what changes have put at the key of an upload is not its upload", async () => {
    const { ada, recorded, notify } = await openOne();
    await ada.put("a.txt", "first");
    await ada.confirm("a.txt");
    await ada.ask("move", { items: [{ key: "a.txt" }], to: "/b", onConflict: "fail" });
    await ada.confirm("b/a.txt");
    await ada.ask("move", { items: [{ key: "b/a.txt" }], to: "/", onConflict: "fail" });
    await ada.confirm("a.txt", "b/a.txt");
    await notify("a.txt", "3");
    const types = (await recorded()).map(([type]) => type);
    expect(types.filter((type) => type !== "folder.created")).toEqual([
      "file.uploaded",
      "file.moved",
      "file.moved",
    ]);
  });

  it("an upload in parts that was moved is one upload", async () => {
    const { ada, recorded, age } = await openOne();
    const { upload } = await sendInParts(ada, "a.txt", "hello");
    await ada.ask("multipart/complete", { bucket: undefined, upload });
    await ada.ask("move", { items: [{ key: "a.txt" }], to: "/b", onConflict: "fail" });
    await age("16 min");
    await cleanUp();
    expect((await recorded()).filter(([type]) => type === "file.uploaded")).toEqual([uploaded(5)]);
  });

  it("of two people who upload one name at once, each is told of the own upload only", {
    timeout: 60_000,
  }, async () => {
    const { ada, callsOf, recorded, pending, bucket } = await openOne();
    const grace = await callsOf({ id: "grace" }, other);
    const told: unknown[] = [];
    for (const round of ROUNDS) {
      const key = `${round}.txt`;
      await Promise.all([ada.put(key, "of Ada"), grace.put(key, "of Grace")]);
      const answers = await Promise.all([ada.confirm(key), grace.confirm(key)]);
      const sizes = answers.map(({ body }) => body.uploaded.map(({ size }: { size: number }) => size));
      const isAdas = String(await bucket.get(key)) === "of Ada";
      const isKept = (isNewest: boolean) => keepsVersions || isNewest;
      expect(sizes).toEqual([isKept(isAdas) ? [6] : [], isKept(!isAdas) ? [8] : []]);
      if (isKept(isAdas)) told.push(uploaded(6, key));
      if (isKept(!isAdas)) told.push(uploaded(8, key, "grace"));
    }
    expect((await recorded()).sort()).toEqual(told.sort());
    expect(await pending()).toHaveLength(keepsVersions ? 0 : ROUNDS.length);
  });

  it("an upload that was never confirmed and is overwritten is found by cleanup, if its version is kept", async () => {
    const { ada, callsOf, recorded, age } = await openOne();
    const signed = await ada.sign("a.txt");
    await send(signed, "first");
    await send(signed, "second");
    await (await callsOf({ id: "grace" })).put("a.txt", "of Grace");
    await age("16 min");
    await cleanUp();
    await cleanUp();
    const kept = keepsVersions ? [uploaded(5), uploaded(6)] : [];
    expect((await recorded()).sort()).toEqual([...kept, uploaded(8, "a.txt", "grace")].sort());
  });

  it("is one event and one answer if an upload in parts is completed twice at once", {
    timeout: 60_000,
  }, async () => {
    const { ada, callsOf, recorded, pending } = await openOne();
    const elsewhere = await callsOf({ id: "ada" }, other);
    const statuses: number[] = [];
    for (const round of ROUNDS) {
      const { upload } = await sendInParts(ada, `${round}.bin`, "hello");
      const complete = [ada, elsewhere, ada, elsewhere].map((by) =>
        by.ask("multipart/complete", { bucket: undefined, upload }),
      );
      statuses.push(...(await Promise.all(complete)).map(({ status }) => status));
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await recorded()).sort()).toEqual(ROUNDS.map((round) => uploaded(5, `${round}.bin`)).sort());
    expect(await pending()).toEqual([]);
  });

  it("completing an upload that is complete answers the same, and another file is not taken for it", async () => {
    const { ada, recorded, callsOf } = await openOne();
    const { upload } = await sendInParts(ada, "a.txt", "hello");
    const first = await ada.ask("multipart/complete", { bucket: undefined, upload });
    expect(await ada.ask("multipart/complete", { bucket: undefined, upload })).toEqual(first);
    const wrong = await ada.ask("multipart/complete", {
      bucket: undefined,
      upload,
      checksum: "AAAAAAAAAAA=",
    });
    expect([wrong.status, wrong.body.code]).toEqual([409, "checksum_mismatch"]);
    await (await callsOf({ id: "grace" })).put("a.txt", "of Grace");
    const replaced = await ada.ask("multipart/complete", { bucket: undefined, upload });
    expect(replaced.status).toBe(keepsVersions ? 200 : 404);
    if (keepsVersions) expect(replaced).toEqual(first);
    expect(await recorded()).toEqual([uploaded(5)]);
  });

  it("an upload in parts is recorded with its checksum, as one in one request is", async () => {
    const { ada, bucket } = await openOne();
    const checksum = { algorithm: "CRC64NVME", value: "M3eFcAZSQlc=" };
    await send(await ada.sign("whole.txt", { size: 5, checksum }), "hello");
    await ada.confirm("whole.txt");
    const { upload } = await sendInParts(ada, "parts.txt", "hello");
    await ada.ask("multipart/complete", { bucket: undefined, upload });
    const events = await eventsOf(stack.postgresUrl, bucket.name);
    const recorded = `CRC64NVME:${checksum.value}`;
    expect(events.map(({ key, data }) => [key, data.checksum])).toEqual([
      ["whole.txt", recorded],
      ["parts.txt", recorded],
    ]);
  });

  it("a receipt is spent once", async () => {
    const { bucket, recorded } = await openOne();
    const { ask, sign } = uploadCalls(app, stack, bucket.name, handInToken(bucket.name));
    const md5Of = (text: string) => ({ size: text.length, contentMd5: hash("md5", text, "base64") });
    const signed = await sign("cv.txt", { folderPath: "/inbox", ...md5Of("first") });
    // Sent again, it is the same file.
    const again = { folderPath: "/inbox", receipt: signed.receipt };
    const longer = await ask("presign-upload", {
      ...named("cv.txt"),
      ...again,
      ...md5Of("longer than that"),
    });
    expect([longer.status, longer.body.code]).toEqual([400, "invalid_request"]);
    await send(await sign("cv.txt", { ...again, ...md5Of("first") }), "first");
    const { body } = await ask("uploaded", { receipts: [signed.receipt] });
    expect((await ask("take-back", { bucket: undefined, takeBack: body.uploaded[0].takeBack })).body).toEqual(
      { removed: true },
    );
    const spent = await ask("presign-upload", { ...named("cv.txt"), ...again, ...md5Of("other") });
    expect([spent.status, spent.body.code]).toEqual([404, "upload_not_found"]);
    expect((await recorded()).map(([type]) => type)).toEqual(["file.uploaded", "file.deleted"]);
  });

  it("a handed-in file is not replaced by its own URL", { timeout: 60_000 }, async () => {
    const { bucket, recorded } = await openOne();
    const { ask, sign } = uploadCalls(app, stack, bucket.name, handInToken(bucket.name));
    for (const round of ROUNDS) {
      const signed = await sign(`${round}.txt`, { folderPath: "/inbox" });
      const statuses = await Promise.all(["first", "second"].map((text) => statusOfPut(signed, text)));
      expect(statuses.sort()).toEqual([200, expect.toBeOneOf([409, 412])]);
      await ask("uploaded", { receipts: [signed.receipt] });
    }
    expect(await recorded()).toHaveLength(ROUNDS.length);
  });
});

describe("in a bucket with versions", () => {
  it("a version that was never told has its event, though a move or an undone deletion has brought it back", async () => {
    for (const how of ["move", "delete"] as const) {
      const { ada, recorded, age } = await open(true);
      const signed = await ada.sign("a.txt");
      await send(signed, "first");
      await ada.confirm("a.txt");
      await send(signed, "second");
      if (how === "move") {
        await ada.ask("move", { items: [{ key: "a.txt" }], to: "/b", onConflict: "fail" });
        await ada.ask("move", { items: [{ key: "b/a.txt" }], to: "/", onConflict: "fail" });
      } else {
        const { body } = await ada.ask("delete", { items: [{ key: "a.txt" }] });
        await ada.ask("restore", { undo: body.undo });
      }
      await age("16 min");
      await cleanUp();
      const uploads = (await recorded()).filter(([type]) => type === "file.uploaded");
      expect([how, uploads.sort()]).toEqual([how, [uploaded(5), uploaded(6)]]);
    }
  });

  it("a copy that was brought to the key before anybody told the upload is not the upload", async () => {
    for (const teller of ["confirm", "notify", "both"] as const) {
      const { bucket, ada, notify, recorded, age } = await open(true);
      await ada.put("a.txt", "first");
      await ada.ask("move", { items: [{ key: "a.txt" }], to: "/b", onConflict: "fail" });
      await ada.ask("copy", { items: [{ key: "b/a.txt" }], to: "/", onConflict: "fail" });
      if (teller !== "notify") await ada.confirm("a.txt");
      if (teller !== "confirm") await notify("a.txt", "1");
      await age("16 min");
      await cleanUp();
      const { versions } = await app.objectStore.listVersions({ bucket: bucket.name, prefix: "a.txt" });
      const [copy, upload] = versions.flatMap(({ isMarker, versionId }) => (isMarker ? [] : versionId));
      const events = (await eventsOf(stack.postgresUrl, bucket.name)).filter(({ key }) => key === "a.txt");
      const told = events.map(({ type, data }) => [type, data.version]).sort();
      expect([teller, told]).toEqual([
        teller,
        [
          ["file.copied", copy],
          ["file.uploaded", upload],
        ],
      ]);
      expect((await recorded()).filter(([type]) => type === "file.uploaded")).toEqual([uploaded(5)]);
    }
  });

  it("cleanup finds a content behind any number of later ones", { timeout: 60_000 }, async () => {
    const { ada, recorded, age } = await open(true);
    const signed = await ada.sign("a.txt");
    await send(signed, "the hidden one");
    for (const _ of Array.from({ length: 205 })) await send(signed, "later");
    await age("16 min");
    await cleanUp();
    expect(await recorded()).toContainEqual(uploaded(14));
  });
});

describe("a notification", () => {
  it("of what is gone has nobody's name if several people may have stored it", async () => {
    const { ada, callsOf, bucket, notifyOf, recorded } = await open(false);
    const mallory = await callsOf({ id: "mallory" });
    await ada.sign("a.txt", { size: 5 });
    const signed = await mallory.sign("a.txt");
    await send(signed, "wrong");
    const found = await app.objectStore.describeObject({ bucket: bucket.name, key: "a.txt" });
    await send(signed, "replaced");
    await notifyOf("a.txt", found, "1");
    expect(await recorded()).toEqual([uploaded(5, "a.txt", null)]);
  });

  it("of an object without a mark has nobody's name", async () => {
    const { ada, bucket, notify, recorded } = await open(false);
    await ada.sign("a.txt", { size: 5 });
    await bucket.put("a.txt", "other");
    await notify("a.txt", "1");
    expect(await recorded()).toEqual([uploaded(5, "a.txt", null)]);
  });

  it("of a copy that another program has made with the mark is an event of its own, and of nobody", async () => {
    const { ada, bucket, notify, recorded } = await open(false);
    await ada.put("a.txt", "hello");
    await ada.confirm("a.txt");
    const found = await app.objectStore.describeObject({ bucket: bucket.name, key: "a.txt" });
    const { size = 0, etag = "" } = found ?? {};
    const copy = { bucket: bucket.name, key: "a.txt", to: "b.txt", size, etag, overwrite: false };
    await app.objectStore.copyObject(copy);
    await notify("b.txt", "1");
    expect(await recorded()).toEqual([uploaded(5), uploaded(5, "b.txt", null)]);
  });
});

const named = (fileName: string) => ({ folderPath: "/", fileName, contentType: "text/plain" });

const statusOfPut = async ({ url, headers }: SignedUpload, body: string) =>
  (await fetch(url, { method: "PUT", headers, body })).status;

function handInToken(bucket: string): string {
  const now = Math.floor(Date.now() / 1000);
  const scope = { bucket, view: "hand-in" as const, uploadFolder: "/inbox", actions: ["upload"] };
  const payload = { cid: "c", companyId: "company", svc: "files", origins: [], iat: now, exp: now + 900 };
  return signEmbedToken({ ...payload, scope }, stack.embedSigningSecret);
}
