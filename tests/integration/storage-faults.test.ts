/**
 * Faults of the store. All tests share one app with a faulty store, which takes seconds to start.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import { parseEnv } from "../../app/env/env.server";
import { createObjectStore, type ObjectStore } from "../../app/providers/object-store.server";
import { standardError, standardOutput } from "../../app/shared/log.server";
import type { BuiltApp } from "../support/app/built-app";
import { deploymentEnv } from "../support/app/deployment";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";
import { Wire } from "../support/network/wire";

const stack = inject("stack");
let faulty: FaultyStore;
/** between the app and the store */
let wire: Wire;
let bucket: TestBucket;
let app: BuiltApp;
let platform: string;
const parent = "http://127.0.0.1:4999";

beforeAll(async () => {
  faulty = await startFaultyStore(stack);
  bucket = await makeBucket(faulty.stack);
  await bucket.put("docs/a.txt", "a", "text/plain");
  wire = await Wire.to(faulty.stack.objectStore.endpoint);
  const CLOUD_S3_ENDPOINT = wire.over(faulty.stack.objectStore.endpoint);
  // Longer than any test waits, so that requests that end in time have ended by another limit.
  const started = await faulty.startApp({ CLOUD_S3_ENDPOINT, CLOUD_S3_TIMEOUT_SECONDS: "300" });
  app = started.app;
  platform = started.stack.platformBaseUrl;
});
afterAll(async () => {
  await faulty?.close();
  await wire?.cut();
});
beforeEach(() => {
  faulty.intercept = null;
  faulty.clockOffsetMs = 0;
  faulty.requests = [];
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Creates a store client in the state of a process that has just started. */
function freshStore(timeoutSeconds = 10): ObjectStore {
  const { objectStore } = parseEnv(deploymentEnv(faulty.stack, stack.postgresUrl));
  return createObjectStore({ ...objectStore, timeoutSeconds });
}

function tokenFor(name = bucket.name, changes: object = {}): string {
  const now = Math.floor(Date.now() / 1000);
  return signEmbedToken(
    {
      cid: "c",
      companyId: "c",
      svc: "files",
      scope: { bucket: name },
      origins: [parent],
      iat: now,
      exp: now + 900,
      ...changes,
    },
    stack.embedSigningSecret,
  );
}

async function ask(what: string, body: object, at = platform) {
  const response = await fetch(`${at}/api/embed/storage/${what}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: tokenFor(), bucket: bucket.name, ...body }),
  });
  const requestId = response.headers.get("X-Request-Id") ?? "";
  return { status: response.status, headers: response.headers, requestId, body: await response.json() };
}

const openFrame = (at: string) =>
  fetch(`${at}/embed/files?t=${tokenFor()}`, { headers: { Referer: `${parent}/` } });

describe("a store that takes a request and never responds", () => {
  // Runs first: the app has had no response from its store yet and does not know its clock.
  it("does not prevent signing a URL", async () => {
    faulty.intercept = () => ({ hang: true });
    expect((await ask("presign-upload", uploadOf("new.txt"))).status).toBe(200);
    const { status, body } = await ask("presign-download", { key: "docs/a.txt", disposition: "inline" });
    expect(status).toBe(200);
    expect(new URL(body.url).searchParams.get("response-content-type")).toBe("application/octet-stream");
  });

  it("fails after one time limit, not one for each of the SDK's attempts", async () => {
    faulty.intercept = () => ({ hang: true });
    const listing = freshStore(1).list({ bucket: bucket.name, prefix: "", cursor: undefined, pageSize: 10 });
    await expect(listing).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 5 });
    expect(faulty.requests).toEqual([`GET ${bucket.name}`]);
  });

  it("does not leave a visitor with a blank frame, however long a listing may take", async () => {
    faulty.intercept = () => ({ hang: true });
    const frame = await openFrame(platform);
    expect(frame.status).toBe(200);
    expect(await frame.text()).toContain("The files are not available right now");
    expect(app.output()).toContain("The first folder could not be listed.");
  });
});

it("a throttling store is distinguished from an unreachable one", async () => {
  faulty.intercept = () => ({ error: { status: 503, code: "SlowDown" } });
  const { status, headers, body } = await ask("list", {});
  expect(status).toBe(503);
  expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
  expect(body.error).toContain("asks for a pause");
});

it.each([
  [
    "a permission that is missing, though the response to a HEAD names none",
    { status: 403, code: "" },
    "s3:GetObject",
  ],
  ["a passing fault of its own", { status: 500, code: "InternalError" }, "asks for a pause"],
])("a store's refusal for %s is not taken for another server's", async (_what, error, advice) => {
  faulty.intercept = ({ method }) => (method === "HEAD" ? { error } : undefined);
  const before = app.output().length;
  expect((await ask("presign-download", { key: "docs/a.txt", disposition: "inline" })).status).toBe(200);
  await expect.poll(() => app.output().slice(before)).toContain(advice);
  expect(app.output().slice(before)).not.toContain("not an S3 store");
});

it("a store that refuses connections is unavailable, and the log says what to check", async () => {
  const other = await makeBucket(faulty.stack);
  await wire.cut();
  const { status, body } = await ask("list", {});
  expect(status).toBe(503);
  expect(body.code).toBe("unavailable");
  expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|ECONN|CLOUD_/);
  expect((await openFrame(platform)).status).toBe(200);
  expect(app.output()).toMatch(/cannot be reached \(.*ECONNREFUSED.*CLOUD_S3_ENDPOINT/);
  const question = { token: tokenFor(other.name), bucket: other.name, operation: "upload" };
  expect((await ask("diagnose", question)).body).toEqual({ problem: "store_unreachable" });
  await wire.restore();
  expect((await ask("list", {})).status).toBe(200);
});

const uploadOf = (fileName: string) => ({ folderPath: "/", fileName, contentType: "text/plain", size: 2 });

describe("a store whose clock is 20 minutes ahead of ours", () => {
  const object = () => ({ bucket: bucket.name, key: "late.txt", expiresInSeconds: 300 });
  const put = { contentType: "text/plain", size: 2, ifNoneMatch: false };
  const get = { contentDisposition: "attachment", contentType: "text/plain" };

  it("gets URLs signed with its own time from the first one on, and the log says so once", async () => {
    faulty.clockOffsetMs = 20 * 60_000;
    const warnings = vi.spyOn(standardError, "write").mockReturnValue();
    const lines = vi.spyOn(standardOutput, "write").mockReturnValue();
    const store = freshStore();
    const { url, headers } = await store.presignPut({ ...object(), ...put });
    const sent = { ...headers, "Content-Length": "2" };
    expect((await fetch(url, { method: "PUT", headers: sent, body: "hi" })).status).toBe(200);
    expect(await (await fetch(await store.presignGet({ ...object(), ...get }))).text()).toBe("hi");
    const folder = { bucket: bucket.name, prefix: "", cursor: undefined, pageSize: 10 };
    expect((await store.list(folder)).objects.map(({ key }) => key)).toEqual(["late.txt"]);
    const question = { bucket: bucket.name, origin: platform, operation: "download" as const };
    expect((await store.diagnose(question)).problem).not.toBe("clock_skewed");
    expect(warnings.mock.calls).toEqual([
      [expect.stringMatching(/(1199|1200|1201) seconds behind the object store's.*NTP/)],
    ]);

    faulty.clockOffsetMs = 0;
    // The first response has the store's time, even if it is an error.
    await store.list(folder).catch(() => {});
    expect((await fetch(await store.presignGet({ ...object(), ...get }))).status).toBe(200);
    expect(lines.mock.calls).toEqual([[expect.stringContaining("agree again")]]);
  });

  it("is compensated for in a process that was already running", async () => {
    faulty.clockOffsetMs = 20 * 60_000;
    expect((await ask("list", {})).status).toBe(200);
    const { body } = await ask("presign-download", { key: "docs/a.txt" });
    expect((await fetch(body.url)).status).toBe(200);
    // Expiry times for the explorer follow our own clock, as its token does.
    expect(body.expiresAt - Date.now() / 1000).toBeLessThanOrEqual(300);
    expect(app.output()).toContain("behind the object store's");
    faulty.clockOffsetMs = 0;
    await ask("list", {});
  });
});

describe("diagnose", () => {
  it("finds missing CORS rules, and tells only the operator how to fix them", async () => {
    const { status, body, requestId } = await ask("diagnose", { operation: "upload" });
    expect(status).toBe(200);
    expect(body).toEqual({ problem: "cors_missing" });
    const line = app
      .output()
      .split("\n")
      .find((text) => text.includes(`npm run storage:cors -- --bucket ${bucket.name}`));
    expect(line).toBeTruthy();
    expect(requestId).not.toBe("");
  });

  it("finds nothing if the rules are correct, with one request to the store for a thousand browsers", async () => {
    const other = await makeBucket(faulty.stack);
    await other.allowOrigins([platform]);
    faulty.requests = [];
    const body = { token: tokenFor(other.name), bucket: other.name, operation: "upload" };
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask("diagnose", body)));
    for (const { body } of answers) expect(body).toEqual({ problem: null });
    expect(faulty.requests.toSorted()).toEqual([`GET ${other.name}`, `OPTIONS ${other.name}/_`]);
  });

  it("finds a missing bucket", async () => {
    const body = { token: tokenFor("no-such-bucket"), bucket: "no-such-bucket", operation: "download" };
    expect((await ask("diagnose", body)).body).toEqual({ problem: "bucket_not_found" });
    expect(app.output()).toContain("has no bucket no-such-bucket (NoSuchBucket)");
  });

  it("finds wrong credentials, and in development also shows the fix on the screen", async () => {
    // Remix's server does not start a build as "development". The app treats both values the same.
    const settings = { CLOUD_SECRET_ACCESS_KEY: "not-the-secret", NODE_ENV: "test" };
    const { app, stack } = await faulty.startApp(settings);
    const { body } = await ask("diagnose", { operation: "upload" }, stack.platformBaseUrl);
    const advice = "Set CLOUD_SECRET_ACCESS_KEY to the secret of the key in CLOUD_ACCESS_KEY_ID";
    expect(body.problem).toBe("store_refused");
    expect(body.advice).toContain(advice);
    expect(app.output()).toContain(advice);
    const listed = await ask("list", {}, stack.platformBaseUrl);
    expect(listed).toMatchObject({ status: 502, body: { code: "provider_failed" } });
    expect(listed.body.error).toContain(advice);
    expect(await (await openFrame(stack.platformBaseUrl)).text()).toContain(advice);
  });

  it("never shows fixes for operators in production", async () => {
    const other = await makeBucket(faulty.stack);
    faulty.intercept = () => ({ error: { status: 403, code: "InvalidAccessKeyId" } });
    const question = { token: tokenFor(other.name), bucket: other.name, operation: "upload" };
    expect((await ask("diagnose", question)).body).toEqual({ problem: "store_refused" });
    const listed = await ask("list", {});
    expect(listed.status).toBe(502);
    expect(JSON.stringify(listed.body)).not.toMatch(/CLOUD_|InvalidAccessKeyId/);
    expect(await (await openFrame(platform)).text()).not.toMatch(/CLOUD_|InvalidAccessKeyId/);
    expect(app.output()).toContain(
      "does not know the access key (InvalidAccessKeyId). Set CLOUD_ACCESS_KEY_ID",
    );
  });

  it.each([
    ["another token's bucket", { bucket: "other" }, 403, "scope_not_allowed"],
    ["no operation", {}, 400, "invalid_request"],
    ["an unknown operation", { operation: "delete" }, 400, "invalid_request"],
    ["an unknown member", { operation: "upload", url: "http://127.0.0.1/" }, 400, "invalid_request"],
  ])("refuses %s, and asks nobody", async (_, body, status, code) => {
    const answer = await ask("diagnose", { ...(status === 403 ? { operation: "upload" } : {}), ...body });
    expect(answer).toMatchObject({ status, body: { code } });
    expect(faulty.requests).toEqual([]);
  });
});
