/** What the product does in a cluster while a session of one company keeps locks, in each way in which a login can. */
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { createClusterDatabase } from "../../app/databases/create-database.server";
import {
  createCredential,
  removeCredential,
  removeExpiredCredentials,
  rotateCredential,
} from "../../app/databases/credentials/database-credentials.server";
import { secureDatabases } from "../../app/databases/credentials/secure-databases.server";
import { deleteDatabase } from "../../app/databases/delete-database.server";
import { dropDeletedDatabases } from "../../app/databases/drop-databases.server";
import { refreshUsage } from "../../app/databases/refresh-usage.server";
import { parseEnv } from "../../app/env/env.server";
import { createDataApi } from "../../app/providers/rds-data-api.server";
import { AppError } from "../../app/shared/app-error";
import { deploymentEnv } from "../support/app/deployment";
import { freshName, isInCluster } from "../support/databases/cluster-databases";
import { startTestDataApi, type TestDataApi } from "../support/databases/data-api";
import { startOwnDatabase } from "../support/databases/own-database";
import { query, startTestPostgres, type TestPostgres } from "../support/databases/postgres";

const { clusterRegion: region } = inject("stack");
const never = new AbortController().signal;
const own = await startOwnDatabase();
const { database } = own;

/** A server of its own: some of its locks are those of all databases. */
let postgres: TestPostgres;
let stack: ReturnType<typeof inject<"stack">>;
let api: TestDataApi;
let tools: Parameters<typeof createClusterDatabase>[1] & Parameters<typeof refreshUsage>[0];

beforeAll(async () => {
  postgres = await startTestPostgres();
  stack = { ...inject("stack"), postgresUrl: await postgres.createDatabase() };
  await query(stack.postgresUrl, "CREATE ROLE master LOGIN PASSWORD 'master' CREATEDB CREATEROLE");
  await query(stack.postgresUrl, "ALTER DATABASE test_1 OWNER TO master");
  const url = Object.assign(new URL(stack.postgresUrl), { username: "master", password: "master" });
  api = await startTestDataApi({ ...stack, postgresUrl: url.href });
  const env = parseEnv({
    ...deploymentEnv(stack, own.url),
    ...api.env,
    CLUSTER_DEFAULT_DATABASE: url.pathname.slice(1),
    CLUSTER_HOST_CA_CENTRAL_1: `127.0.0.1:${url.port}`,
  });
  const { clusters, capacity } = env;
  tools = { database, dataApi: createDataApi(env.dataApi), clusters, capacity };
});
afterAll(async () => {
  await api?.stopDataApi();
  await postgres?.stop();
  await own.stop();
});

async function makeDatabase() {
  const { id: companyId } = await database.company.create({ data: { name: "Test company" } });
  const request = { companyId, name: freshName(), region };
  return (await createClusterDatabase(request, tools)).resource;
}

type Login = Awaited<ReturnType<typeof createCredential>>;

/** Opens a session of a login that runs these statements and then stays. */
async function hold({ url }: Login, statements: readonly string[]): Promise<Client> {
  const session = new Client({ connectionString: url ?? "" });
  session.on("error", () => {});
  await session.connect();
  for (const sql of statements) await session.query(sql);
  return session;
}

/** How many locks of this kind a session keeps. @param kind type and mode, as `pg_locks` names them */
async function locksOf(session: Client, kind: string): Promise<number> {
  const { rows } = await session.query("SELECT pg_backend_pid() AS pid");
  const kept = "SELECT FROM pg_locks WHERE pid = $1 AND granted AND concat_ws(' ', locktype, mode) = $2";
  return (await query(stack.postgresUrl, kept, [rows[0].pid, kind])).length;
}

/** "done", or the status that a caller gets. What is no AppError fails the test. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

/** In these words, a caller may be told that it has to be repeated. */
const honest = expect.stringMatching(/^(done|unavailable|provider_failed)$/);

/** What it does, and which locks it must then keep: most go past every error, and one that keeps nothing would test nothing. */
const attacks: [string, (login: Login) => string[], kind: string, atLeast: number][] = [
  [
    "locks on all relations of the catalogs, in the weakest mode, which is all that a login may take",
    () => [
      "BEGIN",
      `DO $$ DECLARE r record; BEGIN
         FOR r IN SELECT oid::regclass AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'pg_catalog'::regnamespace LOOP
           BEGIN EXECUTE format('LOCK TABLE %s IN ACCESS SHARE MODE', r.name); EXCEPTION WHEN OTHERS THEN NULL; END;
         END LOOP; END $$`,
    ],
    "relation AccessShareLock",
    50,
  ],
  [
    "the strongest lock on each of its own tables",
    () => ["CREATE TABLE work (id int)", "BEGIN", "LOCK TABLE work IN ACCESS EXCLUSIVE MODE", "SELECT 1"],
    "relation AccessExclusiveLock",
    1,
  ],
  [
    "a row of the list of databases, which it changes by dropping its own rights",
    () => ["BEGIN", "DROP OWNED BY CURRENT_ROLE", "SELECT 1"],
    "transactionid ExclusiveLock",
    1,
  ],
  [
    "the rows of its own login: a password and the rights of others to it",
    ({ user }) => [
      "SET ROLE NONE",
      "BEGIN",
      `ALTER ROLE "${user}" PASSWORD 'x'`,
      `REASSIGN OWNED BY "${user}" TO "${user}"`,
    ],
    "transactionid ExclusiveLock",
    1,
  ],
  [
    "rights that it gives to every role of the cluster, in an open transaction",
    () => [
      "CREATE TABLE bait (id int)",
      "BEGIN",
      `DO $$ DECLARE r record; BEGIN
         FOR r IN SELECT rolname FROM pg_roles LOOP
           BEGIN EXECUTE format('GRANT SELECT ON bait TO %I', r.rolname); EXCEPTION WHEN OTHERS THEN NULL; END;
         END LOOP; END $$`,
    ],
    "object AccessShareLock",
    2,
  ],
  [
    "three thousand advisory locks",
    () => [
      "BEGIN",
      "SELECT pg_advisory_lock(n), pg_advisory_xact_lock(-n) FROM generate_series(1, 1500) AS n",
    ],
    "advisory ExclusiveLock",
    3_000,
  ],
  [
    "a listener whose transaction stays open while notifications fill the queue",
    () => [
      "LISTEN a",
      "DO $$ BEGIN FOR n IN 1..2000 LOOP PERFORM pg_notify('a', repeat(n::text || ' ', 1200)); END LOOP; END $$",
      "BEGIN",
      "SELECT count(*) FROM pg_class",
    ],
    "relation AccessShareLock",
    1,
  ],
];

describe.each(attacks)("while a company keeps %s", (_, statements, kind, atLeast) => {
  it("each call ends, others work, and what was refused is done later", async () => {
    const [eves, adas] = [await makeDatabase(), await makeDatabase()];
    const [eve, spare, old] = [
      await createCredential(eves.id, {}, tools),
      await createCredential(eves.id, {}, tools),
      await createCredential(eves.id, {}, tools),
    ];
    const session = await hold(eve, statements(eve));
    onTestFinished(() => session.end());
    expect(await locksOf(session, kind)).toBeGreaterThanOrEqual(atLeast);

    expect(await outcomeOf(createCredential(eves.id, {}, tools))).toEqual(honest);
    expect(await outcomeOf(rotateCredential(eves.id, spare.user, tools))).toEqual(honest);
    expect(await outcomeOf(removeCredential(eves.id, old.user, tools))).toEqual(honest);
    const past = { expiresAt: new Date(Date.now() - 1) };
    await database.databaseCredential.updateMany({ where: { user: spare.user }, data: past });
    const { failures } = await removeExpiredCredentials(tools, never);
    for (const { user } of failures) expect([spare.user, old.user]).toContain(user);

    // Whoever repairs or measures all databases comes past it.
    const secured = await secureDatabases(tools, { withDefault: true, stop: never });
    for (const { database } of secured.failures) expect(database).toBe(`${region}/${eves.name}`);
    expect(await refreshUsage(tools, () => {})).toMatchObject({ failures: [], missing: [] });

    // Another company notices nothing.
    const ada = await createCredential(adas.id, {}, tools);
    expect((await query(ada.url ?? "", "SELECT 1 AS one"))[0]).toEqual({ one: 1 });
    const { user } = await rotateCredential(adas.id, ada.user, tools);
    expect(await removeCredential(adas.id, user, tools)).toMatchObject({ isDone: true });
    await deleteDatabase(adas.id, { confirm: adas.name }, { database, deleteAfterDays: 0 });

    await deleteDatabase(eves.id, { confirm: eves.name }, { database, deleteAfterDays: 0 });
    const first = await dropDeletedDatabases(tools, never, 0);
    for (const { name } of first.failures) expect(name).toBe(eves.name);
    expect(await isInCluster(stack, adas.name)).toBe(false);
    await session.end();
    await dropDeletedDatabases(tools, never, 0);
    expect(await isInCluster(stack, eves.name)).toBe(false);
    // A role that is being granted something cannot be dropped meanwhile. It stays, and nobody can log in as it.
    const logins = "SELECT rolname FROM pg_roles WHERE rolcanlogin AND rolname LIKE $1 || '%'";
    expect(await query(stack.postgresUrl, logins, [eves.name])).toEqual([]);
  });
});

it("while a company has taken all locks of the cluster, others are refused, and everything is done once its session has ended", async () => {
  const [eves, adas] = [await makeDatabase(), await makeDatabase()];
  const eve = await createCredential(eves.id, {}, tools);
  const session = await hold(eve, [
    `DO $$ BEGIN FOR n IN 1..1000000 LOOP PERFORM pg_advisory_lock(n); END LOOP; EXCEPTION WHEN out_of_memory THEN NULL; END $$`,
  ]);
  const isFull = session.query("SELECT pg_advisory_lock(n) FROM generate_series(1000001, 2000000) AS n");
  await expect(isFull).rejects.toMatchObject({ code: "53200" });
  expect(await outcomeOf(createCredential(adas.id, {}, tools))).toMatch(/^(unavailable|provider_failed)$/);
  await deleteDatabase(eves.id, { confirm: eves.name }, { database, deleteAfterDays: 0 });
  await dropDeletedDatabases(tools, never, 0);
  await session.end();
  expect(await outcomeOf(createCredential(adas.id, {}, tools))).toBe("done");
  await dropDeletedDatabases(tools, never, 0);
  expect(await isInCluster(stack, eves.name)).toBe(false);
});
