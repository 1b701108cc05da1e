import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { createDatabase, type Database } from "../../app/providers/database.server";
import { type BuiltApp, startBuiltApp } from "../support/app/built-app";
import { makeDatabase } from "../support/app/deployment";
import {
  issueEmbedUrl,
  makeEmbedClient,
  postEmbedUrl,
  type TestEmbedClient,
} from "../support/app/embed-client";
import { Wire } from "../support/network/wire";

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

const issue = ({ apiKey, bucket } = client) =>
  postEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, apiKey, { service: "files", scope: { bucket } });
const ready = () => fetch(`${app.apiBaseUrl}/readyz`);

describe("while the database cannot be reached", () => {
  it("endpoints that need it respond with 503 and Retry-After, others work, and all recover once it is back", async () => {
    const { token } = await issueEmbedUrl(stack, client);
    expect((await issue()).status).toBe(200);
    const other = await makeEmbedClient(stack);

    await wire.cut();
    // The app remembers keys that it has just looked up.
    expect((await issue()).status).toBe(200);
    for (const answer of [await ready(), await issue(other)]) {
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

    // The log names the failing provider and the command that checks it.
    expect(app.output()).toMatch(/"\/api\/embed\/url".*The database: .*doctor -- --only database/);

    await wire.restore();
    expect((await ready()).status).toBe(200);
    expect((await issue(other)).status).toBe(200);
  });
});

it("answers 500 requests for a URL at once, with four connections to the database", async () => {
  const fresh = await makeEmbedClient(stack);
  const answers = await Promise.all(Array.from({ length: 500 }, () => issue(fresh)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

it("a statement that PostgreSQL ends for its time is unavailable, by Prisma and by the driver", async () => {
  const url = await makeDatabase(stack);
  const limits = { connectionMs: 3_000, statementMs: 200, queryMs: 4_500, silenceMs: 5_000, pingMs: 1_500 };
  const database = createDatabase({ url, poolSize: 2, limits });
  const locked = new pg.Client(url);
  await locked.connect();
  try {
    await locked.query("BEGIN; LOCK TABLE embed_clients");
    await expect(database.embedClient.count()).rejects.toMatchObject({ code: "unavailable" });
    await expect(database.$driverQuery("SELECT id FROM embed_clients", [])).rejects.toMatchObject({
      code: "unavailable",
    });
  } finally {
    await locked.end();
    await database.$disconnect();
  }
});

describe("while the database is silent, with every connection in use", () => {
  /** A twentieth of the service's time limits, in the same order. */
  const limits = { connectionMs: 150, statementMs: 200, queryMs: 225, silenceMs: 250, pingMs: 250 };
  const CONNECTIONS = 4;
  let database: Database;
  let line: Wire;
  beforeEach(async () => {
    line = await Wire.to(stack.postgresUrl);
    database = createDatabase({ url: line.over(stack.postgresUrl), poolSize: CONNECTIONS, limits });
    // As many concurrent calls as connections, so that every connection is open before they go silent.
    await askOften(2 * CONNECTIONS);
    line.silence();
  });
  afterEach(async () => {
    await line.cut();
    await database.$disconnect();
  });

  const ask = () => database.embedClient.count({ where: { id: client.id } });
  const askByDriver = () => database.$driverQuery("SELECT 1", []);
  /** Makes half of the calls with Prisma and half with the driver. Returns the error codes of failed calls. */
  const askOften = (times: number) =>
    Promise.all(
      Array.from({ length: times }, (_, index) =>
        (index % 2 === 0 ? ask() : askByDriver()).then(
          () => "answered",
          (error: { code?: string }) => error.code,
        ),
      ),
    );
  const untilAllAnswer = () =>
    expect
      .poll(() => askOften(3 * CONNECTIONS), { timeout: 10_000 })
      .toEqual(Array(3 * CONNECTIONS).fill("answered"));

  it("a call that waits for a connection is told apart from an unreachable database", async () => {
    const waiting = Promise.all(Array.from({ length: CONNECTIONS }, askByDriver)).catch(() => {});
    await expect(askByDriver()).rejects.toMatchObject({
      code: "unavailable",
      outcome: "pool_full",
      retryAfterSeconds: 1,
      logDetail: expect.stringContaining(`all ${CONNECTIONS} connections`),
    });
    await expect(ask()).rejects.toMatchObject({ code: "unavailable" });
    await waiting;
  });

  it("calls are refused at once, before those that wait, when very many wait already", async () => {
    let ended = 0;
    const running = Array.from({ length: CONNECTIONS * 200 }, () =>
      askByDriver().catch(() => {
        ended++;
      }),
    );
    await expect(askByDriver()).rejects.toMatchObject({ outcome: "pool_full", retryAfterSeconds: 1 });
    expect(ended).toBe(0);
    await Promise.all(running);
  });

  it("every call fails as unavailable, and calls work again soon after it is back", async () => {
    expect(await askOften(3 * CONNECTIONS)).toEqual(Array(3 * CONNECTIONS).fill("unavailable"));
    await expect(database.$ping()).rejects.toMatchObject({ code: "unavailable" });
    await line.restore();
    await untilAllAnswer();
    await expect.poll(() => database.$ping().then(() => "answered", String)).toBe("answered");
  });

  it("idle connections that went silent are soon replaced", async () => {
    await line.restore();
    await untilAllAnswer();
  });
});
