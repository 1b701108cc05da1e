import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import { makeBucket, type TestBucket } from "../support/bucket";
import type { BuiltApp } from "../support/built-app";
import { type FaultyStore, startFaultyStore } from "../support/faulty-store";

const stack = inject("stack");
let faulty: FaultyStore;
let bucket: TestBucket;
let app: BuiltApp;
let platform: string;
const parent = "http://127.0.0.1:4999";

beforeAll(async () => {
  faulty = await startFaultyStore(stack);
  bucket = await makeBucket(faulty.stack);
  await bucket.put("docs/a.txt", "a", "text/plain");
  const started = await faulty.startApp({ CLOUD_S3_TIMEOUT_SECONDS: "2" });
  app = started.app;
  platform = started.stack.platformBaseUrl;
});
afterAll(() => faulty?.close());
beforeEach(() => {
  faulty.intercept = null;
  faulty.clockOffsetMs = 0;
  faulty.requests = [];
});

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

/** Starts an app, uses it, and ends it. */
async function withApp(
  settings: Record<string, string>,
  use: (started: { app: BuiltApp; platform: string }) => Promise<void>,
): Promise<void> {
  const started = await faulty.startApp(settings);
  await use({ app: started.app, platform: started.stack.platformBaseUrl });
  await started.app.close();
}

describe("a store that takes a request and never responds", () => {
  it("is given up after one limit, not one for each of the SDK's attempts", async () => {
    faulty.intercept = () => ({ hang: true });
    const { status, headers, body } = await ask("list", {});
    expect(status).toBe(503);
    expect(body.code).toBe("unavailable");
    expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(faulty.requests).toEqual([`GET ${bucket.name}`]);
  });

  it("does not keep a person before a blank frame, however long a listing may take", async () => {
    await withApp({ CLOUD_S3_TIMEOUT_SECONDS: "300" }, async ({ app, platform }) => {
      faulty.intercept = () => ({ hang: true });
      const frame = await openFrame(platform);
      expect(frame.status).toBe(200);
      expect(await frame.text()).toContain("The files are not available right now");
      expect(app.output()).toContain("The first folder could not be listed.");
    });
  });

  it("does not keep a URL from being signed", async () => {
    await withApp({}, async ({ platform }) => {
      faulty.intercept = () => ({ hang: true });
      expect((await ask("presign-upload", uploadOf("new.txt"), platform)).status).toBe(200);
      const inline = { key: "docs/a.txt", disposition: "inline" };
      const { status, body } = await ask("presign-download", inline, platform);
      expect(status).toBe(200);
      expect(new URL(body.url).searchParams.get("response-content-type")).toBe("application/octet-stream");
    });
  });
});

it("a store that asks for a pause is told apart from one that cannot be reached", async () => {
  await withApp({}, async ({ platform }) => {
    faulty.intercept = () => ({ error: { status: 503, code: "SlowDown" } });
    const { status, body } = await ask("list", {}, platform);
    expect(status).toBe(503);
    expect(body.error).toContain("asks for a pause");
  });
});

it("a store that refuses connections is unavailable, and the log says what to look at", async () => {
  await withApp({ CLOUD_S3_ENDPOINT: "http://127.0.0.1:1" }, async ({ app, platform }) => {
    const { status, body } = await ask("list", {}, platform);
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|ECONN|CLOUD_/);
    const frame = await openFrame(platform);
    expect(frame.status).toBe(200);
    expect(app.output()).toMatch(/cannot be reached \(.*ECONNREFUSED.*CLOUD_S3_ENDPOINT/);
    expect((await ask("diagnose", { operation: "upload" }, platform)).body).toEqual({
      problem: "store_unreachable",
    });
  });
});

const uploadOf = (fileName: string) => ({ folderPath: "/", fileName, contentType: "text/plain", size: 2 });

describe("a store whose clock is 20 minutes ahead of ours", () => {
  it("gets URLs of its own time from the first on, and the log says so once", async () => {
    faulty.clockOffsetMs = 20 * 60_000;
    await withApp({}, async ({ app, platform }) => {
      const upload = await ask("presign-upload", uploadOf("late.txt"), platform);
      const { url, headers } = upload.body;
      expect((await fetch(url, { method: "PUT", headers, body: "hi" })).status).toBe(200);
      const download = await ask("presign-download", { key: "late.txt" }, platform);
      expect(await (await fetch(download.body.url)).text()).toBe("hi");
      // What the explorer is told is by our own clock, as its token is.
      expect(download.body.expiresAt - Date.now() / 1000).toBeLessThanOrEqual(300);
      expect((await ask("list", {}, platform)).status).toBe(200);
      expect((await ask("diagnose", { operation: "download" }, platform)).body.problem).not.toBe(
        "clock_skewed",
      );
      const lines = app.output().split("\n");
      const told = lines.filter((line) => line.includes("behind the object store's"));
      expect(told).toHaveLength(1);
      expect(told[0]).toMatch(/(1199|1200|1201) seconds behind.*NTP/);

      faulty.clockOffsetMs = 0;
      await ask("list", {}, platform);
      expect(app.output()).toContain("agree again");
      const after = await ask("presign-download", { key: "late.txt" }, platform);
      expect((await fetch(after.body.url)).status).toBe(200);
    });
  });
});

describe("diagnose", () => {
  it("finds the CORS rules missing, and tells only the operator how to mend it", async () => {
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

  it("finds nothing where the rules are right, and asks the store once for a thousand browsers", async () => {
    const other = await makeBucket(faulty.stack);
    await other.allowOrigins([platform]);
    faulty.requests = [];
    const body = { token: tokenFor(other.name), bucket: other.name, operation: "upload" };
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask("diagnose", body)));
    for (const { body } of answers) expect(body).toEqual({ problem: null });
    expect(faulty.requests.toSorted()).toEqual([`GET ${other.name}`, `OPTIONS ${other.name}/_`]);
  });

  it("finds a bucket missing", async () => {
    const body = { token: tokenFor("no-such-bucket"), bucket: "no-such-bucket", operation: "download" };
    expect((await ask("diagnose", body)).body).toEqual({ problem: "bucket_not_found" });
    expect(app.output()).toContain("has no bucket no-such-bucket (NoSuchBucket)");
  });

  it("finds wrong credentials, and on a developer's machine says what to mend on the screen too", async () => {
    // Remix's server does not start a build as "development"; to the app the two are the same.
    const settings = { CLOUD_SECRET_ACCESS_KEY: "not-the-secret", NODE_ENV: "test" };
    await withApp(settings, async ({ app, platform }) => {
      const { body } = await ask("diagnose", { operation: "upload" }, platform);
      const advice = "CLOUD_SECRET_ACCESS_KEY is not the secret of CLOUD_ACCESS_KEY_ID";
      expect(body.problem).toBe("store_refused");
      expect(body.advice).toContain(advice);
      expect(app.output()).toContain(advice);
      const listed = await ask("list", {}, platform);
      expect(listed).toMatchObject({ status: 502, body: { code: "provider_failed" } });
      expect(listed.body.error).toContain(advice);
      expect(await (await openFrame(platform)).text()).toContain(advice);
    });
  });

  it("never says in production what only an operator can mend", async () => {
    await withApp({ CLOUD_ACCESS_KEY_ID: "not-the-key" }, async ({ app, platform }) => {
      const { body } = await ask("diagnose", { operation: "upload" }, platform);
      expect(body).toEqual({ problem: "store_refused" });
      const listed = await ask("list", {}, platform);
      expect(listed.status).toBe(502);
      expect(JSON.stringify(listed.body)).not.toMatch(/CLOUD_|not-the-key/);
      expect(await (await openFrame(platform)).text()).not.toMatch(/CLOUD_|InvalidAccessKeyId/);
      expect(app.output()).toContain("it does not know the access key in CLOUD_ACCESS_KEY_ID");
    });
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
