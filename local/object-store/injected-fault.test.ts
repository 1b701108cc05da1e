import { EventEmitter, once } from "node:events";
import { ListObjectsV2Command, PutBucketCorsCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BUCKET, sendRaw, signRaw, startStoreForTests } from "../../tests/support/files/object-store";
import type { StoreFault } from "./index";

const ORIGIN = "http://page.example";
const MINUTE_MS = 60_000;
let fault: StoreFault | undefined;
let clockOffsetMs = 0;
let store: Awaited<ReturnType<typeof startStoreForTests>>;

beforeAll(async () => {
  store = await startStoreForTests({
    intercept: ({ key }) => (key === "faulty" ? fault : undefined),
    clockOffsetMs: () => clockOffsetMs,
  });
  const rule = { AllowedOrigins: [ORIGIN], AllowedMethods: ["GET", "PUT"] };
  await store.client.send(
    new PutBucketCorsCommand({ Bucket: BUCKET, CORSConfiguration: { CORSRules: [rule] } }),
  );
});
afterAll(() => store?.close());
beforeEach(() => {
  fault = undefined;
  clockOffsetMs = 0;
});

async function get(headers: Record<string, string> = {}) {
  return sendRaw(store.endpoint, await signRaw(store.endpoint, { path: `/${BUCKET}/faulty`, headers }));
}

async function put(body: string) {
  return store.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "faulty", Body: body }));
}

function preflight() {
  return sendRaw(store.endpoint, {
    method: "OPTIONS",
    path: `/${BUCKET}/faulty`,
    headers: { origin: ORIGIN, "access-control-request-method": "PUT" },
  });
}

async function startHangingStore() {
  const events = new EventEmitter();
  const hanging = await startStoreForTests({
    intercept({ key }) {
      if (key !== "faulty") return undefined;
      // Once the store has begun to hang.
      setImmediate(() => events.emit("reached"));
      return { hang: true };
    },
    log: (line) => events.emit("logged", line),
  });
  return { hanging, events };
}

describe("an injected fault", () => {
  it("answers with the error", async () => {
    fault = { error: { status: 503, code: "SlowDown", message: "Please reduce your request rate." } };
    expect(await get()).toMatchObject({ status: 503, code: "SlowDown" });
  });

  it("closes the connection", async () => {
    fault = { reset: true };
    await expect(get()).rejects.toThrow(/hang up|ECONNRESET/);
  });

  it("does what is asked and loses the response", async () => {
    fault = { loseResponse: true };
    const request = await signRaw(store.endpoint, {
      method: "PUT",
      path: `/${BUCKET}/faulty`,
      headers: {},
      body: "kept",
    });
    await expect(sendRaw(store.endpoint, request)).rejects.toThrow(/hang up|ECONNRESET/);
    fault = undefined;
    expect((await get()).body).toBe("kept");
  });

  it("hangs until the client goes away", async () => {
    const { hanging, events } = await startHangingStore();
    const client = new AbortController();
    const url = `${hanging.endpoint}/${BUCKET}/faulty`;
    const response = fetch(url, { signal: client.signal }).catch((error: Error) => error.name);
    await once(events, "reached");
    const logged = once(events, "logged");
    client.abort();
    expect(await response).toBe("AbortError");
    expect(String(await logged)).toContain("broken off");
    await hanging.close();
  });

  it("hangs no longer than the store is open", async () => {
    const { hanging, events } = await startHangingStore();
    const response = fetch(`${hanging.endpoint}/${BUCKET}/faulty`).catch((error: Error) => error.message);
    await once(events, "reached");
    await hanging.close();
    expect(await response).toBe("fetch failed");
  });

  it("lets an upload crawl, and whole all the same", async () => {
    fault = { bytesPerSecond: 100_000 };
    const startedAt = performance.now();
    await put("x".repeat(20_000));
    expect(performance.now() - startedAt).toBeGreaterThan(150);
    fault = undefined;
    expect((await get()).body).toHaveLength(20_000);
  });

  it("breaks an upload after so many bytes, and stores nothing of it", async () => {
    await put("before");
    fault = { resetAfterBytes: 100_000 };
    const broken = sendRaw(
      store.endpoint,
      await signRaw(store.endpoint, {
        method: "PUT",
        path: `/${BUCKET}/faulty`,
        body: "x".repeat(200_000),
      }),
    );
    await expect(broken).rejects.toThrow(/hang up|ECONNRESET|EPIPE/);
    await put("shorter than that");
    fault = undefined;
    expect((await get()).body).toBe("shorter than that");
  });

  it("leaves out what a page needs to read the response", async () => {
    await put("body");
    expect((await get({ origin: ORIGIN })).headers["access-control-allow-origin"]).toBe(ORIGIN);
    fault = { withoutCors: true };
    const response = await get({ origin: ORIGIN });
    expect(response).toMatchObject({ status: 200, body: "body" });
    fault = { withoutCors: true, error: { status: 403, code: "SignatureDoesNotMatch" } };
    const refusal = await get({ origin: ORIGIN });
    expect(refusal).toMatchObject({ status: 403, code: "SignatureDoesNotMatch" });
    for (const { headers } of [response, refusal]) {
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  });

  it("refuses a preflight, or allows it nothing", async () => {
    expect(await preflight()).toMatchObject({ status: 200 });
    fault = { error: { status: 403, code: "AccessForbidden" } };
    expect(await preflight()).toMatchObject({ status: 403, code: "AccessForbidden" });
    fault = { withoutCors: true };
    const silent = await preflight();
    expect(silent.status).toBe(200);
    expect(silent.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("a clock that is off", () => {
  it("shows in the Date header and refuses what was signed by the right time", async () => {
    clockOffsetMs = 20 * MINUTE_MS;
    const response = await get();
    expect(response).toMatchObject({ status: 403, code: "RequestTimeTooSkewed" });
    const shown = Date.parse(response.headers.date ?? "") - Date.now();
    expect(Math.abs(shown - clockOffsetMs)).toBeLessThan(MINUTE_MS);
  });

  it("makes presigned URLs expired or not yet valid", async () => {
    await put("body");
    const command = new ListObjectsV2Command({ Bucket: BUCKET });
    const url = await getSignedUrl(store.client, command, { expiresIn: 300 });
    clockOffsetMs = 20 * MINUTE_MS;
    expect(await (await fetch(url)).text()).toContain("Request has expired");
    clockOffsetMs = -20 * MINUTE_MS;
    expect(await (await fetch(url)).text()).toContain("Request is not valid yet");
  });
});
