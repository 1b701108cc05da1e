/** Faults of the store while a multipart upload begins and ends. All tests share one faulty store. */

import { ListMultipartUploadsCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { completeMultipartUpload } from "../../app/services/files/uploads/multipart-uploads.server";
import type { Intercept, StoreFault } from "../../local/object-store";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";
import { testGrant } from "../support/files/grant";
import { multipartCalls } from "../support/files/multipart-calls";
import { openStorage, type StorageCalls } from "../support/files/storage-calls";

const stack = inject("stack");
const bytes = Buffer.from("the content of a file");
let faulty: FaultyStore;
let storage: StorageCalls;
let app: RouteApp;
let calls: ReturnType<typeof multipartCalls>;
let made = 0;

beforeAll(async () => {
  faulty = await startFaultyStore(stack);
  storage = await openStorage(faulty.stack);
  app = createRouteApp(faulty.stack);
  calls = multipartCalls(app.platformBaseUrl, storage, app.fetch);
});
afterAll(async () => {
  await app?.close();
  await faulty?.close();
});
beforeEach(() => {
  faulty.intercept = null;
});

/** Creates an upload whose only part has arrived. */
async function uploaded(changes: object = {}) {
  const { body: created } = await calls.create({
    fileName: `f${made++}.bin`,
    size: bytes.length,
    ...changes,
  });
  expect(await calls.send(created, bytes, [1])).toEqual([200]);
  const stored = async () => String(await storage.bucket.get(created.key));
  return {
    ...created,
    stored,
    complete: (body: object = {}) => calls.ask("complete", { upload: created.upload, ...body }),
  };
}

type Asked = Parameters<Intercept>[0];
const isCompletion = ({ method, query }: Asked) => method === "POST" && query.has("uploadId");
const isCreation = ({ method, query }: Asked) => method === "POST" && query.has("uploads");

/** Injects `faults` into the first, second … request of a kind. The last fault also applies to all later requests. */
function fail(isMeant: (request: Asked) => boolean, ...faults: (StoreFault | undefined)[]) {
  let count = 0;
  faulty.intercept = (request) => {
    if (!isMeant(request)) return undefined;
    return faults[Math.min(count++, faults.length - 1)];
  };
  return () => count;
}

const GONE = { error: { status: 404, code: "NoSuchUpload" } };
const TAKEN = { error: { status: 412, code: "PreconditionFailed" } };
const CONFLICT = { error: { status: 409, code: "ConditionalRequestConflict" } };
const BUSY = { error: { status: 503, code: "SlowDown" } };
const LOST: StoreFault = { loseResponse: true };

describe("a completion whose response is lost", () => {
  it.each([
    ["says so again", undefined],
    ["knows no such upload any more", GONE],
    ["finds the name taken, by this very upload", TAKEN],
    ["says that another write of that name is under way", CONFLICT],
  ])("is a success at once when the store, asked again, %s", async (_, then) => {
    const upload = await uploaded();
    const count = fail(isCompletion, LOST, then);
    const completed = await upload.complete();
    expect(count()).toBe(2);
    expect(completed).toMatchObject({ status: 200, body: { key: upload.key, size: bytes.length } });
    expect(await upload.stored()).toBe(String(bytes));
    faulty.intercept = null;
    expect(await upload.complete()).toEqual(completed);
  });

  it("is a success also with a store that reports a missing upload like a missing object", async () => {
    const upload = await uploaded();
    const isList = ({ method, query }: Asked) => method === "GET" && query.has("uploadId");
    const noSuchKey = { error: { status: 404, code: "NoSuchKey" } };
    fail(isList, noSuchKey);
    expect(await upload.complete()).toMatchObject({ status: 404, body: { code: "upload_not_found" } });
    expect(await calls.ask("list", { upload: upload.upload })).toMatchObject({
      status: 404,
      body: { code: "upload_not_found" },
    });
    faulty.intercept = null;
    const completed = await upload.complete();
    // As if another request completed it just after this one had found no object.
    let heads = 0;
    faulty.intercept = (request) =>
      isList(request) || (request.method === "HEAD" && heads++ === 0) ? noSuchKey : undefined;
    expect(await upload.complete()).toEqual(completed);
    expect(heads).toBe(2);
  });

  it("each time is a success when the page repeats the request", async () => {
    const upload = await uploaded();
    fail(isCompletion, LOST);
    expect(await upload.complete()).toMatchObject({ status: 503, body: { code: "unavailable" } });
    fail(isCompletion, GONE);
    expect(await upload.complete()).toMatchObject({ status: 200, body: { key: upload.key } });
    expect(await upload.stored()).toBe(String(bytes));
  });

  it("is not a success if the object is another upload's", async () => {
    const upload = await uploaded();
    fail(isCompletion, GONE);
    expect(await upload.complete({ overwrite: true })).toMatchObject({
      status: 404,
      body: { code: "upload_not_found" },
    });
    await storage.bucket.put(upload.key, "another's");
    expect(await upload.complete({ overwrite: true })).toMatchObject({
      status: 404,
      body: { code: "upload_not_found" },
    });
    expect(await upload.stored()).toBe("another's");
  });
});

describe("a completion that fails at the store", () => {
  it.each<[string, StoreFault, number, string]>([
    ["another upload with that name finished first", CONFLICT, 409, "upload_conflict"],
    ["the name was taken meanwhile", TAKEN, 409, "name_taken"],
    [
      "a part was sent again meanwhile",
      { error: { status: 400, code: "InvalidPart" } },
      409,
      "upload_incomplete",
    ],
    [
      "it says 200, and an error in the body",
      { error: { status: 200, code: "InternalError" } },
      503,
      "unavailable",
    ],
    ["it asks for a pause", BUSY, 503, "unavailable"],
    ["it fails", { error: { status: 500, code: "InternalError" } }, 503, "unavailable"],
    ["it breaks the connection", { reset: true }, 503, "unavailable"],
    ["it refuses", { error: { status: 403, code: "AccessDenied" } }, 502, "provider_failed"],
  ])("because %s makes no file, and can be asked again", async (_, fault, status, code) => {
    const upload = await uploaded();
    fail(isCompletion, fault);
    expect(await upload.complete()).toMatchObject({ status, body: { code } });
    faulty.intercept = null;
    expect(await storage.bucket.get(upload.key)).toBeNull();
    expect((await upload.complete()).status).toBe(200);
    expect(await upload.stored()).toBe(String(bytes));
  });

  it.each<[string, StoreFault]>([
    ["asks for a pause", BUSY],
    ["says 200, and an error in the body", { error: { status: 200, code: "InternalError" } }],
    ["breaks the connection", { reset: true }],
  ])("at first, because it %s, is asked for again by itself", async (_, fault) => {
    const upload = await uploaded();
    const count = fail(isCompletion, fault, undefined);
    expect((await upload.complete()).status).toBe(200);
    expect(count()).toBe(2);
  });

  it("may take longer than any other call to the store", async () => {
    const upload = await uploaded();
    const impatient = createRouteApp(faulty.stack, { CLOUD_S3_TIMEOUT_SECONDS: "1" });
    const count = fail(isCompletion, { delayMs: 1_500 });
    const asked = multipartCalls(impatient.platformBaseUrl, storage, impatient.fetch);
    expect((await asked.ask("complete", { upload: upload.upload })).status).toBe(200);
    expect(count()).toBe(1);
    await impatient.close();
  });

  it.each<[string, (request: Asked) => boolean]>([
    ["put the parts together", isCompletion],
    ["list the parts", ({ method, query }) => method === "GET" && query.has("uploadId")],
    ["say what is there", ({ method }) => method === "HEAD"],
  ])("ends with the request's time when the store is asked to %s and stays silent", async (_, isMeant) => {
    const upload = await uploaded();
    fail(isMeant, { hang: true });
    const nowSeconds = app.now();
    const grant = testGrant(
      { bucket: storage.bucket.name },
      { companyId: companyOf(upload.upload), expiresAt: nowSeconds + 60 },
    );
    const context = { requestId: "r", route: "/", callerAddress: "::1", deadline: performance.now() + 500 };
    const { production, platformBaseUrl, embedSigningSecrets: signingSecrets } = app.env;
    const tools = {
      events: app.events,
      database: app.database,
      claims: app.claims,
      catalogues: app.catalogues,
      quotas: app.quotas,
      objectStore: app.objectStore,
      context,
      nowSeconds,
      production,
      platformBaseUrl,
      signingSecrets,
    };
    const body = { token: storage.token, upload: upload.upload };
    await expect(completeMultipartUpload(body, grant, tools)).rejects.toMatchObject({
      code: "unavailable",
    });
    faulty.intercept = null;
    expect((await upload.complete()).status).toBe(200);
  });
});

it("slow completions do not block other requests to the store", async () => {
  const upload = await uploaded();
  const count = fail(isCompletion, { hang: true });
  const { bucket } = storage;
  const at = { bucket: bucket.name, key: upload.key, uploadId: "any", algorithm: null };
  const request = { deadline: performance.now() + 4_000 };
  const options = { checksum: undefined, overwrite: true };
  let ended = 0;
  const slow = Array.from({ length: 100 }, () =>
    app.objectStore.completeUpload(at, [], options, request).catch(() => ended++),
  );
  const page = { bucket: bucket.name, prefix: "", cursor: undefined, pageSize: 1 };
  await vi.waitFor(() => expect(count()).toBeGreaterThanOrEqual(50), { timeout: 15_000 });
  await app.objectStore.list(page);
  expect(ended).toBe(0);
  await Promise.all(slow);
});

describe("an upload whose creation response is lost", () => {
  it("is created again; the bucket's lifecycle rule removes the unknown one", async () => {
    const count = fail(isCreation, LOST, undefined);
    const upload = await uploaded();
    expect(count()).toBe(2);
    faulty.intercept = null;
    expect(await uploadsOf(upload.key)).toBe(2);
    expect((await upload.complete()).status).toBe(200);
    expect(await upload.stored()).toBe(String(bytes));
    expect(await uploadsOf(upload.key)).toBe(1);
  });

  it("can be requested again each time", async () => {
    fail(isCreation, LOST);
    const lost = await calls.create({ fileName: "never.bin", size: 5 });
    expect(lost).toMatchObject({ status: 503, body: { code: "unavailable" } });
    faulty.intercept = null;
    expect((await calls.create({ fileName: "never.bin", size: 5 })).status).toBe(200);
  });

  it("is not created while it is unknown whether its name is taken", async () => {
    fail(({ method }) => method === "HEAD", BUSY);
    const unknown = await calls.create({ fileName: "unknown.bin", size: 5 });
    expect(unknown).toMatchObject({ status: 503, body: { code: "unavailable" } });
    faulty.intercept = null;
    expect(await uploadsOf("unknown.bin")).toBe(0);
  });
});

function companyOf(upload: string): string {
  return JSON.parse(String(Buffer.from(upload.split(".")[0] ?? "", "base64url"))).companyId;
}

/** Counts the unfinished uploads to `key`. */
async function uploadsOf(key: string): Promise<number> {
  const { endpoint, region, accessKeyId, secretAccessKey } = faulty.stack.objectStore;
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
  });
  const { Uploads = [] } = await client.send(
    new ListMultipartUploadsCommand({ Bucket: storage.bucket.name, Prefix: key }),
  );
  client.destroy();
  return Uploads.length;
}
