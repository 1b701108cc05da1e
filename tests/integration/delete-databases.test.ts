/** Deleting databases, restoring them, and dropping them by `npm run cleanup`. */
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { cleanup as cleanupCommand } from "../../app/commands/cleanup";
import { databases as databasesCommand } from "../../app/commands/databases";
import { createClusterDatabase } from "../../app/databases/create-database.server";
import {
  createCredential,
  removeCredential,
} from "../../app/databases/credentials/database-credentials.server";
import { dropDeletedDatabases } from "../../app/databases/drop-databases.server";
import type { DatabaseResource } from "../../app/databases/find-databases.server";
import { parseEnv } from "../../app/env/env.server";
import { createDataApi } from "../../app/providers/rds-data-api.server";
import type { DataApiFault } from "../../local/data-api";
import { deploymentEnv } from "../support/app/deployment";
import { databaseOf } from "../support/app/embed-client";
import { runHere } from "../support/app/run-command";
import {
  eventsOfDatabase,
  freshName,
  getDatabase,
  isInCluster,
  makeCompany,
  postDatabase,
  type Refusal,
} from "../support/databases/cluster-databases";
import { startTestDataApi, type TestDataApi, withoutSuperuser } from "../support/databases/data-api";
import { query } from "../support/databases/postgres";

const stack = inject("stack");
const { apiBaseUrl, clusterRegion: region } = stack;
const { clientResource, databaseCredential, databaseDeletion } = databaseOf(stack);
const DAY_MS = 24 * 3600_000;

let api: TestDataApi;
let tools: Parameters<typeof dropDeletedDatabases>[0] & Parameters<typeof removeCredential>[2];
beforeAll(async () => {
  api = await startTestDataApi(stack);
  const env = parseEnv({ ...deploymentEnv(stack, stack.postgresUrl), ...api.env });
  tools = { database: databaseOf(stack), dataApi: createDataApi(env.dataApi), clusters: env.clusters };
});
afterAll(() => api.stopDataApi());

async function ask<Body = DatabaseResource>(method: string, path: string, body: object = {}) {
  const response = await fetch(`${apiBaseUrl}/api/cluster/databases/${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

interface Made {
  id: string;
  name: string;
  companyId: string;
}
async function makeDatabase(companyId?: string): Promise<Made> {
  const owner = companyId ?? (await makeCompany(stack));
  const { body } = await postDatabase(apiBaseUrl, { companyId: owner, name: freshName(), region });
  return { ...body.resource, companyId: owner };
}
const remove = ({ id, name }: Made) => ask("DELETE", id, { confirm: name });
const issue = async ({ id }: Made) =>
  (await ask<{ user: string; url: string }>("POST", `${id}/credentials`)).body;

/** As if the days of `restorableUntil` had passed. */
const letTimePass = ({ id }: Made) =>
  databaseDeletion.update({ where: { resourceId: id }, data: { dropAfter: new Date(Date.now() - 1) } });

/** Drops what is due, by a Data API of the test's own. Claims of earlier attempts count as ended. */
const drop = () => dropDeletedDatabases(tools, new AbortController().signal, -1);

const rolesOf = async ({ name }: Made) => {
  const rows = await query(stack.postgresUrl, "SELECT 1 FROM pg_roles WHERE rolname LIKE $1 || '%'", [name]);
  return rows.length;
};

describe("a deleted database", () => {
  it("may be named in the address, by clients that send no body with DELETE", async () => {
    const made = await makeDatabase();
    const address = `${apiBaseUrl}/api/cluster/databases/${made.id}?confirm=${made.name}`;
    const deleted = await fetch(address, { method: "DELETE" });
    expect([deleted.status, await deleted.json()]).toMatchObject([200, { id: made.id, status: "deleted" }]);
    const document = await (await fetch(`${apiBaseUrl}/openapi.json`)).json();
    const { requestBody, parameters } = document.paths["/api/cluster/databases/{resourceId}"].delete;
    expect(requestBody).toMatchObject({
      required: false,
      content: { "application/json": { schema: { $ref: "#/components/schemas/DeleteDatabaseRequest" } } },
    });
    expect(parameters).toContainEqual(
      expect.objectContaining({ name: "confirm", in: "query", required: false }),
    );
  });

  it("is kept for a week, says so, and comes back as it was", async () => {
    const made = await makeDatabase();
    const { url } = await issue(made);
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query("CREATE TABLE kept AS SELECT 1 AS one");
    const deleted = await remove(made);
    expect(deleted).toMatchObject({ status: 200, body: { id: made.id, status: "deleted" } });
    const { restorableUntil } = Object(deleted.body.metadata.deletion);
    expect((Date.parse(restorableUntil) - Date.now()) / DAY_MS).toBeCloseTo(7, 1);
    expect((await remove(made)).body.metadata).toEqual({ deletion: { restorableUntil } });
    expect((await drop()).dropped).toBe(0);
    expect((await client.query("SELECT one FROM kept")).rows).toEqual([{ one: 1 }]);
    await client.end();
    expect(await ask<Refusal>("POST", `${made.id}/credentials`)).toMatchObject({
      status: 409,
      body: { code: "database_not_active" },
    });

    for (let times = 0; times < 2; times++)
      expect(await ask("POST", `${made.id}/restore`)).toMatchObject({
        status: 200,
        body: { status: "active", metadata: {} },
      });
    expect((await issue(made)).user).toEqual(expect.any(String));
    expect((await eventsOfDatabase(stack, made.id)).map(({ type }) => type).sort()).toEqual([
      "database.created",
      "database.deleted",
      "database.restored",
    ]);
  });

  it("keeps its name until it is dropped, for its company and for others", async () => {
    const made = await makeDatabase();
    await remove(made);
    const again = await postDatabase<Refusal>(apiBaseUrl, {
      ...made,
      id: undefined,
      status: undefined,
      region,
    });
    expect([again.status, again.body.error]).toEqual([409, expect.stringContaining("Restore it")]);
    const theirs = { companyId: await makeCompany(stack), name: made.name, region };
    const other = await postDatabase<Refusal>(apiBaseUrl, theirs);
    expect([other.status, other.body.code, other.body.error]).toEqual([
      409,
      "name_taken",
      expect.not.stringContaining("Restore"),
    ]);
    await letTimePass(made);
    await drop();
    expect((await postDatabase(apiBaseUrl, theirs)).status).toBe(201);
  });

  it("is dropped with its roles, although somebody is connected", async () => {
    const company = await makeCompany(stack);
    const [made, neighbour] = [await makeDatabase(company), await makeDatabase(company)];
    const [login, theirs] = [await issue(made), await issue(neighbour)];
    await issue(made);
    const [session, other] = [login, theirs].map(({ url }) => new Client({ connectionString: url }));
    const ended = new Promise((resolve) => session?.on("error", resolve));
    await Promise.all([session?.connect(), other?.connect()]);
    await remove(made);
    await letTimePass(made);
    expect(await drop()).toMatchObject({ failures: [] });
    await ended;
    expect([await isInCluster(stack, made.name), await rolesOf(made)]).toEqual([false, 0]);
    expect(await databaseCredential.count({ where: { resourceId: made.id } })).toBe(0);
    expect((await getDatabase(apiBaseUrl, made.id)).body).toMatchObject({ status: "deleted", metadata: {} });
    expect(await ask<Refusal>("POST", `${made.id}/restore`)).toMatchObject({
      status: 409,
      body: { code: "database_dropped" },
    });
    expect((await remove(made)).status).toBe(200);
    expect((await other?.query("SELECT 1 AS one"))?.rows).toEqual([{ one: 1 }]);
    await other?.end();
  });

  it("does not come back if its company has its name again, in another cluster", async () => {
    const made = await makeDatabase();
    await remove(made);
    const { id, ...record } = await clientResource.findUniqueOrThrow({ where: { id: made.id } });
    const metadata = {};
    await clientResource.create({
      data: { ...record, metadata, status: "suspended", clusterRef: "arn:new" },
    });
    expect(await ask<Refusal>("POST", `${id}/restore`)).toMatchObject({
      status: 409,
      body: { code: "name_taken" },
    });
    const { body } = await getDatabase(apiBaseUrl, id);
    expect(body).toMatchObject({ status: "deleted", metadata: { deletion: {} } });
  });

  it("comes back suspended if it was", async () => {
    const made = await makeDatabase();
    await clientResource.update({ where: { id: made.id }, data: { status: "suspended" } });
    await remove(made);
    expect((await ask("POST", `${made.id}/restore`)).body.status).toBe("suspended");
  });
});

describe("deleting", () => {
  it("needs the name of the database", async () => {
    const made = await makeDatabase();
    for (const body of [{}, { confirm: "another" }, { confirm: made.name, force: true }])
      expect((await ask<Refusal>("DELETE", made.id, body)).status).toBe(400);
    expect((await getDatabase(apiBaseUrl, made.id)).body.status).toBe("active");
    for (const query of ["", "?confirm=", "?confirm=another", `?confirm=${made.name}&force=true`]) {
      const address = `${apiBaseUrl}/api/cluster/databases/${made.id}${query}`;
      expect((await fetch(address, { method: "DELETE" })).status).toBe(400);
    }
    expect(await ask("DELETE", `${made.id}?confirm=${made.name}`, { confirm: "another" })).toMatchObject({
      status: 400,
    });
    expect(await ask("DELETE", "unknown", { confirm: "x" })).toEqual({
      status: 404,
      body: { error: "Resource not found" },
    });
  });

  it("ends the record of a database that never had a cluster at once", async () => {
    const request = { companyId: await makeCompany(stack), name: freshName(), region: "eu-north-1" };
    const { body } = await postDatabase(apiBaseUrl, request);
    expect((await remove({ ...body.resource, companyId: "" })).body).toMatchObject({
      status: "deleted",
      metadata: {},
    });
    // Nobody was told that it had been created.
    expect(await eventsOfDatabase(stack, body.resource.id)).toEqual([]);
    const again = await postDatabase(apiBaseUrl, request);
    expect([again.status, again.body.resource.id === body.resource.id]).toEqual([201, false]);
  });

  it("is refused while it is unknown whether the database exists", async () => {
    const made = await makeDatabase();
    const pending = { status: "pending", creationAttempts: 1 };
    await clientResource.update({ where: { id: made.id }, data: pending });
    expect(await ask<Refusal>("DELETE", made.id, { confirm: made.name })).toMatchObject({
      status: 409,
      body: { code: "database_not_active" },
    });
  });

  it("and restoring at once end in one of the two states, and none is told that it has been dropped", async () => {
    const made = await makeDatabase();
    for (let times = 0; times < 10; times++) {
      await remove(made);
      const told = await Promise.all([
        ...Array.from({ length: 5 }, () => remove(made)),
        ...Array.from({ length: 5 }, () => ask("POST", `${made.id}/restore`)),
      ]);
      // 503: others were faster five times.
      expect(told.map(({ status }) => status).filter((status) => status !== 200 && status !== 503)).toEqual(
        [],
      );
      const { body } = await getDatabase(apiBaseUrl, made.id);
      expect(["active", "deleted"]).toContain(body.status);
      expect("deletion" in body.metadata).toBe(body.status === "deleted");
    }
  });
});

describe("dropping", () => {
  it("keeps a database whose record is not deleted any more", async () => {
    const made = await makeDatabase();
    await remove(made);
    await letTimePass(made);
    await clientResource.update({ where: { id: made.id }, data: { status: "active" } });
    expect((await drop()).failures).toEqual([
      { name: made.name, reason: expect.stringContaining(`restore ${made.id}`) },
    ]);
    expect(await isInCluster(stack, made.name)).toBe(true);
    expect(await ask("POST", `${made.id}/restore`)).toMatchObject({
      status: 200,
      body: { status: "active" },
    });
    expect(await drop()).toEqual({ dropped: 0, failures: [] });
  });

  it("follows the name in the cluster, and keeps a database that another record is about", async () => {
    const [victim, relabelled] = [await makeDatabase(), await makeDatabase()];
    await clientResource.update({ where: { id: relabelled.id }, data: { name: victim.name } });
    await remove({ ...relabelled, name: victim.name });
    await letTimePass(relabelled);
    expect(await drop()).toEqual({ dropped: 1, failures: [] });
    expect([await isInCluster(stack, victim.name), await isInCluster(stack, relabelled.name)]).toEqual([
      true,
      false,
    ]);
  });

  it("is not held up by what others have granted to its roles", async () => {
    const [made, other] = [await makeDatabase(), await makeDatabase()];
    const [login, eve] = [await issue(made), await issue(other)];
    const client = new Client({ connectionString: eve.url });
    await client.connect();
    await client.query(`CREATE TABLE bait (id int); GRANT SELECT ON bait TO "${login.user}"`);
    await client.end();
    await remove(made);
    await letTimePass(made);
    expect(await drop()).toEqual({ dropped: 1, failures: [] });
    expect(await isInCluster(stack, made.name)).toBe(false);
  });

  it("does not touch a database that was restored, or that nobody deleted", async () => {
    const [restored, kept] = [await makeDatabase(), await makeDatabase()];
    await remove(restored);
    await letTimePass(restored);
    await ask("POST", `${restored.id}/restore`);
    await drop();
    for (const { name } of [restored, kept]) expect(await isInCluster(stack, name)).toBe(true);
  });

  it("excludes restoring once it has begun, and is done by one process", async () => {
    const made = await makeDatabase();
    await remove(made);
    await letTimePass(made);
    await databaseDeletion.update({
      where: { resourceId: made.id },
      data: { dropStartedAt: new Date() },
    });
    expect((await ask("POST", `${made.id}/restore`)).status).toBe(409);
    expect(await dropDeletedDatabases(tools, new AbortController().signal)).toEqual({
      dropped: 0,
      failures: [],
    });
    expect(await isInCluster(stack, made.name)).toBe(true);
    expect((await drop()).dropped).toBe(1);
  });

  it("ends with the database and its login gone, while the login is being removed", async () => {
    for (let round = 0; round < 4; round++) {
      const made = await makeDatabase();
      const { user } = await issue(made);
      await remove(made);
      await letTimePass(made);
      const [outcome] = await Promise.all([
        removeCredential(made.id, user, tools).then(
          () => "removed",
          (error: { code?: string }) => error.code,
        ),
        drop(),
      ]);
      expect(["removed", "database_not_active", "resource_not_found"]).toContain(outcome);
      await drop();
      expect([await isInCluster(stack, made.name), await rolesOf(made)]).toEqual([false, 0]);
      expect(await databaseCredential.count({ where: { resourceId: made.id } })).toBe(0);
    }
  });

  it("that fails at any statement, run or not, is completed by the next one", async () => {
    const faults: DataApiFault[] = [
      { when: "before", reset: true },
      { when: "after", reset: true },
    ];
    const makeWithLogin = async () => {
      const made = await makeDatabase();
      await issue(made);
      return made;
    };
    // The next one is made while this one is dropped.
    let next = makeWithLogin();
    for (const fault of faults) {
      for (let failing = 1; ; failing++) {
        const made = await next;
        next = makeWithLogin();
        await remove(made);
        await letTimePass(made);
        let sent = 0;
        api.setFault(() => (++sent === failing ? fault : undefined));
        const { failures } = await drop();
        api.setFault(undefined);
        if (failures.length > 0) {
          expect(failures).toEqual([{ name: made.name, reason: expect.any(String) }]);
          expect((await drop()).dropped).toBe(1);
        }
        expect([await isInCluster(stack, made.name), await rolesOf(made)]).toEqual([false, 0]);
        if (sent < failing) break;
      }
    }
    await next;
    // Some twenty databases are created and dropped.
  }, 120_000);

  it("reports a cluster that is no longer configured, and goes on with the others", async () => {
    const [lost, made] = [await makeDatabase(), await makeDatabase()];
    for (const one of [lost, made]) {
      await remove(one);
      await letTimePass(one);
    }
    await clientResource.update({ where: { id: lost.id }, data: { clusterRef: "arn:gone" } });
    expect(await drop()).toEqual({
      dropped: 1,
      failures: [{ name: lost.name, reason: expect.stringMatching(/^The cluster .* is not configured\.$/) }],
    });
    await databaseDeletion.delete({ where: { resourceId: lost.id } });
  });
});

it("databases are dropped by a cluster's user who is no superuser, as on Amazon RDS", async () => {
  const weaker = await startTestDataApi(await withoutSuperuser(stack));
  try {
    const { clusters, dataApi } = parseEnv({
      ...deploymentEnv(stack, stack.postgresUrl),
      ...weaker.env,
      CLUSTER_HOST_CA_CENTRAL_1: `127.0.0.1:${new URL(stack.postgresUrl).port}`,
    });
    const tools = { database: databaseOf(stack), dataApi: createDataApi(dataApi), clusters };
    const request = { companyId: await makeCompany(stack), name: freshName(), region };
    const { resource } = await createClusterDatabase(request, tools);
    const { url } = await createCredential(resource.id, {}, tools);
    const session = new Client({ connectionString: url ?? "" });
    const ended = new Promise((resolve) => session.on("error", resolve));
    await session.connect();
    await session.query("CREATE TABLE work (id int)");
    const made = { ...resource, companyId: request.companyId };
    await remove(made);
    await letTimePass(made);
    expect(await dropDeletedDatabases(tools, new AbortController().signal, -1)).toEqual({
      dropped: 1,
      failures: [],
    });
    await ended;
    expect([await isInCluster(stack, made.name), await rolesOf(made)]).toEqual([false, 0]);
  } finally {
    await weaker.stopDataApi();
  }
});

describe("the commands", () => {
  const env = () => ({ ...deploymentEnv(stack, stack.postgresUrl), ...api.env });
  const run = (...words: string[]) => runHere("databases", databasesCommand, words, env());

  it("delete, restore and drop", async () => {
    const made = await makeDatabase();
    expect(await run("delete", made.id, "--confirm", "wrong")).toMatchObject({ code: 1 });
    expect((await run("delete", made.id, "--confirm", made.name)).stdout).toMatch(
      `Deleted ${made.name}. It can be restored until `,
    );
    expect((await run("restore", made.id)).stdout).toBe(`Restored ${made.name}. It is active.\n`);
    const deleted = await run("delete", made.id, "--confirm", made.name, "--json");
    expect(JSON.parse(deleted.stdout)).toMatchObject({ status: "deleted" });
    await letTimePass(made);
    const dryRun = await runHere("cleanup", cleanupCommand, ["--dry-run"], env());
    expect(dryRun.stdout).toContain("Deleted databases: 1 can no longer be restored. Nothing was dropped.\n");
    const cleaned = await runHere("cleanup", cleanupCommand, [], env());
    expect([cleaned.code, cleaned.stdout]).toEqual([
      0,
      expect.stringContaining("Deleted databases: dropped 1 of 1.\n"),
    ]);
    expect(await isInCluster(stack, made.name)).toBe(false);
  });
});
