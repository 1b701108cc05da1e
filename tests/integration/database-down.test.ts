import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BuiltApp, startBuiltApp } from "../support/built-app";
import { issueEmbedUrl, makeEmbedClient, postEmbedUrl, type TestEmbedClient } from "../support/embed-client";
import { Wire } from "../support/wire";

const stack = inject("stack");
let app: BuiltApp;
let wire: Wire;
let client: TestEmbedClient;

beforeAll(async () => {
  client = await makeEmbedClient(stack);
  wire = await Wire.to(stack.postgresUrl);
  app = await startBuiltApp(stack, {
    POSTGRES_URL: wire.over(stack.postgresUrl),
    POSTGRES_POOL_SIZE: "4",
    CLOUD_S3_FORCE_PATH_STYLE: "true",
  });
});
afterAll(async () => {
  await app?.close();
  await wire?.cut();
});

const issue = () =>
  postEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, client.apiKey, {
    service: "files",
    scope: { bucket: client.bucket },
  });
const ready = () => fetch(`${app.apiBaseUrl}/readyz`);

describe("while the database cannot be reached", () => {
  it("what needs it answers 503 with Retry-After, what does not goes on, and all is well once it is back", async () => {
    const { token } = await issueEmbedUrl(stack, client);
    expect((await issue()).status).toBe(200);

    await wire.cut();
    for (const answer of [await ready(), await issue()]) {
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
      const body = await answer.json();
      expect(body.code).toBe("unavailable");
      expect(body.error).not.toMatch(/127\.0\.0\.1|postgres|ECONN/i);
    }
    expect((await fetch(`${app.apiBaseUrl}/healthz`)).status).toBe(200);
    const listed = await fetch(`${app.env.PLATFORM_BASE_URL}/api/embed/storage/list`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket: client.bucket }),
    });
    expect(listed.status).toBe(200);

    await wire.restore();
    expect((await ready()).status).toBe(200);
    expect((await issue()).status).toBe(200);
  });
});

describe("while the database is silent, with every connection in use", () => {
  it("what needs it answers 503 in time, and all is well within 10 s of its return", async () => {
    // As many at once as there are connections, so that each of them is one that will go silent.
    await Promise.all(Array.from({ length: 8 }, issue));
    wire.silence();

    const timed = async (request: Promise<Response>) => {
      const started = performance.now();
      const { status } = await request;
      return { status, seconds: (performance.now() - started) / 1000 };
    };
    const answers = await Promise.all([...Array.from({ length: 12 }, issue), ready()].map(timed));
    const readiness = answers.at(-1);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
    expect(Math.max(...answers.map(({ seconds }) => seconds))).toBeLessThan(15);
    expect(readiness?.seconds).toBeLessThan(2);

    wire.restore();
    const returned = performance.now();
    let isReady = false;
    while (!isReady && performance.now() - returned < 10_000) isReady = (await ready()).ok;
    expect(isReady).toBe(true);
    // Not only the one connection that the check happened to use.
    const after = await Promise.all(Array.from({ length: 12 }, issue));
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 200));
  });

  it("connections that went silent while nobody used them are not handed out for long", async () => {
    await Promise.all(Array.from({ length: 8 }, issue));
    wire.silence();
    await wire.restore();
    const returned = performance.now();
    let last: Response[] = [];
    do last = await Promise.all(Array.from({ length: 4 }, issue));
    while (last.some(({ ok }) => !ok) && performance.now() - returned < 10_000);
    expect(last.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});
