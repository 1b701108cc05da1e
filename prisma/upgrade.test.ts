/**
 * Upgrading while an earlier version still runs. Of 0.1.0: its statements, recorded from its own code, work in its database after that has been
 * migrated to this version, and each version reads what the other wrote. docs/guide/upgrading.md
 */
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claimJob } from "../app/campaigns/job-claims.server";
import { findClusterDatabase, listClusterDatabases } from "../app/databases/find-cluster-databases.server";
import { beginAttempt } from "../app/databases/reservation.server";
import { hashApiKey } from "../app/embed/api-key.server";
import { EmbedClients } from "../app/embed/embed-clients.server";
import { createEmbedClient, listEmbedClients } from "../app/embed/manage-embed-clients.server";
import { createDatabase, type Database } from "../app/providers/database.server";
import { services } from "../app/services/registry.server";
import {
  makeTestFolder,
  query,
  startTestPostgres,
  type TestPostgres,
} from "../tests/support/databases/postgres";
import { migrate } from "./migrate";
import { migrationsFolder, readMigrations } from "./migration-history";
import recording from "./releases/0.1.0.json" with { type: "json" };

/** A statement of the release, with what it returned there. */
interface Statement {
  /** the function that sent it */
  of: string;
  text: string;
  values: unknown[];
  /** null for statements that return no count, such as BEGIN */
  rows: number | null;
  columns: string[];
}
const before: Statement[] = recording.before;
const after: Statement[] = recording.after;

let postgres: TestPostgres;
let folder: string;
let url: string;
let database: Database;
let rowsBefore: Awaited<ReturnType<typeof allRows>>;

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  folder = await makeTestFolder();
  for (const name of [...recording.migrations, "migration_lock.toml"])
    await cp(join(migrationsFolder, name), join(folder, name), { recursive: true });
  await migrate(url, folder);
  expect(await replay(before)).toEqual(before.map(outcomeOf));
  rowsBefore = await allRows();
  await migrate(url);
  database = createDatabase({ url, poolSize: 2 });
});
afterAll(async () => {
  await database?.$disconnect();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

const outcomeOf = ({ of, text, rows, columns }: Statement) => ({ of, text, rows, columns });

/** Sends statements on one connection, and returns what each did. */
async function replay(statements: Statement[]) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const outcomes: ReturnType<typeof outcomeOf>[] = [];
    for (const { of, text, values } of statements) {
      const { rowCount, fields } = await client.query(text, values);
      outcomes.push({ of, text, rows: rowCount, columns: fields.map(({ name }) => name) });
    }
    return outcomes;
  } finally {
    await client.end();
  }
}

/** The rows of the release's tables, with the columns that it has. */
async function allRows() {
  const tables = ["companies", "embed_clients", "client_resources", "email_deliveries"];
  const rows = tables.map(
    async (table): Promise<[string, object[]]> => [
      table,
      await query(url, `SELECT * FROM ${table} ORDER BY 1, 2`),
    ],
  );
  return Object.fromEntries(await Promise.all(rows));
}

/** The first statement of `of` in the recording, with other values. */
const statementOf = (of: string, values: unknown[], start = "") => {
  const found = after.find((one) => one.of === of && one.text.startsWith(start));
  if (found === undefined) throw new Error(`The recording has no statement of ${of}.`);
  return query<Record<string, unknown>>(url, found.text, values);
};

describe("a database of 0.1.0 that is migrated to this version", () => {
  it("keeps every row and every column of it", async () => {
    const now = await allRows();
    for (const [table, rows] of Object.entries(rowsBefore)) {
      expect(rows.length).toBeGreaterThan(0);
      expect(now[table]).toEqual(rows.map((row) => expect.objectContaining(row)));
    }
  });

  it("serves this version: clients, databases and sent e-mails are there", async () => {
    const clients = await listEmbedClients(database);
    expect(clients.map(({ name, expiresAt }) => [name, expiresAt])).toEqual([
      ["portal", null],
      ["shop", null],
    ]);
    const companyId = clients[0]?.companyId ?? "";
    const { databases } = await listClusterDatabases(database, { companyId });
    expect(databases.map(({ name, status }) => [name, status]).sort()).toEqual([
      ["active_before", "active"],
      ["waiting_before", "pending"],
    ]);
    const waiting = databases.find(({ name }) => name === "waiting_before");
    expect(waiting?.metadata).toMatchObject({ creation: { unconfirmedAttempts: 1 } });
    const job = { campaignId: "spring", recipient: "sent-before@example.com" };
    expect(await claimJob(database, job)).toEqual({ state: "sent", messageId: "message-1" });
  });

  it("serves processes of 0.1.0, too: every statement of theirs does what it did", async () => {
    expect(await replay(after)).toEqual(after.map(outcomeOf));
  });
});

describe("this version and 0.1.0 side by side", () => {
  it("an API key that this version makes is found by 0.1.0, and the other way round", async () => {
    const client = {
      company: { name: "Contoso" },
      name: "made by this version",
      services: ["files"],
      origins: ["https://contoso.example"],
      policies: { files: { buckets: ["contoso"] } },
    };
    const { id, apiKey } = await createEmbedClient(database, client, services);
    expect(await statementOf("findEmbedClient", [hashApiKey(apiKey)])).toMatchObject([{ id }]);

    const theirs = "a key that 0.1.0 has made";
    await query(
      url,
      "UPDATE embed_clients SET api_key_hash = $1 WHERE name = 'portal' AND \"companyId\" = $2",
      [hashApiKey(theirs), after.find(({ of }) => of === "requireCompany")?.values[0]],
    );
    expect(await new EmbedClients(database).find(theirs)).toMatchObject({ allowedServices: ["files"] });
  });

  it("a database that one has begun is continued by the other", async () => {
    const id = String(
      after.find(({ of, text }) => of === "beginAttempt" && text.startsWith("UPDATE"))?.values[1],
    );
    await query(url, "UPDATE client_resources SET status = 'pending' WHERE id = $1", [id]);
    expect(await beginAttempt(database, id, "arn:cluster")).toBe(true);
    await statementOf("activate", [id], "UPDATE");
    expect(await findClusterDatabase(database, id)).toMatchObject({ status: "active" });
  });

  it("an e-mail that either has claimed or sent is not sent by the other", async () => {
    const job = { campaignId: "spring", recipient: "both@example.com" };
    expect(await claimJob(database, job)).toMatchObject({ state: "claimed" });
    const theirs = (recipient: string) => {
      const [claim, read] = ["INSERT", "SELECT"].map((start) =>
        after.find(({ of, text }) => of === "claimDelivery, repeated" && text.startsWith(start)),
      );
      const values = (statement: Statement | undefined) =>
        statement?.values.map((value) => (value === "sent-after@example.com" ? recipient : value)) ?? [];
      return Promise.all([
        query(url, `${claim?.text} RETURNING status`, values(claim)),
        query<{ status: string }>(url, read?.text ?? "", values(read)),
      ]);
    };
    expect(await theirs("both@example.com")).toMatchObject([[], [{ status: "claimed" }]]);
    // 0.1.0 does not know this state. It takes it for a claim, and the queue delivers the job again later.
    await claimJob(database, { ...job, recipient: "suppressed@example.com" }, true);
    expect(await theirs("suppressed@example.com")).toMatchObject([[], [{ status: "suppressed" }]]);
    expect(await claimJob(database, { ...job, recipient: "sent-after@example.com" })).toMatchObject({
      state: "sent",
    });
    expect(await claimJob(database, { ...job, recipient: "claimed-after@example.com" })).toMatchObject({
      state: "claimedByAnother",
    });
  });
});

/** The last migration that a database of 0.2.0 has. */
const LAST_OF_0_2_0 = "20261122050200_validate_suppressed_deliveries";

/** Columns that may be null, which no statement of 0.2.0 names. */
const NEW_COLUMNS = [{ table: "embed_clients", part: "key_replaced_at timestamp YES" }];

/**
 * Columns that got a default, and lists that may no longer be null. Each statement of 0.2.0 that inserts a row names them, and none writes a null.
 */
const COMPLETED_COLUMNS: Record<string, string[]> = {
  embed_clients: ["id", "name", "api_key_hash", "allowed_services", "allowed_origins"],
  client_resources: ["id", "resource_type", "status"],
};
/** What no statement of 0.2.0 writes. */
const NEW_CHECKS = /_id_is_not_empty |_have_no_null | NOT NULL allowed_/;

it("the migrations since 0.2.0 change no table that it uses but for new columns and what completes rows, so its statements do what they did", async () => {
  const own = await postgres.createDatabase();
  const older = await makeTestFolder();
  try {
    for (const { name } of await readMigrations(migrationsFolder))
      if (name <= LAST_OF_0_2_0)
        await cp(join(migrationsFolder, name), join(older, name), { recursive: true });
    await cp(join(migrationsFolder, "migration_lock.toml"), join(older, "migration_lock.toml"));
    await migrate(own, older);
    const before = await describeTables(own);
    expect(before.map(({ table }) => table)).toContain("embed_clients");
    await migrate(own);
    const tables = new Set(before.map(({ table }) => table));
    const after = await describeTables(own);
    expect(after.length).toBeGreaterThan(before.length);
    const isNew = ({ table, part }: (typeof after)[number]) =>
      NEW_COLUMNS.some((column) => column.table === table && column.part === part);
    expect(after.filter(isNew)).toEqual(NEW_COLUMNS);
    const isCompleted = ({ table, part }: (typeof after)[number]) =>
      COMPLETED_COLUMNS[table]?.some((column) => part.startsWith(`${column} `)) || NEW_CHECKS.test(part);
    const isSame = (one: (typeof after)[number]) => tables.has(one.table) && !isNew(one) && !isCompleted(one);
    expect(after.filter(isSame)).toEqual(before.filter((one) => !isCompleted(one)));
  } finally {
    await rm(older, { recursive: true, force: true });
  }
});

/** Columns, constraints, indexes and triggers of every table, one row each. */
const describeTables = (of: string) =>
  query<{ table: string; part: string }>(
    of,
    `SELECT table_name AS "table", concat_ws(' ', column_name, udt_name, is_nullable, column_default) AS part
       FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'
     UNION ALL SELECT relname, concat_ws(' ', conname, pg_get_constraintdef(c.oid)) FROM pg_constraint c
       JOIN pg_class ON pg_class.oid = conrelid WHERE connamespace = 'public'::regnamespace AND relname <> '_prisma_migrations'
     UNION ALL SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'
     UNION ALL SELECT relname, pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class ON pg_class.oid = tgrelid WHERE NOT tgisinternal
     ORDER BY 1, 2`,
  );
