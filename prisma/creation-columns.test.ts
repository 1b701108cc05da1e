/**
 * The migration that gives the state of a creation columns of its own, on a table with records, and with processes of the
 * version before still at work: their statements are here word for word.
 */
import { cp, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { activate, beginAttempt, failAttempt, withdraw } from "../app/databases/reservation.server";
import { createDatabase, type Database } from "../app/providers/database.server";
import {
  makeTestFolder,
  query,
  startTestPostgres,
  type TestPostgres,
} from "../tests/support/databases/postgres";
import { migrate } from "./migrate";
import { migrationsFolder } from "./migration-history";

const FIRST_OF_COLUMNS = "20261122000000";
const CLUSTER = "arn:cluster";

let postgres: TestPostgres;
let url: string;
let database: Database;
let folder: string;

/** The version before: the statements of its reservation.server.ts. */
const before = {
  beginAttempt: (id: string) =>
    query(
      url,
      `UPDATE client_resources SET
         metadata = metadata || jsonb_build_object('creation',
           coalesce(metadata -> 'creation', '{}') || jsonb_build_object(
             'unconfirmedAttempts', coalesce((metadata #>> '{creation,unconfirmedAttempts}')::int, 0) + 1,
             'lastAttemptAt', $2::text)),
         "updatedAt" = now() AT TIME ZONE 'UTC'
       WHERE id = $1 AND status = 'pending' AND cluster_ref = $3`,
      [id, new Date().toISOString(), CLUSTER],
    ),
  failAttempt: async (id: string) => {
    await query(
      url,
      `UPDATE client_resources SET
         metadata = jsonb_set(metadata, '{creation,unconfirmedAttempts}',
           to_jsonb(coalesce((metadata #>> '{creation,unconfirmedAttempts}')::int, 1) - 1)),
         "updatedAt" = now() AT TIME ZONE 'UTC'
       WHERE id = $1 AND status = 'pending'`,
      [id],
    );
    await before.withdraw(id);
  },
  withdraw: async (id: string) => {
    await query(
      url,
      `DELETE FROM client_resources
       WHERE id = $1 AND status = 'pending'
         AND coalesce((metadata #>> '{creation,unconfirmedAttempts}')::int, 0) = 0
         AND NOT coalesce((metadata #>> '{creation,recorded}')::boolean, false)`,
      [id],
    );
    await query(
      url,
      `UPDATE client_resources SET
         cluster_ref = NULL, metadata = metadata - 'creation', "updatedAt" = now() AT TIME ZONE 'UTC'
       WHERE id = $1 AND status = 'pending'
         AND coalesce((metadata #>> '{creation,unconfirmedAttempts}')::int, 0) = 0`,
      [id],
    );
  },
  activate: (id: string) =>
    query(
      url,
      `UPDATE client_resources SET
         status = 'active', metadata = metadata - 'creation', "updatedAt" = now() AT TIME ZONE 'UTC'
       WHERE id = $1 AND status = 'pending'`,
      [id],
    ),
};
const insert = (
  id: string,
  metadata: unknown,
  { clusterRef = CLUSTER as string | null, status = "pending" } = {},
) =>
  query(
    url,
    `INSERT INTO client_resources (id, "companyId", resource_type, name, region, status, external_id, cluster_ref, metadata)
     VALUES ($1, 'co', 'cluster_database', $1, 'ca-central-1', $4, $1, $2, $3)`,
    [id, clusterRef, JSON.stringify(metadata), status],
  );
const state = async (id: string) => {
  const [row] = await query<{ metadata: object }>(
    url,
    `SELECT status, cluster_ref, creation_attempts AS attempts, creation_announced AS announced,
       to_char(creation_attempted_at, 'YYYY-MM-DD HH24:MI:SS.MS') AS at, metadata
     FROM client_resources WHERE id = $1`,
    [id],
  );
  return row;
};

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  folder = await makeTestFolder();
  for (const name of await readdir(migrationsFolder)) {
    if (name < FIRST_OF_COLUMNS)
      await cp(join(migrationsFolder, name), join(folder, name), { recursive: true });
  }
  await cp(join(migrationsFolder, "migration_lock.toml"), join(folder, "migration_lock.toml"));
  await migrate(url, folder);
  await query(url, "INSERT INTO companies VALUES ('co', 'Northwind')");
  const lastAttemptAt = "2026-11-20T10:20:30.456Z";
  await insert("tried", {
    plan: "gold",
    creation: { unconfirmedAttempts: 2, lastAttemptAt, recorded: true },
  });
  await insert("reserved", { creation: { unconfirmedAttempts: 0 } });
  await insert("waiting", { plan: "gold" }, { clusterRef: null });
  await insert("made", { plan: "gold" }, { status: "active" });
  await migrate(url);
  database = createDatabase({ url, poolSize: 2 });
});
afterAll(async () => {
  await database?.$disconnect();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

it("keeps what was noted of every record", async () => {
  expect(await state("tried")).toMatchObject({
    attempts: 2,
    announced: true,
    at: "2026-11-20 10:20:30.456",
    metadata: { plan: "gold" },
  });
  expect(await state("reserved")).toMatchObject({ attempts: 0, announced: false, at: null });
  expect(await state("waiting")).toMatchObject({ attempts: 0, announced: true, metadata: { plan: "gold" } });
  expect(await state("made")).toMatchObject({ attempts: 0, announced: false, metadata: { plan: "gold" } });
});

it("leaves alone what is not ours: metadata of another shape, and a member of that name once the record is made", async () => {
  const rename = (id: string) =>
    query(url, `UPDATE client_resources SET name = name || '-2' WHERE id = $1`, [id]);
  const others: [string, unknown, string][] = [
    ["null", null, "pending"],
    ["text", "a note", "active"],
    ["list", [1], "pending"],
    ["named", { creation: { by: "Ann" }, x: 1 }, "active"],
  ];
  for (const [id, metadata, status] of others) {
    await insert(id, metadata, { status });
    await rename(id);
    expect((await state(id))?.metadata, id).toEqual(metadata);
  }
});

it("can be run again after an end in the middle", async () => {
  const name = (await readdir(migrationsFolder)).find((folder) => folder.startsWith(FIRST_OF_COLUMNS)) ?? "";
  const script = await readFile(join(migrationsFolder, name, "migration.sql"), "utf8");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(script);
  await client.end();
});

it("lets this version see the attempts of the version before, to the last of them", async () => {
  await insert("a", { creation: { unconfirmedAttempts: 0 } });
  await before.beginAttempt("a");
  await before.beginAttempt("a");
  expect(await state("a")).toMatchObject({ attempts: 2, at: expect.any(String) });
  await withdraw(database, "a");
  await failAttempt(database, "a");
  expect(await state("a")).toMatchObject({ attempts: 1 });
  await before.activate("a");
  expect(await state("a")).toMatchObject({ status: "active", attempts: 0, at: null, metadata: {} });
});

it("lets the version before see the attempts of this one, to the last of them", async () => {
  await insert("b", {});
  expect(await beginAttempt(database, "b", CLUSTER)).toBe(true);
  await before.beginAttempt("b");
  await before.withdraw("b");
  await before.failAttempt("b");
  expect(await state("b")).toMatchObject({
    attempts: 1,
    metadata: { creation: { unconfirmedAttempts: 1, lastAttemptAt: expect.stringMatching(/T.*Z$/) } },
  });
  await activate(database, "b", undefined);
  expect(await state("b")).toMatchObject({ status: "active", attempts: 0, metadata: {} });
});

it("takes back what neither has sent, and keeps what was announced, whichever of them does it", async () => {
  for (const [name, fail] of Object.entries({
    old: before.failAttempt,
    new: (id: string) => failAttempt(database, id),
  })) {
    const [plain, announced] = [`plain-${name}`, `announced-${name}`];
    await insert(plain, { creation: { unconfirmedAttempts: 0 } });
    await before.beginAttempt(plain);
    await fail(plain);
    expect(await state(plain)).toBeUndefined();

    await insert(announced, {}, { clusterRef: null });
    await query(url, "UPDATE client_resources SET cluster_ref = $2 WHERE id = $1", [announced, CLUSTER]);
    expect(await beginAttempt(database, announced, CLUSTER)).toBe(true);
    await fail(announced);
    expect(await state(announced)).toMatchObject({
      cluster_ref: null,
      attempts: 0,
      announced: true,
      metadata: {},
    });
  }
});
