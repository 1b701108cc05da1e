import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { client } from "../../app/commands/client";
import { createDatabase, isStatementTooSlow } from "../../app/providers/database.server";
import { sql } from "../../app/providers/sql.server";
import { startPostgres } from "../../local/postgres";
import { migrate, migrationStatus } from "../../prisma/migrate";
import { type BuiltApp, startBuiltApp } from "../support/app/built-app";
import { makeDatabase } from "../support/app/deployment";
import { runDoctor } from "../support/app/doctor";
import { postEmbedUrl } from "../support/app/embed-client";
import { runHere } from "../support/app/run-command";
import { hasPgBouncer, startPgBouncer, type TestPgBouncer } from "../support/databases/pgbouncer";
import { makeTestFolder, query } from "../support/databases/postgres";
import { findFreePort } from "../support/machine/free-port";
import { notInstalled } from "../support/machine/installed";

const stack = inject("stack");

describe("behind PgBouncer, as the guide configures it", () => {
  if (!hasPgBouncer()) {
    it("is not installed", notInstalled("pgbouncer"));
    return;
  }
  let bouncer: TestPgBouncer;
  let direct: string;
  let app: BuiltApp;
  beforeAll(async () => {
    direct = await makeDatabase(stack);
    bouncer = await startPgBouncer(direct);
  });
  afterAll(async () => {
    await app?.close();
    await bouncer?.stop();
  });

  it("migrations are refused, because their lock would stay; their status can be read", async () => {
    await expect(migrate(bouncer.url)).rejects.toThrow(/leads to PgBouncer.*the URL of PostgreSQL itself/);
    expect(await migrationStatus(bouncer.url)).toEqual({ pending: [], failed: [], edited: [], unknown: [] });
    expect(await migrate(direct)).toEqual([]);
  });

  it("a new client's key issues 200 URLs at once", async () => {
    const words = ["create", "--new-company", "Acme", "--name", "Portal", "--bucket", "acme-files", "--json"];
    const made = await runHere("client", client, [...words, "--origin", "https://acme.example"], {
      POSTGRES_URL: bouncer.url,
    });
    expect(made.stderr).toBe("");
    const { apiKey } = JSON.parse(made.stdout);

    app = await startBuiltApp(stack, { POSTGRES_URL: bouncer.url, POSTGRES_POOL_SIZE: "4" });
    const issue = () =>
      postEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, apiKey, {
        service: "files",
        scope: { bucket: "acme-files" },
      });
    const responses = await Promise.all(Array.from({ length: 200 }, issue));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const lines = app.outputSinceReady().split("\n");
    expect(lines.filter((line) => /"level":"(warn|error)"/.test(line))).toEqual([]);
    expect(app.output()).not.toContain("unsupported startup parameter");
  });

  it("a statement that takes too long is given up, and later ones work", async () => {
    const limits = {
      connectionMs: 1_000,
      statementMs: 200,
      queryMs: 250,
      transactionMs: 5_000,
      silenceMs: 400,
      pingMs: 200,
      stuckMs: 1_000,
    };
    const database = createDatabase({ url: bouncer.url, poolSize: 1, limits });
    try {
      await expect(database.$driverQuery(sql`SELECT pg_sleep(20)`)).rejects.toMatchObject({
        code: "unavailable",
      });
      await expect.poll(() => database.company.count().catch(() => -1), { timeout: 10_000 }).toBe(1);
    } finally {
      await database.$disconnect();
    }
  });

  it("a statement with a deadline of its own is ended by the server, and others keep theirs", async () => {
    const database = createDatabase({ url: bouncer.url, poolSize: 1 });
    try {
      const slow = database.$queryInTurn("c", sql`SELECT pg_sleep(20)`, undefined, { milliseconds: 50 });
      const error = await slow.catch((thrown: unknown) => thrown);
      expect(isStatementTooSlow(error)).toBe(true);
      const quick = database.$queryInTurn("c", sql`SELECT 1 AS one`, undefined, { milliseconds: 5_000 });
      expect(await quick).toEqual([{ one: 1 }]);
      const [{ statement_timeout: left } = {}] = await database.$driverQuery<{ statement_timeout?: string }>(
        sql`SHOW statement_timeout`,
      );
      expect(left).not.toBe("50ms");
    } finally {
      await database.$disconnect();
    }
  });

  it("the doctor finds nothing wrong with the database", async () => {
    const { findings } = await runDoctor(stack, bouncer.url, {}, ["--only", "database"]);
    expect(findings.filter(({ status }) => status === "error")).toEqual([]);
  });

  it("a query is answered seconds after PostgreSQL was stopped and started", async () => {
    const dataDir = await makeTestFolder();
    const start = async (port: number) => startPostgres({ dataDir, port, password: "test", throwaway: true });
    const port = await findFreePort();
    let postgres = await start(port);
    const pooled = await startPgBouncer(postgres.url);
    let isAnswered = false;
    try {
      await postgres.stop();
      query(pooled.url, "SELECT 1").then(
        () => {
          isAnswered = true;
        },
        () => {},
      );
      postgres = await start(port);
      // Less than PgBouncer waits by default before it connects again.
      await expect.poll(() => isAnswered, { timeout: 8_000 }).toBe(true);
    } finally {
      await pooled.stop();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
