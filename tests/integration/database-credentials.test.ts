/** Credentials of databases: what each login reaches in the cluster, and what it does not. */
import { Client, type ClientConfig } from "pg";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { databases as databasesCommand } from "../../app/commands/databases";
import { createClusterDatabase } from "../../app/databases/create-database.server";
import {
  createCredential,
  ROTATION_MS,
  removeCredential,
  removeExpiredCredentials,
  rotateCredential,
} from "../../app/databases/credentials/database-credentials.server";
import { deleteDatabase } from "../../app/databases/delete-database.server";
import { findCluster } from "../../app/databases/region";
import { parseEnv } from "../../app/env/env.server";
import { type Cluster, createDataApi } from "../../app/providers/rds-data-api.server";
import { deploymentEnv, makeDatabase as makeRecords } from "../support/app/deployment";
import { databaseOf } from "../support/app/embed-client";
import { runHere } from "../support/app/run-command";
import { freshName, makeCompany, postDatabase } from "../support/databases/cluster-databases";
import { startTestDataApi, withoutSuperuser } from "../support/databases/data-api";
import { query } from "../support/databases/postgres";

const stack = inject("stack");
const { apiBaseUrl, clusterRegion: region } = stack;

interface Issued {
  user: string;
  password: string;
  host: string;
  port: number;
  database: string;
  url: string;
}

async function ask<Body>(method: string, path: string, body?: object) {
  const response = await fetch(`${apiBaseUrl}/api/cluster/databases/${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

const makeDatabase = async () => {
  const created = await postDatabase(apiBaseUrl, {
    companyId: await makeCompany(stack),
    name: freshName(),
    region,
  });
  return created.body.resource;
};
const issue = async (id: string, body: object = {}) =>
  (await ask<Issued>("POST", `${id}/credentials`, body)).body;

/** Runs a statement as the login. @throws what PostgreSQL says */
async function as({ url }: Pick<Issued, "url">, sql: string, changes: ClientConfig = {}) {
  const client = new Client({ connectionString: url, ...changes });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code?: string }) => error.code,
  );

const asConfig = ({ user, password, host, port, database }: Issued, name = database): ClientConfig => ({
  user,
  password,
  host,
  port,
  database: name,
});

const rolesOf = (user: string) =>
  query(stack.postgresUrl, "SELECT 1 FROM pg_roles WHERE rolname = $1", [user]);

let own: { id: string; name: string };
let other: { id: string; name: string };
let ada: Issued;
beforeAll(async () => {
  [own, other] = [await makeDatabase(), await makeDatabase()];
  ada = await issue(own.id, { name: "the app's" });
});

describe("a credential", () => {
  it("connects with what the response says, and works in its database", async () => {
    expect(ada).toEqual({
      user: expect.stringMatching(/^db_[0-9a-f]+_[0-9a-f]{10}$/),
      password: expect.stringMatching(/^[\w-]{32}$/),
      host: "127.0.0.1",
      port: expect.any(Number),
      database: own.name,
      url: `postgresql://${ada.user}:${ada.password}@127.0.0.1:${ada.port}/${own.name}`,
      limits: { connections: 40, idleTransactionSeconds: 600, temporaryFileGb: 10 },
    });
    await as(ada, "CREATE TABLE notes (id int PRIMARY KEY, text text)");
    await as(ada, "INSERT INTO notes VALUES (1, 'first')");
    await as(ada, "CREATE SCHEMA reports");
    expect(await as(ada, "SELECT * FROM notes")).toEqual([{ id: 1, text: "first" }]);
  });

  it("shares what it makes with the others of its database", async () => {
    await as(ada, "CREATE TABLE shared (id int)");
    const grace = await issue(own.id);
    await as(grace, "ALTER TABLE shared ADD COLUMN text text");
    await as(grace, "INSERT INTO shared VALUES (1, 'by grace')");
    expect(await as(ada, "SELECT text FROM shared")).toEqual([{ text: "by grace" }]);
  });

  it("reaches no other database: not of another customer, not ours, not PostgreSQL's own", async () => {
    for (const name of [other.name, "platform", "postgres", "template1"]) {
      const attempt = as(ada, "SELECT 1", { connectionString: undefined, ...asConfig(ada, name) });
      expect([name, await codeOf(attempt)]).toEqual([name, "42501"]);
    }
  });

  it("can be made by several requests at once", async () => {
    const { id } = await makeDatabase();
    const issued = await Promise.all(Array.from({ length: 8 }, () => issue(id)));
    for (const one of issued) expect(await as(one, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await Promise.all(issued.map(({ user }) => ask("DELETE", `${id}/credentials/${user}`)));
    expect((await ask("GET", `${id}/credentials`)).body).toEqual({ credentials: [] });
  });

  it.each([
    ["make roles", "CREATE ROLE eve LOGIN"],
    ["make databases", "CREATE DATABASE eves"],
    ["become a superuser", "ALTER ROLE CURRENT_USER SUPERUSER"],
    ["change its own password's expiry", "ALTER ROLE CURRENT_USER VALID UNTIL 'infinity'"],
    ["read passwords", "SELECT rolpassword FROM pg_authid"],
    ["read the server's files", "SELECT pg_read_file('postgresql.conf')"],
    ["run programs", "COPY (SELECT 1) TO PROGRAM 'true'"],
    ["become the administrator", "SET ROLE postgres"],
    [
      "end the sessions of others",
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'",
    ],
  ])("cannot %s", async (_, sql) => {
    const code = await codeOf(as(ada, sql));
    expect(["42501", "2BP01"]).toContain(code);
  });

  it("is refused with another password", async () => {
    expect(
      await codeOf(as(ada, "SELECT 1", { connectionString: undefined, ...asConfig(ada), password: "guess" })),
    ).toBe("28P01");
  });

  it("is listed without its password, which no table of ours contains", async () => {
    const { body } = await ask<{ credentials: object[] }>("GET", `${own.id}/credentials`);
    expect(body.credentials).toContainEqual({
      user: ada.user,
      name: "the app's",
      createdAt: expect.any(String),
      expiresAt: null,
    });
    expect(JSON.stringify(body)).not.toContain(ada.password);
    const [row] = await query<{ verifier: string }>(
      stack.postgresUrl,
      "SELECT rolpassword AS verifier FROM pg_authid WHERE rolname = $1",
      [ada.user],
    );
    expect(row?.verifier).toMatch(/^SCRAM-SHA-256\$4096:/);
  });
});

describe("rotating", () => {
  it("gives a new login, and the old one works for another hour", async () => {
    const { id } = await makeDatabase();
    const old = await issue(id, { name: "backup" });
    await as(old, "CREATE TABLE kept (id int)");
    const { status, body: renewed } = await ask<Issued>("POST", `${id}/credentials/${old.user}/rotate`);
    expect([status, renewed.user === old.user, renewed.password === old.password]).toEqual([
      201,
      false,
      false,
    ]);
    for (const login of [old, renewed]) await as(login, "INSERT INTO kept VALUES (1)");
    type Listed = { credentials: { user: string; name: string; expiresAt: string | null }[] };
    const listed = async () => (await ask<Listed>("GET", `${id}/credentials`)).body.credentials;
    // After a lost response, the same request gives another login. The one that no response has told is listed, and can be removed.
    const repeated = await ask<Issued>("POST", `${id}/credentials/${old.user}/rotate`);
    await as(repeated.body, "INSERT INTO kept VALUES (1)");
    const told = [old.user, renewed.user];
    const untold = (await listed()).filter(({ user }) => !told.includes(user));
    expect(untold).toMatchObject([{ user: repeated.body.user, name: "backup", expiresAt: null }]);
    expect((await ask("DELETE", `${id}/credentials/${untold[0]?.user}`)).status).toBe(200);
    const credentials = await listed();
    expect(credentials).toMatchObject([
      { user: renewed.user, name: "backup", expiresAt: null },
      { user: old.user, name: "backup", expiresAt: expect.any(String) },
    ]);
    const left = Date.parse(credentials[1]?.expiresAt ?? "") - Date.now();
    expect(left / ROTATION_MS).toBeCloseTo(1, 1);

    // An hour later.
    await query(stack.postgresUrl, `ALTER ROLE "${old.user}" VALID UNTIL '2020-01-01'`);
    expect(await codeOf(as(old, "SELECT 1"))).toBe("28P01");
    const past = { expiresAt: new Date(Date.now() - 1) };
    await databaseOf(stack).databaseCredential.update({ where: { user: old.user }, data: past });
    const env = parseEnv(deploymentEnv(stack, stack.postgresUrl));
    const tools = {
      database: databaseOf(stack),
      dataApi: createDataApi(env.dataApi),
      clusters: env.clusters,
    };
    const { removed, failures } = await removeExpiredCredentials(tools, new AbortController().signal);
    // Other tests may have credentials that are to be removed.
    expect([removed >= 1, failures.filter(({ user }) => user === old.user)]).toEqual([true, []]);
    expect(await rolesOf(old.user)).toEqual([]);
    await as(renewed, "INSERT INTO kept VALUES (2)");
  });
});

describe("an Idempotency-Key", () => {
  const send = async (path: string, key: string, body?: object) => {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
    const response = await fetch(`${apiBaseUrl}/api/cluster/databases/${path}`, {
      method: "POST",
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Issued & { code?: string } };
  };
  const usersOf = async (id: string) => {
    const { body } = await ask<{ credentials: { user: string }[] }>("GET", `${id}/credentials`);
    return body.credentials.map(({ user }) => user);
  };

  it("gives the same login again after a lost response, also to requests at once", async () => {
    const { id } = await makeDatabase();
    const path = `${id}/credentials`;
    const first = await send(path, "one", { name: "app" });
    const again = await Promise.all(Array.from({ length: 4 }, () => send(path, "one", { name: "app" })));
    for (const one of again) expect(one).toEqual(first);
    expect(await as(first.body, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    const rotated = await send(`${path}/${first.body.user}/rotate`, "two");
    expect(await send(`${path}/${first.body.user}/rotate`, "two")).toEqual(rotated);
    expect(await usersOf(id)).toEqual([rotated.body.user, first.body.user]);
    const stored = await databaseOf(stack).idempotencyKey.findMany();
    expect(JSON.stringify(stored)).not.toContain(rotated.body.password);
  });

  it("completes what a crash left, and makes the login that was recorded", async () => {
    const { id } = await makeDatabase();
    const { body } = await send(`${id}/credentials`, "one", {});
    // As if the process had died before the login was made.
    await query(stack.postgresUrl, `DROP ROLE "${body.user}"`);
    expect((await send(`${id}/credentials`, "one", {})).body).toEqual(body);
    expect(await as(body, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  it("is refused for another request, and for a login that was removed", async () => {
    const { id } = await makeDatabase();
    const path = `${id}/credentials`;
    const { body } = await send(path, "one", { name: "app" });
    for (const other of [
      await send(path, "one", { name: "reports" }),
      await send(`${path}/${body.user}/rotate`, "one"),
    ])
      expect([other.status, other.body.code]).toEqual([422, "idempotency_mismatch"]);
    await ask("DELETE", `${path}/${body.user}`);
    expect((await send(path, "one", { name: "app" })).status).toBe(422);
    expect(await usersOf(id)).toEqual([]);
    // Another database has keys of its own, and a day later the key is free.
    expect((await send(`${other.id}/credentials`, "one", {})).status).toBe(201);
    await query(
      stack.postgresUrl,
      "UPDATE idempotency_keys SET created_at = created_at - interval '1 day' WHERE outcomes ->> 'user' = $1",
      [body.user],
    );
    expect((await send(path, "one", { name: "reports" })).status).toBe(201);
  });
});

it("a database has at most a hundred credentials, also if they are asked for at once", async () => {
  const { id } = await makeDatabase();
  const data = Array.from({ length: 97 }, (_, n) => ({ user: `${id}_${n}`, resourceId: id }));
  await databaseOf(stack).databaseCredential.createMany({ data });
  const statuses = await Promise.all(
    Array.from({ length: 6 }, async () => (await ask("POST", `${id}/credentials`, {})).status),
  );
  expect(statuses.sort()).toEqual([201, 201, 201, 409, 409, 409]);
});

describe("removing", () => {
  it("ends the login's sessions, and keeps what it has made", async () => {
    const { id } = await makeDatabase();
    const [leaving, staying] = [await issue(id), await issue(id)];
    await as(leaving, "CREATE TABLE work (id int)");
    const session = new Client({ connectionString: leaving.url });
    const ended = new Promise((resolve) => session.on("error", resolve));
    await session.connect();
    const removed = await ask("DELETE", `${id}/credentials/${leaving.user}`);
    expect(removed).toEqual({ status: 200, body: { user: leaving.user } });
    await ended;
    expect(await codeOf(as(leaving, "SELECT 1"))).toBe("28P01");
    expect(await rolesOf(leaving.user)).toEqual([]);
    await as(staying, "INSERT INTO work VALUES (1)");
    expect((await ask("DELETE", `${id}/credentials/${leaving.user}`)).status).toBe(404);
  });
});

describe("while a database is deleted or suspended", () => {
  it.each(["deleted", "suspended"])("its logins can be removed: %s", async (status) => {
    const { id, name } = await makeDatabase();
    const [leaving, staying] = [await issue(id), await issue(id)];
    await as(leaving, "CREATE TABLE work (id int)");
    if (status === "deleted") await ask("DELETE", id, { confirm: name });
    else await databaseOf(stack).clientResource.update({ where: { id }, data: { status } });
    expect((await ask("POST", `${id}/credentials/${leaving.user}/rotate`)).status).toBe(409);
    const removed = await ask("DELETE", `${id}/credentials/${leaving.user}`);
    expect(removed).toEqual({ status: 200, body: { user: leaving.user } });
    expect([await codeOf(as(leaving, "SELECT 1")), await rolesOf(leaving.user)]).toEqual(["28P01", []]);
    await as(staying, "INSERT INTO work VALUES (1)");
  });

  it("cleanup removes a login that was replaced, and that a session has kept from expiring", async () => {
    // A database of its own for the records: other tests remove what has expired, too.
    const records = { ...stack, postgresUrl: await makeRecords(stack) };
    const env = parseEnv({
      ...deploymentEnv(stack, records.postgresUrl),
      CLUSTER_HOST_CA_CENTRAL_1: `127.0.0.1:${ada.port}`,
    });
    const database = databaseOf(records);
    const tools = { database, dataApi: createDataApi(env.dataApi), clusters: env.clusters };
    const request = { companyId: await makeCompany(records), name: freshName(), region };
    const { id } = (await createClusterDatabase(request, tools)).resource;
    const leaked = (await createCredential(id, {}, tools)) as Issued;
    const session = new Client({ connectionString: leaked.url });
    session.on("error", () => {});
    await session.connect();
    for (const sql of ["BEGIN", "SET ROLE NONE", `ALTER ROLE "${leaked.user}" PASSWORD 'x'`])
      await session.query(sql);
    const renewed = (await rotateCredential(id, leaked.user, tools)) as Issued;
    await deleteDatabase(id, { confirm: request.name }, { database, deleteAfterDays: 7 });
    // An hour later.
    const past = { expiresAt: new Date(Date.now() - 1) };
    await database.databaseCredential.update({ where: { user: leaked.user }, data: past });
    const { signal } = new AbortController();
    expect(await removeExpiredCredentials(tools, signal)).toEqual({ removed: 1, failures: [] });
    expect([await codeOf(as(leaked, "SELECT 1")), await rolesOf(leaked.user)]).toEqual(["28P01", []]);
    expect(await as(renewed, "SELECT 1 AS one")).toEqual([{ one: 1 }]);

    // Once it is being dropped, its logins are left to that.
    await database.databaseCredential.update({ where: { user: renewed.user }, data: past });
    const dropping = { dropStartedAt: new Date() };
    await database.databaseDeletion.update({ where: { resourceId: id }, data: dropping });
    expect(await removeExpiredCredentials(tools, signal)).toEqual({ removed: 0, failures: [] });
    await expect(removeCredential(id, renewed.user, tools)).rejects.toMatchObject({
      code: "database_not_active",
    });
  });
});

describe("two requests at once", () => {
  type Listed = { credentials: { user: string; expiresAt: string | null }[] };
  const listed = async (id: string) => (await ask<Listed>("GET", `${id}/credentials`)).body.credentials;
  const rotate = (id: string, { user }: Issued) => ask<Issued>("POST", `${id}/credentials/${user}/rotate`);
  const remove = (id: string, { user }: Issued) => ask<object>("DELETE", `${id}/credentials/${user}`);
  const works = async (login: Issued) => (await codeOf(as(login, "SELECT 1"))) === "done";
  const ROUNDS = 4;

  it("to rotate and to remove a login: it is gone, and a new one is there if it was rotated first", async () => {
    const { id } = await makeDatabase();
    for (let round = 0; round < ROUNDS; round++) {
      const old = await issue(id);
      const [rotated, removed] = await Promise.all([rotate(id, old), remove(id, old)]);
      expect(removed).toEqual({ status: 200, body: { user: old.user } });
      expect([201, 404]).toContain(rotated.status);
      expect([await works(old), await rolesOf(old.user)]).toEqual([false, []]);
      const renewed = rotated.status === 201 ? [rotated.body] : [];
      expect(await listed(id)).toMatchObject(renewed.map(({ user }) => ({ user, expiresAt: null })));
      for (const login of renewed) {
        expect(await works(login)).toBe(true);
        await remove(id, login);
      }
    }
  });

  it("to rotate a login: two new ones, and the old one works for another hour", async () => {
    const { id } = await makeDatabase();
    for (let round = 0; round < ROUNDS; round++) {
      const old = await issue(id);
      const rotated = await Promise.all([rotate(id, old), rotate(id, old)]);
      const logins = rotated.map(({ body }) => body);
      expect(rotated.map(({ status }) => status)).toEqual([201, 201]);
      for (const login of [old, ...logins]) expect(await works(login)).toBe(true);
      const left = await listed(id);
      expect(left.map(({ user }) => user).sort()).toEqual([old, ...logins].map(({ user }) => user).sort());
      const [ending, ...others] = left.filter(({ expiresAt }) => expiresAt !== null);
      expect([ending?.user, others]).toEqual([old.user, []]);
      const [role] = await query<{ until: Date }>(
        stack.postgresUrl,
        "SELECT rolvaliduntil AS until FROM pg_roles WHERE rolname = $1",
        [old.user],
      );
      expect(Math.abs(Date.parse(ending?.expiresAt ?? "") - Number(role?.until))).toBeLessThan(60_000);
      await Promise.all([old, ...logins].map((login) => remove(id, login)));
    }
  });

  it("to remove a login: both say so, or the second one finds nothing", async () => {
    const { id } = await makeDatabase();
    for (let round = 0; round < ROUNDS; round++) {
      const login = await issue(id);
      const statuses = (await Promise.all([remove(id, login), remove(id, login)])).map(
        ({ status }) => status,
      );
      expect([
        [200, 200],
        [200, 404],
        [404, 200],
      ]).toContainEqual(statuses);
      expect([await listed(id), await rolesOf(login.user)]).toEqual([[], []]);
    }
  });

  it("to remove a login and to delete or restore its database: both are done", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id, name } = await makeDatabase();
      const logins = [await issue(id), await issue(id)];
      const changes = [
        () => ask<{ status: string }>("DELETE", id, { confirm: name }),
        () => ask<{ status: string }>("POST", `${id}/restore`),
      ];
      for (const [index, status] of ["deleted", "active"].entries()) {
        const login = logins[index] as Issued;
        const [removed, changed] = await Promise.all([remove(id, login), changes[index]?.()]);
        expect([changed?.status, changed?.body.status]).toEqual([200, status]);
        expect(removed).toEqual({ status: 200, body: { user: login.user } });
        expect([await works(login), await rolesOf(login.user)]).toEqual([false, []]);
      }
      expect(await listed(id)).toEqual([]);
    }
  });

  it("two cleanups remove each expired login once, and neither fails", async () => {
    // A database of its own for the records: other tests remove what has expired, too.
    const records = { ...stack, postgresUrl: await makeRecords(stack) };
    const env = parseEnv(deploymentEnv(stack, records.postgresUrl));
    const database = databaseOf(records);
    const tools = { database, dataApi: createDataApi(env.dataApi), clusters: env.clusters };
    const request = { companyId: await makeCompany(records), name: freshName(), region };
    const { id } = (await createClusterDatabase(request, tools)).resource;
    for (let made = 0; made < 4; made++) await createCredential(id, {}, tools);
    await database.databaseCredential.updateMany({ data: { expiresAt: new Date(Date.now() - 1) } });
    const { signal } = new AbortController();
    const [one, other] = await Promise.all([
      removeExpiredCredentials(tools, signal),
      removeExpiredCredentials(tools, signal),
    ]);
    expect([one.removed + other.removed, one.failures, other.failures]).toEqual([4, [], []]);
    expect(await database.databaseCredential.count()).toBe(0);
  });
});

describe("a crash", () => {
  it("before the login was made leaves a row, and removing it cleans up", async () => {
    const { id } = await makeDatabase();
    const user = "recorded_and_never_made";
    await databaseOf(stack).databaseCredential.create({ data: { user, resourceId: id } });
    expect(await ask("DELETE", `${id}/credentials/${user}`)).toEqual({ status: 200, body: { user } });
    expect((await ask("GET", `${id}/credentials`)).body).toEqual({ credentials: [] });
  });

  it("after half of a removal is completed by another attempt", async () => {
    const { id } = await makeDatabase();
    const { user } = await issue(id);
    await query(stack.postgresUrl, `ALTER ROLE "${user}" NOLOGIN`);
    expect((await ask("DELETE", `${id}/credentials/${user}`)).status).toBe(200);
    expect(await rolesOf(user)).toEqual([]);
  });

  it("between creating a database and closing it leaves it pending, until the same request closes it", async () => {
    const [companyId, name] = [await makeCompany(stack), freshName()];
    const created = await postDatabase(apiBaseUrl, { companyId, name, region });
    const { id } = created.body.resource;
    // As if the process had died after CREATE DATABASE.
    await query(stack.postgresUrl, `GRANT CONNECT ON DATABASE "${name}" TO PUBLIC`);
    const pending = { status: "pending", creationAttempts: 1 };
    await databaseOf(stack).clientResource.update({ where: { id }, data: pending });
    expect((await ask("POST", `${id}/credentials`, {})).status).toBe(409);
    const again = await postDatabase(apiBaseUrl, { companyId, name, region });
    expect(again.body.resource).toMatchObject({ id, status: "active" });
    const attempt = as(ada, "SELECT 1", { connectionString: undefined, ...asConfig(ada, name) });
    expect(await codeOf(attempt)).toBe("42501");
  });
});

it("everything works for a cluster's user who is no superuser, as on Amazon RDS", async () => {
  const api = await startTestDataApi(await withoutSuperuser(stack));
  try {
    const env = parseEnv({ ...deploymentEnv(stack, stack.postgresUrl), ...api.env });
    const { clusters } = parseEnv({
      ...deploymentEnv(stack, stack.postgresUrl),
      CLUSTER_HOST_CA_CENTRAL_1: `127.0.0.1:${ada.port}`,
    });
    const tools = { database: databaseOf(stack), dataApi: createDataApi(env.dataApi), clusters };
    const request = { companyId: await makeCompany(stack), name: freshName(), region };
    const { resource } = await createClusterDatabase(request, tools);
    const [one, two] = [
      (await createCredential(resource.id, {}, tools)) as Issued,
      (await createCredential(resource.id, {}, tools)) as Issued,
    ];
    await as(one, "CREATE TABLE work (id int)");
    // Owned by the login itself: its removal has to hand it over.
    await as(one, "SET ROLE NONE; CREATE TABLE public.own (id int)");
    await as(two, "INSERT INTO work VALUES (1)");
    const session = new Client({ connectionString: one.url });
    const ended = new Promise((resolve) => session.on("error", resolve));
    await session.connect();
    await rotateCredential(resource.id, two.user, tools);
    await removeCredential(resource.id, one.user, tools);
    await ended;
    expect(await rolesOf(one.user)).toEqual([]);
    expect(await as(two, "SELECT * FROM work")).toEqual([{ id: 1 }]);
    expect(await as(two, "SELECT * FROM own")).toEqual([]);
  } finally {
    await api.stopDataApi();
  }
});

describe("a hostile customer", () => {
  /** Keeps a transaction of the login open. */
  async function hold(login: Issued, ...statements: string[]): Promise<Client> {
    const client = new Client({ connectionString: login.url });
    client.on("error", () => {});
    await client.connect();
    for (const sql of ["BEGIN", ...statements]) await client.query(sql);
    return client;
  }

  it("cannot keep its login by changing its password in a transaction", async () => {
    const { id } = await makeDatabase();
    const login = await issue(id);
    await hold(login, "SET ROLE NONE", `ALTER ROLE "${login.user}" PASSWORD 'x'`);
    expect((await ask("DELETE", `${id}/credentials/${login.user}`)).status).toBe(200);
    expect(await rolesOf(login.user)).toEqual([]);
  });

  it("cannot keep its login by changing its password in a transaction that PostgreSQL cannot end yet", async () => {
    const { id } = await makeDatabase();
    const login = await issue(id);
    const session = await hold(login, "SET ROLE NONE", `ALTER ROLE "${login.user}" PASSWORD 'x'`);
    const [own] = (await session.query("SELECT pg_backend_pid() AS pid")).rows;
    const ended = codeOf(session.query("SELECT pg_sleep(600)"));
    // PostgreSQL looks for signals between rows, and not within an expression, which may compute for hours. A process that is stopped does not
    // see them either, and computes nothing.
    process.kill(own.pid, "SIGSTOP");
    try {
      expect((await ask("DELETE", `${id}/credentials/${login.user}`)).status).toBe(202);
      expect(await codeOf(as(login, "SELECT 1"))).toMatch(/^(42501|28000|28P01)$/);
    } finally {
      process.kill(own.pid, "SIGCONT");
    }
    expect(await ended).toBe("57P01");
  });

  it("cannot keep its login by a session that takes long to open", async () => {
    const api = await startTestDataApi(await withoutSuperuser(stack));
    const env = parseEnv({
      ...deploymentEnv(stack, stack.postgresUrl),
      ...api.env,
      CLUSTER_HOST_CA_CENTRAL_1: `127.0.0.1:${ada.port}`,
    });
    const dataApi = createDataApi(env.dataApi);
    const tools = { database: databaseOf(stack), dataApi, clusters: env.clusters };
    const cluster = findCluster(env.clusters, region) as Cluster;
    try {
      const request = { companyId: await makeCompany(stack), name: freshName(), region };
      const { resource } = await createClusterDatabase(request, tools);
      const issueHere = async () => (await createCredential(resource.id, {}, tools)) as Issued;
      const [leaving, staying] = [await issueHere(), await issueHere()];
      const openings: { session: Client; opened: Promise<string | undefined>; broken: Promise<string> }[] =
        [];
      for (const login of [staying, leaving]) {
        // PostgreSQL checks each name of the list whenever a session is opened.
        const list = Array.from({ length: 400_000 }, () => "pg_default").join();
        await as(login, `SET ROLE NONE; ALTER ROLE "${login.user}" SET temp_tablespaces = ${list}`);
      }
      for (const login of [staying, leaving]) {
        const session = new Client({ connectionString: login.url });
        const broken = new Promise<string>((resolve) => {
          session.on("error", (error: Error & { code?: string }) => resolve(error.code ?? error.message));
        });
        openings.push({ session, opened: codeOf(session.connect()), broken });
      }
      await expect
        .poll(() => dataApi.findOpeningSessions(cluster, request.name), { interval: 10 })
        .toHaveLength(2);
      expect(await removeCredential(resource.id, leaving.user, tools)).toMatchObject({ isDone: true });
      // It may have been opened just before it was ended: then only its own error says why.
      const answers = openings.map(async ({ session, opened, broken }) => {
        const code = await opened;
        return code === "done" ? ((await codeOf(session.query("SELECT 1"))) ?? broken) : code;
      });
      expect(await Promise.all(answers)).toEqual(["done", "57P01"]);
      await openings[0]?.session.end();
    } finally {
      await api.stopDataApi();
    }
  });

  it("cannot keep another customer's login by granting it something", async () => {
    const [mine, theirs] = [await makeDatabase(), await makeDatabase()];
    const [eve, victim] = [await issue(mine.id), await issue(theirs.id)];
    await as(eve, `CREATE TABLE bait (id int); GRANT SELECT ON bait TO "${victim.user}"`);
    expect((await ask("DELETE", `${theirs.id}/credentials/${victim.user}`)).status).toBe(200);
    expect(await codeOf(as(victim, "SELECT 1"))).toBe("28P01");
    expect((await ask("GET", `${theirs.id}/credentials`)).body).toEqual({ credentials: [] });
    const [left] = await query<{ canLogIn: boolean; password: string | null }>(
      stack.postgresUrl,
      `SELECT rolcanlogin AS "canLogIn", rolpassword AS password FROM pg_authid WHERE rolname = $1`,
      [victim.user],
    );
    expect(left).toEqual({ canLogIn: false, password: null });
  });

  it("cannot keep another customer's login by a grant that it leaves open", async () => {
    const [mine, theirs] = [await makeDatabase(), await makeDatabase()];
    const [eve, victim] = [await issue(mine.id), await issue(theirs.id)];
    const client = await hold(eve, "CREATE TABLE bait (id int)", `GRANT SELECT ON bait TO "${victim.user}"`);
    expect((await ask("DELETE", `${theirs.id}/credentials/${victim.user}`)).status).toBe(200);
    expect(await codeOf(as(victim, "SELECT 1"))).toBe("28P01");
    await client.end();
  });

  it("cannot keep others from getting a login of its database", async () => {
    const { id } = await makeDatabase();
    const eve = await issue(id);
    const client = await hold(eve, "GRANT USAGE ON SCHEMA public TO PUBLIC");
    expect(await as(await issue(id), "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await client.end();
  });

  it("gets into no database while that is being created", async () => {
    const api = await startTestDataApi(stack);
    const env = parseEnv({ ...deploymentEnv(stack, stack.postgresUrl), ...api.env });
    const tools = {
      database: databaseOf(stack),
      dataApi: createDataApi(env.dataApi),
      clusters: env.clusters,
    };
    const request = { companyId: await makeCompany(stack), name: freshName(), region };
    const attempts: Promise<string | undefined>[] = [];
    let isCreated = false;
    api.setFault((sql) => {
      // Before each statement after CREATE DATABASE.
      if (isCreated)
        attempts.push(
          codeOf(as(ada, "SELECT 1", { connectionString: undefined, ...asConfig(ada, request.name) })),
        );
      isCreated ||= sql.startsWith("CREATE DATABASE");
      return undefined;
    });
    // A login that is connected to the template holds up nothing.
    await query(stack.postgresUrl, `GRANT CONNECT ON DATABASE template1 TO "${ada.user}"`);
    const inTemplate = new Client(asConfig(ada, "template1"));
    await inTemplate.connect();
    try {
      await createClusterDatabase(request, tools);
      expect(attempts.length).toBeGreaterThanOrEqual(3);
      for (const code of await Promise.all(attempts)) expect(["55000", "42501"]).toContain(code);
    } finally {
      await inTemplate.end();
      await query(stack.postgresUrl, `REVOKE CONNECT ON DATABASE template1 FROM "${ada.user}"`);
      await api.stopDataApi();
    }
  });
});

it("a database whose name begins with pg_ has credentials, too", async () => {
  const name = `pg_${freshName()}`.slice(0, 60);
  const { body } = await postDatabase(apiBaseUrl, { companyId: await makeCompany(stack), name, region });
  expect(await as(await issue(body.resource.id), "SELECT current_database() AS name")).toEqual([{ name }]);
});

it("closing a database that belongs to somebody else is reported as a failure", async () => {
  const { id, name } = await makeDatabase();
  await query(stack.postgresUrl, `GRANT CONNECT ON DATABASE "${name}" TO PUBLIC`);
  const api = await startTestDataApi(await withoutSuperuser(stack));
  try {
    const env = parseEnv({ ...deploymentEnv(stack, stack.postgresUrl), ...api.env });
    const tools = {
      database: databaseOf(stack),
      dataApi: createDataApi(env.dataApi),
      clusters: env.clusters,
    };
    await expect(createCredential(id, {}, tools)).rejects.toMatchObject({
      code: "provider_failed",
      logDetail: `${name} belongs to another role than the one in the cluster's secret`,
    });
  } finally {
    await api.stopDataApi();
    await query(stack.postgresUrl, `REVOKE CONNECT ON DATABASE "${name}" FROM PUBLIC`);
  }
});

describe("what is refused", () => {
  it.each(["unknown", "a'b", 'a"; DROP ROLE postgres; --', "a%00b", "postgres"])(
    "is a user that this database does not have: %s",
    async (user) => {
      const path = `${own.id}/credentials/${encodeURIComponent(user).replace("%2500", "%00")}`;
      expect((await ask("DELETE", path)).status).toBe(404);
      expect((await ask("POST", `${path}/rotate`)).status).toBe(404);
    },
  );

  it("is a user of another database", async () => {
    expect((await ask("DELETE", `${other.id}/credentials/${ada.user}`)).status).toBe(404);
    await as(ada, "SELECT 1");
  });

  it("is a name with control characters, and unknown members", async () => {
    for (const body of [{ name: "a\u0000b" }, { name: "" }, { name: "n".repeat(201) }, { password: "mine" }])
      expect((await ask("POST", `${own.id}/credentials`, body)).status).toBe(400);
    const odd = `'; DROP TABLE "x" $$ ${"İ".repeat(10)}`;
    expect((await ask("POST", `${own.id}/credentials`, { name: odd })).status).toBe(201);
  });

  it("is a database that is not there, or not active", async () => {
    expect((await ask("POST", "unknown/credentials", {})).body).toEqual({ error: "Resource not found" });
    const pending = await postDatabase(apiBaseUrl, {
      companyId: await makeCompany(stack),
      name: freshName(),
      region: "eu-north-1",
    });
    const refused = await ask("POST", `${pending.body.resource.id}/credentials`, {});
    expect(refused).toMatchObject({ status: 409, body: { code: "database_not_active" } });
  });
});

describe("npm run databases", () => {
  const run = (...words: string[]) =>
    runHere("databases", databasesCommand, words, {
      ...deploymentEnv(stack, stack.postgresUrl),
      CLUSTER_HOST_CA_CENTRAL_1: `127.0.0.1:${ada.port}`,
    });

  it("makes, lists, rotates and removes credentials", async () => {
    const { id } = await makeDatabase();
    const made = await run("credentials", id, "--add", "--name", "reports", "--json");
    const issued: Issued = JSON.parse(made.stdout);
    expect([made.code, await as(issued, "SELECT 1 AS one")]).toEqual([0, [{ one: 1 }]]);
    expect((await run("credentials", id)).stdout).toMatch(
      new RegExp(`^${issued.user}  since \\S+  reports$`, "m"),
    );
    const rotated = await run("credentials", id, "--rotate", issued.user);
    expect(rotated.stdout).toMatch(/postgresql:\/\//);
    expect((await run("credentials", id, "--remove", issued.user)).stdout).toBe(`Removed ${issued.user}.\n`);
    expect(await codeOf(as(issued, "SELECT 1"))).toBe("28P01");
    expect(await run("credentials", id, "--remove", issued.user)).toMatchObject({ code: 1 });
  });

  it("closes databases of earlier versions to logins of others", async () => {
    await query(stack.postgresUrl, `GRANT CONNECT ON DATABASE "${other.name}" TO PUBLIC`);
    const attempt = () =>
      codeOf(as(ada, "SELECT 1", { connectionString: undefined, ...asConfig(ada, other.name) }));
    expect(await attempt()).toBe("done");
    const { stdout } = await run("secure");
    expect(stdout).toMatch(/^Secured \d+ databases\.$/m);
    expect(await attempt()).toBe("42501");
  });
});
