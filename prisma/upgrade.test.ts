/**
 * Upgrading while the version before still runs. The next version is played by the migrations below: they do what a migration may do, and this
 * version's processes go on working over the connections that they have. docs/guide/upgrading.md
 */
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claimJob } from "../app/campaigns/send-campaign-email.server";
import { findClusterDatabase } from "../app/databases/find-databases.server";
import { activate, beginAttempt } from "../app/databases/reservation.server";
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

/** The migrations of a next version, by name. Each may run again after any end. */
const NEXT = {
  "29990101000000_add": `
    SET lock_timeout = '3s';
    ALTER TABLE embed_clients ADD COLUMN IF NOT EXISTS seats INTEGER NOT NULL DEFAULT 1, ADD COLUMN IF NOT EXISTS note TEXT;
    ALTER TABLE client_resources ADD COLUMN IF NOT EXISTS note TEXT;
    ALTER TABLE email_deliveries
      ADD COLUMN IF NOT EXISTS note TEXT,
      DROP CONSTRAINT IF EXISTS email_deliveries_status_check,
      ADD CONSTRAINT email_deliveries_status_check CHECK (status IN ('claimed', 'sent', 'suppressed', 'postponed')) NOT VALID;
    CREATE TABLE IF NOT EXISTS links (id TEXT PRIMARY KEY);
    RESET lock_timeout;`,
  "29990101000100_validate": "ALTER TABLE email_deliveries VALIDATE CONSTRAINT email_deliveries_status_check",
  "29990101000200_index": `CREATE INDEX CONCURRENTLY "events_request_id_idx" ON "events" ("request_id")`,
};

let postgres: TestPostgres;
const folders: string[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(async () => {
  await postgres?.stop();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

/** The migrations of this version, and others after them. */
async function migrationsAnd(others: Record<string, string>): Promise<string> {
  const folder = await makeTestFolder();
  folders.push(folder);
  await cp(migrationsFolder, folder, { recursive: true });
  for (const [name, sql] of Object.entries(others)) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "migration.sql"), sql);
  }
  return folder;
}

describe("processes of this version, after the database was migrated to the next one", () => {
  let url: string;
  let database: Database;
  let clientId: string;
  let apiKey: string;
  const job = (recipient: string) => ({ campaignId: "spring", recipient: `${recipient}@example.com` });
  const newClient = (name: string) =>
    createEmbedClient(
      database,
      {
        company: { name },
        name,
        services: ["files"],
        origins: ["https://contoso.example"],
        policies: { files: { buckets: ["contoso"] } },
      },
      services,
    );
  const insertDatabase = (id: string, column = "", value = "") =>
    query(
      url,
      `INSERT INTO client_resources (id, "companyId", name, region, external_id, cluster_ref ${column})
         SELECT '${id}', id, '${id}', 'ca-central-1', '${id}', 'arn:cluster' ${value} FROM companies LIMIT 1`,
    );

  beforeAll(async () => {
    url = await postgres.createDatabase();
    await migrate(url);
    // One connection, so that what follows runs where the statements were prepared before.
    database = createDatabase({ url, poolSize: 1 });
    ({ id: clientId, apiKey } = await newClient("before"));
    await insertDatabase("orders");
    expect(await beginAttempt(database, "orders", "arn:cluster")).toBe(true);
    expect(await claimJob(database, job("before"))).toMatchObject({ state: "claimed" });
    expect(await new EmbedClients(database).find(apiKey)).toMatchObject({ id: clientId });
    expect(await findClusterDatabase(database, "orders")).toMatchObject({ status: "pending" });
    await migrate(url, await migrationsAnd(NEXT));
  });
  afterAll(() => database?.$disconnect());

  it("find and make API keys", async () => {
    expect(await new EmbedClients(database).find(apiKey)).toMatchObject({ id: clientId });
    const { id, apiKey: second } = await newClient("after");
    expect(await new EmbedClients(database).find(second)).toMatchObject({ id });
    expect((await listEmbedClients(database)).map(({ name }) => name).sort()).toEqual(["after", "before"]);
  });

  it("finish the creation of a database, also one that the next version has begun", async () => {
    await insertDatabase("by_next", ", note, creation_attempts", ", 'a note', 1");
    for (const id of ["orders", "by_next"]) {
      await activate(database, id, undefined);
      expect(await findClusterDatabase(database, id)).toMatchObject({ status: "active" });
    }
  });

  it("send no e-mail that the next version has sent or claimed, even in a state that they do not know", async () => {
    await query(
      url,
      `INSERT INTO email_deliveries (campaign_id, recipient, status, claim_id, claimed_at, message_id, note) VALUES
         ('spring', 'sent@example.com', 'sent', 'c', now(), 'message-1', ''),
         ('spring', 'claimed@example.com', 'claimed', 'c', now(), NULL, ''),
         ('spring', 'postponed@example.com', 'postponed', 'c', now(), NULL, '')`,
    );
    expect(await claimJob(database, job("sent"))).toEqual({ state: "sent", messageId: "message-1" });
    for (const recipient of ["claimed", "postponed", "before"])
      expect(await claimJob(database, job(recipient))).toMatchObject({ state: "claimedByAnother" });
    expect(await claimJob(database, job("new"))).toMatchObject({ state: "claimed" });
  });
});

/** Columns, constraints, indexes and triggers of every table, one text each. What only a later version needs is left out. */
async function describeTables(url: string): Promise<string[]> {
  const rows = await query<{ text: string }>(
    url,
    `SELECT concat_ws(' ', table_name, column_name, udt_name, is_nullable, column_default) AS text
       FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'
     UNION ALL SELECT concat_ws(' ', relname, conname, pg_get_constraintdef(c.oid)) FROM pg_constraint c
       JOIN pg_class ON pg_class.oid = conrelid
       WHERE connamespace = 'public'::regnamespace AND contype NOT IN ('c', 'n') AND relname <> '_prisma_migrations'
     UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'
     UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
     ORDER BY 1`,
  );
  return rows.map(({ text }) => text);
}

/** What the last migrations of a folder take away from the tables that the first `count` make. */
async function takenAway(folder: string, count: number): Promise<string[]> {
  const url = await postgres.createDatabase();
  const first = await makeTestFolder();
  folders.push(first);
  for (const { name } of (await readMigrations(folder)).slice(0, count))
    await cp(join(folder, name), join(first, name), { recursive: true });
  await migrate(url, first);
  const before = await describeTables(url);
  await migrate(url, folder);
  const after = new Set(await describeTables(url));
  return before.filter((part) => !after.has(part));
}

describe("a migration", () => {
  it.each([
    ["renames a column", "ALTER TABLE embed_clients RENAME name TO title", "embed_clients name"],
    ["drops a table", "DROP TABLE stopped_campaigns", "stopped_campaigns"],
    ["makes a column required", "ALTER TABLE events ALTER bucket SET NOT NULL", "events bucket"],
  ])("that %s is noticed", async (_, sql, part) => {
    const folder = await migrationsAnd({ "29990101000000_break": sql });
    const { length } = await readMigrations(migrationsFolder);
    expect(await takenAway(folder, length)).toEqual(expect.arrayContaining([expect.stringContaining(part)]));
  });

  it("after the first one only adds", async () => {
    expect(await takenAway(migrationsFolder, 1)).toEqual([]);
    expect(await takenAway(await migrationsAnd(NEXT), 1)).toEqual([]);
  });
});
