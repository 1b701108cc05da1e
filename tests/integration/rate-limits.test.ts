import { afterAll, afterEach, describe, expect, inject, it } from "vitest";
import { type BuiltApp, startBuiltApp } from "../support/built-app";
import { issueEmbedUrl, makeEmbedClient, postEmbedUrl } from "../support/embed-client";
import { query } from "../support/postgres";

const stack = inject("stack");
const apps: BuiltApp[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});
afterAll(() => query(stack.postgresUrl, "DELETE FROM rate_limits"));

async function start(settings: Record<string, string>): Promise<BuiltApp> {
  const app = await startBuiltApp(stack, { CLOUD_S3_FORCE_PATH_STYLE: "true", ...settings });
  apps.push(app);
  return app;
}

const issueAt = async (app: BuiltApp, apiKey: string, bucket: string) =>
  postEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, apiKey, { service: "files", scope: { bucket } });

const listAt = (app: BuiltApp, token: string, bucket: string) =>
  fetch(`${app.env.PLATFORM_BASE_URL}/api/embed/storage/list`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, bucket }),
  });

async function expectLimited(response: Response): Promise<void> {
  expect(response.status).toBe(429);
  const seconds = Number(response.headers.get("Retry-After"));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(await response.json()).toEqual({
    error: "There were too many requests. Wait a moment, then try again.",
    code: "rate_limited",
  });
}

describe("too many requests in a minute", () => {
  it("of one API key are refused, and another key goes on", async () => {
    const app = await start({ RATE_LIMIT_PER_KEY: "3" });
    const [busy, other] = [await makeEmbedClient(stack), await makeEmbedClient(stack)];
    for (let count = 0; count < 3; count++) {
      expect((await issueAt(app, busy.apiKey, busy.bucket)).status).toBe(200);
    }
    await expectLimited(await issueAt(app, busy.apiKey, busy.bucket));
    expect((await issueAt(app, other.apiKey, other.bucket)).status).toBe(200);
  });

  it("of one embed token are refused, by the endpoints and by the page", async () => {
    const app = await start({ RATE_LIMIT_PER_TOKEN: "2" });
    const client = await makeEmbedClient(stack);
    const [busy, other] = [
      await issueEmbedUrl(stack, client),
      await issueEmbedUrl(stack, client, { expiresInSeconds: 60 }),
    ];
    for (let count = 0; count < 2; count++) {
      expect((await listAt(app, busy.token, client.bucket)).status).toBe(200);
    }
    await expectLimited(await listAt(app, busy.token, client.bucket));
    expect((await listAt(app, other.token, client.bucket)).status).toBe(200);

    const page = await fetch(`${app.env.PLATFORM_BASE_URL}/embed/files?t=${busy.token}`, {
      headers: { Referer: `${stack.demoClient.origin}/` },
    });
    expect(page.status).toBe(429);
    expect(Number(page.headers.get("Retry-After"))).toBeGreaterThanOrEqual(1);
    expect(await page.text()).toContain("There were too many requests");
  });

  it("without a valid credential are refused by their caller's address, while valid ones from there go on", async () => {
    const app = await start({ RATE_LIMIT_PER_ADDRESS: "3" });
    const client = await makeEmbedClient(stack);
    const { token } = await issueEmbedUrl(stack, client);
    const guesses = [
      () => issueAt(app, "a-guess", client.bucket),
      () => listAt(app, `${token}x`, client.bucket),
      () => fetch(`${app.env.PLATFORM_BASE_URL}/embed/files?t=guess`),
    ];
    for (const guess of guesses) expect((await guess()).status).toBe(401);
    await expectLimited(await issueAt(app, "another-guess", client.bucket));
    await expectLimited(await listAt(app, `${token}y`, client.bucket));
    expect((await issueAt(app, client.apiKey, client.bucket)).status).toBe(200);
    expect((await listAt(app, token, client.bucket)).status).toBe(200);
    expect((await fetch(`${app.apiBaseUrl}/readyz`)).status).toBe(200);
  });

  it("are told apart by what a trusted proxy appended last, not by what a caller claims", async () => {
    const guessFrom = (app: BuiltApp, forwarded: string) =>
      fetch(`${app.apiBaseUrl}/api/embed/url`, {
        method: "POST",
        headers: { "X-Api-Key": "a-guess", "X-Forwarded-For": forwarded },
      });
    const trusting = await start({ RATE_LIMIT_PER_ADDRESS: "1", TRUST_PROXY: "true" });
    expect((await guessFrom(trusting, "10.0.0.1")).status).toBe(401);
    expect((await guessFrom(trusting, "10.0.0.2")).status).toBe(401);
    expect((await guessFrom(trusting, "10.0.0.9, 10.0.0.1")).status).toBe(429);
    const untrusting = await start({ RATE_LIMIT_PER_ADDRESS: "1" });
    expect((await guessFrom(untrusting, "10.0.0.1")).status).toBe(401);
    expect((await guessFrom(untrusting, "10.0.0.2")).status).toBe(429);
  });

  it("are counted over all processes with RATE_LIMIT_STORE=postgres, and no key is kept there", async () => {
    const settings = { RATE_LIMIT_PER_KEY: "4", RATE_LIMIT_STORE: "postgres" };
    const replicas = [await start(settings), await start(settings)];
    const client = await makeEmbedClient(stack);
    for (let count = 0; count < 4; count++) {
      const [app] = replicas.reverse();
      if (app) expect((await issueAt(app, client.apiKey, client.bucket)).status).toBe(200);
    }
    for (const app of replicas) await expectLimited(await issueAt(app, client.apiKey, client.bucket));
    const rows = await query(stack.postgresUrl, "SELECT key FROM rate_limits");
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(client.apiKey.slice(0, 12));
  });

  it("of endpoints that something in front guards count as a key's, not as a stranger's", async () => {
    const app = await start({
      RATE_LIMIT_PER_ADDRESS: "1",
      RATE_LIMIT_PER_KEY: "3",
      API_ALLOW_ANONYMOUS: "true",
    });
    const list = () => fetch(`${app.apiBaseUrl}/api/cluster/databases?companyId=nobody`);
    for (let count = 0; count < 3; count++) expect((await list()).status).toBe(404);
    await expectLimited(await list());
  });

  it("are not counted where the limit is 0", async () => {
    const app = await start({ RATE_LIMIT_PER_ADDRESS: "0", RATE_LIMIT_PER_KEY: "0" });
    for (let count = 0; count < 30; count++) expect((await issueAt(app, "a-guess", "b")).status).toBe(401);
  });
});
