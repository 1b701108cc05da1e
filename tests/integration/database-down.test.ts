import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { hashApiKey } from "../../app/embed/api-key.server";
import { createDatabase, type Database } from "../../app/providers/database.server";
import { sql } from "../../app/providers/sql.server";
import { type BuiltApp, startBuiltApp } from "../support/app/built-app";
import { addClient, makeDatabase, ORIGIN } from "../support/app/deployment";
import {
  issueEmbedUrl,
  makeEmbedClient,
  postEmbedUrl,
  type TestEmbedClient,
} from "../support/app/embed-client";
import { query } from "../support/databases/postgres";
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
    // Killed or cut off by the tests, it must not hold jobs of others.
    WORKER: "separate",
    POSTGRES_POOL_SIZE: "4",
    CLOUD_S3_FORCE_PATH_STYLE: "true",
  });
});
afterAll(async () => {
  await app?.close();
  await wire?.cut();
});

const issue = (
  { apiKey, bucket }: Pick<TestEmbedClient, "apiKey" | "bucket"> = client,
  { apiBaseUrl } = app,
) => postEmbedUrl({ ...stack, apiBaseUrl }, apiKey, { service: "files", scope: { bucket } });
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

describe("500 requests at once, each with a key of its own, with four connections", () => {
  const METRICS_TOKEN = "a-token-for-the-metrics";
  const keys = Array.from({ length: 500 }, (_, index) => `imported-key-${index}`);
  let url: string;
  let own: BuiltApp;
  beforeAll(async () => {
    url = await makeDatabase(stack);
    const id = await addClient(url, [client.bucket], [ORIGIN]);
    const copies = `INSERT INTO embed_clients (id, "companyId", name, api_key_hash, allowed_services, allowed_origins, allowed_scopes)
      SELECT hash, "companyId", name, hash, allowed_services, allowed_origins, allowed_scopes
      FROM embed_clients, unnest($2::text[]) AS hash WHERE id = $1`;
    await query(url, copies, [id, keys.map(hashApiKey)]);
    own = await startBuiltApp(stack, { POSTGRES_URL: url, POSTGRES_POOL_SIZE: "4", METRICS_TOKEN });
  });
  afterAll(() => own?.close());

  const askAll = (asked: string[]) => asked.map((apiKey) => issue({ apiKey, bucket: client.bucket }, own));
  const expectRefused = ({ status, headers }: Response) => {
    expect(status).toBe(503);
    expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
  };

  it("are answered, or refused with Retry-After", async () => {
    const answers = await Promise.all(askAll(keys));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeLessThan(answers.length);

    refused.forEach(expectRefused);
  });

  it("are refused with Retry-After while a table is locked, and answered again afterwards", async () => {
    const locker = new pg.Client(url);
    await locker.connect();
    await locker.query("BEGIN; LOCK TABLE embed_clients");
    try {
      // The app remembers the keys that it has found, and not unknown ones.
      (await Promise.all(askAll(keys.map((key) => `other-${key}`)))).forEach(expectRefused);
    } finally {
      await locker.end();
    }
    const metrics = await fetch(`${own.apiBaseUrl}/metrics`, {
      headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
    });
    expect(await metrics.text()).toMatch(/{provider="database",operation="query",outcome="pool_full"} [1-9]/);
    expect(own.output()).toMatch(/"\/api\/embed\/url".*all 4 connections of this process stayed in use/);
    expect((await issue({ apiKey: "other-key", bucket: client.bucket }, own)).status).toBe(401);
  });
});

it("further calls are refused before those that wait, when nobody gets a connection for a second", async () => {
  const url = await makeDatabase(stack);
  const database = createDatabase({ url, poolSize: 2 });
  const locker = new pg.Client(url);
  await locker.connect();
  try {
    await locker.query("BEGIN; LOCK TABLE embed_clients");
    const ask = () => database.$driverQuery(sql`SELECT id FROM embed_clients`);
    let ended = 0;
    const earlier = Array.from({ length: 4 }, () =>
      ask().catch(() => {
        ended++;
      }),
    );
    const refusals: unknown[] = [];
    const later: Promise<unknown>[] = [];
    await expect
      .poll(
        () => {
          later.push(ask().catch((error) => refusals.push(error)));
          return refusals.length;
        },
        { timeout: 10_000 },
      )
      .toBeGreaterThan(0);
    expect(refusals[0]).toMatchObject({ code: "unavailable", outcome: "pool_full", retryAfterSeconds: 1 });
    expect(ended).toBe(0);
    await locker.query("ROLLBACK");
    await Promise.all([...earlier, ...later]);
    expect(await ask()).toEqual([]);
  } finally {
    await locker.end();
    await database.$disconnect();
  }
});

it("a call is not refused because this process itself was busy while others waited", async () => {
  const limits = {
    connectionMs: 3_000,
    statementMs: 4_000,
    queryMs: 4_500,
    transactionMs: 5_000,
    silenceMs: 5_000,
    pingMs: 1_500,
    stuckMs: 100,
  };
  const database = createDatabase({ url: stack.postgresUrl, poolSize: 1, limits });
  const ask = (seconds: number) => database.$driverQuery(sql`SELECT pg_sleep(${seconds})`);
  try {
    await ask(0);
    const earlier = [ask(0.05), ask(0)];
    // The first statement is sent.
    await new Promise((resolve) => setImmediate(resolve));
    // Its response comes meanwhile, and nobody reads it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    await expect(ask(0)).resolves.toHaveLength(1);
    await Promise.all(earlier);
  } finally {
    await database.$disconnect();
  }
});

it("a statement that PostgreSQL ends for its time is unavailable, by Prisma and by the driver", async () => {
  const url = await makeDatabase(stack);
  const limits = {
    connectionMs: 3_000,
    statementMs: 200,
    queryMs: 4_500,
    transactionMs: 5_000,
    silenceMs: 5_000,
    pingMs: 1_500,
    stuckMs: 1_000,
  };
  const database = createDatabase({ url, poolSize: 2, limits });
  const locked = new pg.Client(url);
  await locked.connect();
  try {
    await locked.query("BEGIN; LOCK TABLE embed_clients");
    await expect(database.embedClient.count()).rejects.toMatchObject({ code: "unavailable" });
    await expect(database.$driverQuery(sql`SELECT id FROM embed_clients`)).rejects.toMatchObject({
      code: "unavailable",
    });
  } finally {
    await locked.end();
    await database.$disconnect();
  }
});

describe("a transaction", () => {
  let url: string;
  beforeAll(async () => {
    url = await makeDatabase(stack);
    await query(url, "INSERT INTO companies (id, name) VALUES ('one', 'One'), ('two', 'Two')");
  });
  const lock = (id: string) => `SELECT id FROM companies WHERE id = '${id}' FOR UPDATE`;

  it("that gets no connection in time is unavailable", async () => {
    const database = createDatabase({ url, poolSize: 1 });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    try {
      // Its statements would end by themselves. So it keeps its connection between two of them.
      const holding = database.$transaction(async (transaction) => {
        await transaction.company.count();
        await released;
      });
      const late = database.$transaction((transaction) => transaction.company.count());
      await expect(late).rejects.toMatchObject({
        code: "unavailable",
        outcome: "pool_full",
        retryAfterSeconds: 1,
      });
      release();
      await holding;
      expect(await database.$transaction((transaction) => transaction.company.count())).toBe(2);
    } finally {
      release();
      await database.$disconnect();
    }
  });

  it("that is not over in time is unavailable, and changes nothing", async () => {
    const limits = {
      connectionMs: 3_000,
      statementMs: 4_000,
      queryMs: 4_500,
      transactionMs: 200,
      silenceMs: 5_000,
      pingMs: 1_500,
      stuckMs: 1_000,
    };
    const database = createDatabase({ url, poolSize: 2, limits });
    try {
      const slow = database.$transaction(async (transaction) => {
        await transaction.company.updateMany({ data: { name: "changed" } });
        for (;;) await transaction.company.count();
      });
      await expect(slow).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 1 });
      expect(await database.company.count({ where: { name: "changed" } })).toBe(0);
    } finally {
      await database.$disconnect();
    }
  });

  it("that cannot reach the server is unavailable", async () => {
    const line = await Wire.to(url);
    await line.cut();
    const database = createDatabase({ url: line.over(url), poolSize: 1 });
    try {
      const begun = database.$transaction((transaction) => transaction.company.count());
      await expect(begun).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 5 });
    } finally {
      await database.$disconnect();
    }
  });

  it("that PostgreSQL ends because of another one is unavailable: a deadlock, a failure to serialize", async () => {
    const database = createDatabase({ url, poolSize: 2 });
    const other = new pg.Client(url);
    await other.connect();
    try {
      // The other one waits longer before it looks for a deadlock, so PostgreSQL ends this one.
      await other.query("BEGIN");
      await other.query("SET LOCAL deadlock_timeout = '1min'");
      await other.query(lock("one"));
      const deadlocked = database.$transaction(async (transaction) => {
        await transaction.$queryRawUnsafe(lock("two"));
        const otherWaits = other.query(lock("two"));
        await Promise.all([transaction.$queryRawUnsafe(lock("one")), otherWaits]);
      });
      const busy = { code: "unavailable", retryAfterSeconds: 1, logDetail: expect.stringMatching(/./) };
      await expect(deadlocked).rejects.toMatchObject(busy);
      await other.query("ROLLBACK");

      const serializable = database.$transaction(async (transaction) => {
        await transaction.$executeRaw`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`;
        await transaction.company.count();
        await query(url, "UPDATE companies SET name = 'another' WHERE id = 'one'");
        await transaction.company.update({ where: { id: "one" }, data: { name: "changed" } });
      });
      await expect(serializable).rejects.toMatchObject(busy);
    } finally {
      await other.end();
      await database.$disconnect();
    }
  });
});

it("a statement of the driver that PostgreSQL ends because of a deadlock is unavailable", async () => {
  const url = await makeDatabase(stack);
  await query(url, "INSERT INTO companies (id, name) VALUES ('one', 'One'), ('two', 'Two')");
  // Each statement changes its first row, and the second one when the other statement has its own.
  await query(
    url,
    `CREATE SEQUENCE begun;
    CREATE FUNCTION wait_for_other() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
      PERFORM nextval('begun');
      WHILE (SELECT last_value FROM begun) < 2 LOOP PERFORM pg_sleep(0.01); END LOOP;
    END $$`,
  );
  const change = (first: string, second: string) =>
    sql`WITH one AS (UPDATE companies SET name = 'x' WHERE id = ${first} RETURNING wait_for_other()),
      two AS (UPDATE companies SET name = 'x' WHERE id = ${second} AND EXISTS (SELECT FROM one) RETURNING 1)
      SELECT FROM two`;
  const database = createDatabase({ url, poolSize: 2 });
  try {
    const ended = await Promise.allSettled([
      database.$driverQuery(change("one", "two")),
      database.$driverQuery(change("two", "one")),
    ]);
    expect(ended).toContainEqual({
      status: "rejected",
      reason: expect.objectContaining({ code: "unavailable", retryAfterSeconds: 1 }),
    });
  } finally {
    await database.$disconnect();
  }
});

it("a server that is read-only since a failover is unavailable for writes, and its connections are replaced", async () => {
  const url = await makeDatabase(stack);
  const name = new URL(url).pathname.slice(1);
  const database = createDatabase({ url, poolSize: 1 });
  const write = () => database.idempotencyKey.deleteMany();
  const writeByDriver = () => database.$driverQuery(sql`DELETE FROM idempotency_keys`);
  const setReadOnly = async (value: "on" | "off") => {
    const admin = new pg.Client(url);
    await admin.connect();
    try {
      await admin.query("SET default_transaction_read_only = off");
      await admin.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = ${value}`);
    } finally {
      await admin.end();
    }
  };
  try {
    await setReadOnly("on");
    expect(await database.embedClient.count()).toBe(0);
    await expect(writeByDriver()).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 5 });
    await expect(write()).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 5 });
    // Only new connections follow this setting, as only new connections lead to another primary.
    await setReadOnly("off");
    await expect(write()).resolves.toEqual({ count: 0 });
    await expect(writeByDriver()).resolves.toEqual([]);
  } finally {
    await database.$disconnect();
  }
});

it.each<[string, (database: Database) => Promise<unknown>, string]>([
  ["a statement", (database) => database.$driverQuery(sql`SELECT pg_sleep(2) AS lost_1`), "%lost_1"],
  ["a turn", (database) => database.$queryInTurn("c", sql`SELECT pg_sleep(2) AS lost_2`), "%lost_2"],
  [
    "a statement with a deadline",
    (database) =>
      database.$queryInTurn("c", sql`SELECT pg_sleep(2) AS lost_3`, undefined, { milliseconds: 3_000 }),
    "%lost_3",
  ],
])(
  "a connection that is lost during %s is unavailable, and does not end the process",
  async (_, run, text) => {
    const line = await Wire.to(stack.postgresUrl);
    const database = createDatabase({ url: line.over(stack.postgresUrl), poolSize: 1 });
    const uncaught: unknown[] = [];
    const note = (error: unknown) => void uncaught.push(error);
    process.on("uncaughtException", note);
    try {
      const failed = expect(run(database)).rejects.toMatchObject({ code: "unavailable" });
      const running = "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1";
      await expect.poll(() => query(stack.postgresUrl, running, [text])).toHaveLength(1);
      await line.cut();
      await failed;
      expect(uncaught).toEqual([]);
      await line.restore();
      await expect(database.$driverQuery(sql`SELECT 1`)).resolves.toHaveLength(1);
    } finally {
      process.off("uncaughtException", note);
      await line.cut();
      await database.$disconnect();
    }
  },
);

describe("while the database is silent, with every connection in use", () => {
  /** A twentieth of the service's time limits, in the same order. */
  const limits = {
    connectionMs: 150,
    stuckMs: 50,
    statementMs: 200,
    queryMs: 225,
    transactionMs: 250,
    silenceMs: 250,
    pingMs: 250,
  };
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
  const askByDriver = () => database.$driverQuery(sql`SELECT 1`);
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
