/**
 * What the product runs in a cluster, where customers have made functions, operators, types and relations with the names of PostgreSQL's own,
 * in their databases and in the default one. None of them is used by the cluster's user.
 */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Client } from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { createClusterDatabase } from "../../app/databases/create-database.server";
import {
  createCredential,
  removeCredential,
  removeExpiredCredentials,
  rotateCredential,
} from "../../app/databases/credentials/database-credentials.server";
import { secureDatabases } from "../../app/databases/credentials/secure-databases.server";
import { deleteDatabase, restoreDatabase } from "../../app/databases/delete-database.server";
import { dropDeletedDatabases } from "../../app/databases/drop-databases.server";
import { refreshUsage } from "../../app/databases/refresh-usage.server";
import { findCluster } from "../../app/databases/region";
import { parseEnv } from "../../app/env/env.server";
import { createDataApi, describeCluster } from "../../app/providers/rds-data-api.server";
import { deploymentEnv } from "../support/app/deployment";
import { freshName, isInCluster } from "../support/databases/cluster-databases";
import { startTestDataApi } from "../support/databases/data-api";
import { startOwnDatabase } from "../support/databases/own-database";
import { query } from "../support/databases/postgres";
import { setTraps, usesOfTraps } from "../support/databases/traps";
import { unpinnedNames } from "../support/databases/unpinned-names";

const { clusterRegion: region } = inject("stack");
const own = await startOwnDatabase();
afterAll(own.stop);
/** A cluster of its own, because cleaning up is about all databases that our records name. */
const stack = { ...inject("stack"), postgresUrl: own.url };
const { database } = own;

const urlOf = (name: string) => Object.assign(new URL(stack.postgresUrl), { pathname: `/${name}` }).href;

const makeCompany = async () => (await database.company.create({ data: { name: "Test company" } })).id;

/** A user for the cluster's secret, and a default database that is the test's own. */
async function makeCluster(rights: string) {
  const [user, defaultDatabase] = [`master_${randomBytes(4).toString("hex")}`, freshName()];
  await query(stack.postgresUrl, `CREATE ROLE ${user} LOGIN PASSWORD 'master' ${rights}`);
  await query(stack.postgresUrl, `CREATE DATABASE ${defaultDatabase} OWNER ${user} TEMPLATE template0`);
  return startCluster(user, defaultDatabase);
}

async function startCluster(user: string, defaultDatabase: string) {
  const url = Object.assign(new URL(stack.postgresUrl), { username: user, password: "master" });
  const api = await startTestDataApi({ ...stack, postgresUrl: url.href });
  const env = parseEnv({
    ...deploymentEnv(stack, stack.postgresUrl),
    ...api.env,
    CLUSTER_DEFAULT_DATABASE: defaultDatabase,
    CLUSTER_HOST_CA_CENTRAL_1: `127.0.0.1:${url.port}`,
  });
  const tools = {
    database,
    dataApi: createDataApi(env.dataApi),
    clusters: env.clusters,
    capacity: env.capacity,
  };
  return { user, defaultDatabase, api, env, tools };
}
type TestCluster = Awaited<ReturnType<typeof makeCluster>>;

async function as({ url }: { url: string | null }, ...statements: string[]) {
  const client = new Client({ connectionString: url ?? "" });
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}

/**
 * Every operation that runs something in a cluster.
 * @param hostile is called with the name of each database that customers reach, as soon as it exists, and the logins that it has
 */
async function runEverything(
  { tools, env, defaultDatabase }: TestCluster,
  hostile: (name: string, logins: readonly string[]) => Promise<unknown>,
): Promise<void> {
  const never = new AbortController().signal;
  await hostile(defaultDatabase, []);
  const request = { companyId: await makeCompany(), name: freshName(), region };
  const { resource } = await createClusterDatabase(request, tools);
  const { id, name } = resource;
  const first = await createCredential(id, {}, tools);
  await hostile(name, [first.user]);

  const pending = { status: "pending", creationAttempts: 1 };
  await database.clientResource.update({ where: { id }, data: pending });
  await createClusterDatabase(request, tools);
  const second = await createCredential(id, { name: "reports" }, tools);
  // What a login owns itself has to be handed over when it is removed.
  await as(
    first,
    ...[
      "SET ROLE NONE",
      "CREATE SCHEMA own",
      "CREATE TABLE own.work (id int)",
      "CREATE TYPE own.kind AS ENUM ()",
    ],
    "CREATE FUNCTION own.trap() RETURNS int LANGUAGE sql AS 'SELECT 1'",
  );
  await rotateCredential(id, second.user, tools);
  const past = { expiresAt: new Date(Date.now() - 1) };
  await database.databaseCredential.update({ where: { user: second.user }, data: past });
  await removeExpiredCredentials(tools, never);
  await removeCredential(id, first.user, tools);
  const secured = await secureDatabases(tools, { withDefault: true, stop: never });
  expect(secured.failures.map(({ database }) => database)).not.toContain(`${region}/${name}`);
  await refreshUsage(tools, () => {});
  const cluster = findCluster(env.clusters, region);
  if (cluster) await describeCluster(env.dataApi, cluster, never);
  await deleteDatabase(id, { confirm: name }, { database, deleteAfterDays: 0 });
  await restoreDatabase(id, { database });
  await deleteDatabase(id, { confirm: name }, { database, deleteAfterDays: 0 });
}

describe.each([
  ["a superuser", "SUPERUSER"],
  ["a user who may only create databases and roles", "CREATEDB CREATEROLE"],
])("with %s in the cluster's secret", (_, rights) => {
  it.each([
    ["after PostgreSQL's own names", ""],
    ["before PostgreSQL's own names", "public, pg_catalog"],
  ])("nothing that customers have made is used, where it is found %s", async (_, searchPath) => {
    const cluster = await makeCluster(rights);
    const { user, api, tools } = cluster;
    try {
      await runEverything(cluster, async () => {});
      const names = [...new Set(api.statements.join(" ").match(/[a-z_]\w*/gi))];
      const targets: string[] = [];
      const checkNoUse = async () => {
        for (const target of targets) expect([target, await usesOfTraps(urlOf(target))]).toEqual([target, 0]);
      };
      await runEverything(cluster, async (target, logins) => {
        const traps = await setTraps(urlOf(target), {
          schemas: ["public", user, ...logins],
          names,
          users: [user],
        });
        expect(traps).toEqual(
          expect.arrayContaining([
            "function public.has_database_privilege(text, text, text)",
            "operator public.=(name, text)",
            "type public.name",
            "view public.pg_database",
          ]),
        );
        if (searchPath)
          await query(stack.postgresUrl, `ALTER DATABASE "${target}" SET search_path = ${searchPath}`);
        targets.push(target);
      });
      await checkNoUse();
      const [target = "", name = ""] = targets;
      // Before the database is dropped with its traps.
      expect(await isInCluster(stack, name)).toBe(true);
      await dropDeletedDatabases(tools, new AbortController().signal);
      expect(await isInCluster(stack, name)).toBe(false);
      expect(await usesOfTraps(urlOf(target))).toBe(0);
      expect(api.statements.flatMap(unpinnedNames)).toEqual([]);
    } finally {
      await api.stopDataApi();
      await query(stack.postgresUrl, `DROP DATABASE "${cluster.defaultDatabase}" WITH (FORCE)`);
    }
  });
});

it("a superuser in the secret can be replaced by a user who is none, as the guide says", async () => {
  const guide = await readFile(new URL("../../docs/guide/databases.md", import.meta.url), "utf8");
  // The local stack has a user of the guide's name.
  const [create = "", handOver = ""] = [...guide.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = ""]) =>
    sql.replaceAll("cluster_user", "new_user"),
  );
  const before = await makeCluster("SUPERUSER");
  const request = { companyId: await makeCompany(), name: freshName(), region };
  const { id } = (await createClusterDatabase(request, before.tools)).resource;
  const old = await createCredential(id, {}, before.tools);
  await query(own.url, create.replaceAll("a long random one", "master"));
  // A better match than PostgreSQL's own.
  await query(
    own.url,
    `CREATE FUNCTION public.format(text, name) RETURNS text LANGUAGE plpgsql
       AS $$ BEGIN RAISE 'run as %, in the place of PostgreSQL''s own', current_user; END $$`,
  );
  await query(own.url, handOver);
  const after = await startCluster("new_user", before.defaultDatabase);
  await query(own.url, `GRANT CONNECT ON DATABASE ${before.defaultDatabase} TO new_user`);
  const { limits } = await createCredential(id, {}, after.tools);
  expect(limits.temporaryFileGb).toBe(10);
  expect(await removeCredential(id, old.user, after.tools)).toMatchObject({ isDone: true });
  await deleteDatabase(id, { confirm: request.name }, { database, deleteAfterDays: 0 });
  const { dropped } = await dropDeletedDatabases(after.tools, new AbortController().signal);
  expect([dropped, await isInCluster(stack, request.name)]).toEqual([1, false]);
  for (const { api } of [before, after]) await api.stopDataApi();
});

it("a changed limit holds after the next credential, and everywhere after npm run databases -- secure", async () => {
  const { api, tools } = await makeCluster("CREATEDB CREATEROLE");
  const { limits } = tools.clusters;
  const make = async () => {
    const request = { companyId: await makeCompany(), name: freshName(), region };
    return (await createClusterDatabase(request, tools)).resource;
  };
  const [one, two] = [await make(), await make()];
  const limitsOf = () =>
    Promise.all(
      [one, two].map(async ({ name }) => {
        const sql = "SELECT datconnlimit AS connections FROM pg_database WHERE datname = $1";
        return (await query<{ connections: number }>(stack.postgresUrl, sql, [name]))[0]?.connections;
      }),
    );
  expect(await limitsOf()).toEqual([40, 40]);
  limits.connections = 3;
  await createCredential(one.id, {}, tools);
  expect(await limitsOf()).toEqual([3, 40]);
  await secureDatabases(tools, { withDefault: false, stop: new AbortController().signal });
  expect(await limitsOf()).toEqual([3, 3]);
  await api.stopDataApi();
});

it("the traps work: a statement that looks names up uses them", async () => {
  const name = freshName();
  await query(stack.postgresUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
  const users = [new URL(stack.postgresUrl).username];
  await setTraps(urlOf(name), {
    schemas: ["public"],
    names: ["has_schema_privilege", "name", "pg_roles"],
    users,
  });
  expect(await usesOfTraps(urlOf(name))).toBe(0);
  const usesOf = async (sql: string) => {
    const before = await usesOfTraps(urlOf(name));
    await query(urlOf(name), sql);
    return (await usesOfTraps(urlOf(name))) - before;
  };
  expect(await usesOf("SELECT has_schema_privilege('postgres', 'public', 'CREATE')")).toBe(1);
  await query(stack.postgresUrl, `ALTER DATABASE "${name}" SET search_path = public, pg_catalog`);
  expect(await usesOf("SELECT 1 WHERE CAST('a' AS pg_catalog.name) = CAST('b' AS pg_catalog.text)")).toBe(1);
  expect(await usesOf("SELECT CAST('a' AS name)")).toBe(1);
  expect(await usesOf("SELECT FROM pg_roles")).toBeGreaterThan(0);
  await query(stack.postgresUrl, `DROP DATABASE "${name}" WITH (FORCE)`);
});

describe("a statement that looks a name up is noticed", () => {
  it.each([
    ["SELECT has_schema_privilege('a', 'public', 'CREATE')", "has_schema_privilege"],
    ["SELECT pg_catalog.length(name(oid)) FROM pg_catalog.pg_database", "name"],
    ["SELECT 1 FROM pg_database", "pg_database"],
    ["SELECT 1 FROM pg_catalog.pg_database AS d WHERE d.datname = :name", "="],
    ["SELECT 1 FROM pg_catalog.pg_database AS d WHERE d.datname IN ('a', 'b')", "="],
    ["SELECT CAST(d.datname AS text) FROM pg_catalog.pg_database AS d", "text"],
    ["SELECT CASE d.oid WHEN 1 THEN 2 END FROM pg_catalog.pg_database AS d", "= of CASE with a value"],
    ["DO 'BEGIN PERFORM 1; END'", "DO without a pinned search_path"],
    [
      "DO 'BEGIN SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL search_path = public; END'",
      "DO without a pinned search_path",
    ],
    [
      "DO 'DECLARE found text; BEGIN SET LOCAL search_path = pg_catalog, pg_temp; END'",
      "DO without a pinned search_path",
    ],
    ["REASSIGN OWNED BY a TO b", "ReassignOwnedStmt outside of a transaction with a pinned search_path"],
  ])("%s", (sql, name) => {
    expect(unpinnedNames(sql)).toContain(name);
  });
});
