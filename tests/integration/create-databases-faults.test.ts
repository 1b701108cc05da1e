/**
 * Faults of the cluster, injected at the Data API, with the built app and a real PostgreSQL. All tests share one app with a
 * faulty Data API,
 * which takes seconds to start.
 */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { createClusterDatabase } from "../../app/databases/create-database.server";
import { withdraw } from "../../app/databases/reservation.server";
import { parseEnv } from "../../app/env/env.server";
import { createDataApi } from "../../app/providers/rds-data-api.server";
import type { DataApiFault } from "../../local/data-api";
import { CLUSTER_ARN } from "../../local/settings";
import { type ClusterApp, startClusterApp } from "../support/app/cluster-app";
import { databaseOf } from "../support/app/embed-client";
import {
  eventsOfDatabase,
  freshName,
  getDatabase,
  isInCluster,
  listDatabases,
  makeCompany,
  postDatabase,
  type Refusal,
  recordsOf,
} from "../support/databases/cluster-databases";
import { query } from "../support/databases/postgres";

const stack = inject("stack");
const { clusterRegion: region } = stack;

let app: ClusterApp;

beforeAll(async () => {
  app = await startClusterApp(stack);
});
afterEach(() => app.setFault(undefined));
afterAll(() => app.close());

interface Wanted {
  companyId: string;
  name: string;
  region: string;
}

const wantDatabase = async (): Promise<Wanted> => ({
  companyId: await makeCompany(stack),
  name: freshName(),
  region,
});
const post = (wanted: Wanted, headers?: Record<string, string>) =>
  postDatabase<Refusal>(app.apiBaseUrl, wanted, headers);

/** Injects the fault into the first statement of its kind; later ones pass. */
function failOnce(kind: "CREATE" | "SELECT", fault: DataApiFault, meanwhile: () => void = () => {}): void {
  let isSpent = false;
  app.setFault((sql) => {
    if (isSpent || !sql.startsWith(kind)) return undefined;
    isSpent = true;
    meanwhile();
    return fault;
  });
}

/** Expects one active record, one database and one event, which must be the outcome of every fault. */
async function expectMade(wanted: Wanted): Promise<void> {
  expect(await isInCluster(stack, wanted.name)).toBe(true);
  const records = await recordsOf(stack, wanted.name);
  expect(records).toMatchObject([
    { ...wanted, status: "active", externalId: wanted.name, creationAttempts: 0 },
  ]);
  expect(await eventsOfDatabase(stack, records[0]?.id)).toMatchObject([
    { type: "database.created", companyId: wanted.companyId },
  ]);
  const { body } = await listDatabases(app.apiBaseUrl, { companyId: wanted.companyId });
  expect(body.databases.map(({ metadata }) => metadata)).toEqual([{}]);
}

/** Expects a pending record that the API reports in `metadata`. */
async function expectUnconfirmed({ name, companyId }: Wanted): Promise<void> {
  const records = await recordsOf(stack, name);
  expect(records).toMatchObject([{ status: "pending", creationAttempts: 1 }]);
  expect(await eventsOfDatabase(stack, records[0]?.id)).toEqual([]);
  const { body } = await listDatabases(app.apiBaseUrl, { companyId });
  const creation = { unconfirmedAttempts: 1, lastAttemptAt: expect.stringMatching(/^\d{4}-.*Z$/) };
  expect(body.databases).toMatchObject([{ status: "pending", metadata: { creation } }]);
}

async function expectNothing({ name }: Wanted): Promise<void> {
  expect(await isInCluster(stack, name)).toBe(false);
  expect(await recordsOf(stack, name)).toEqual([]);
}

async function expectRepair(wanted: Wanted): Promise<void> {
  app.setFault(undefined);
  const repeated = await postDatabase(app.apiBaseUrl, wanted);
  expect([repeated.status, repeated.body.resource.status]).toEqual([201, "active"]);
  await expectMade(wanted);
}

describe("concurrent requests", () => {
  it("for the same database create it once and get the same response", async () => {
    const wanted = await wantDatabase();
    const answers = await Promise.all(Array.from({ length: 10 }, () => postDatabase(app.apiBaseUrl, wanted)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    const [first] = answers;
    for (const { body } of answers) expect(body).toEqual(first?.body);
    await expectMade(wanted);
  });

  it("that all pass the lookup and create at the same time create it once too", async () => {
    const wanted = await wantDatabase();
    let arrived = 0;
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    app.setFault(async (sql) => {
      if (!sql.startsWith("CREATE")) return undefined;
      arrived += 1;
      if (arrived === 2) letGo();
      await held;
      return undefined;
    });
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(wanted)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    await expectMade(wanted);
  });

  it("of several companies give the name to only one of them", async () => {
    const wanted = await wantDatabase();
    const companies = await Promise.all(Array.from({ length: 5 }, () => makeCompany(stack)));
    const answers = await Promise.all(companies.map((companyId) => post({ ...wanted, companyId })));
    const winner = answers.findIndex(({ status }) => status === 201);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    await expectMade({ ...wanted, companyId: companies[winner] ?? "" });
  });
});

describe("a record that is withdrawn by another request", () => {
  /** Creates a database with the app's own functions and withdraws the record between two steps. */
  async function createWithout(wanted: Wanted): Promise<string> {
    const env = parseEnv(app.env);
    const dataApi = createDataApi(env.dataApi);
    const database = databaseOf(stack);
    let isWithdrawn = false;
    const { resource } = await createClusterDatabase(wanted, {
      database,
      clusters: env.clusters,
      dataApi: {
        ...dataApi,
        async databaseExists(...asked) {
          const isThere = await dataApi.databaseExists(...asked);
          const [record] = await recordsOf(stack, wanted.name);
          if (!isWithdrawn) await withdraw(database, record?.id ?? "");
          isWithdrawn = true;
          return isThere;
        },
      },
    });
    expect(resource.status).toBe("active");
    return resource.id;
  }

  it("is reserved again, and no database is created without one", async () => {
    const wanted = await wantDatabase();
    await createWithout(wanted);
    await expectMade(wanted);
  });

  it("claims its cluster again if it was waiting for one", async () => {
    const wanted = await wantDatabase();
    const [id] = await insertPendingRecord(wanted);
    expect(await createWithout(wanted)).toBe(id);
    expect(await recordsOf(stack, wanted.name)).toMatchObject([{ id, clusterRef: CLUSTER_ARN }]);
  });
});

describe("a process that is killed", { timeout: 60_000 }, () => {
  const steps: [string, "CREATE" | "SELECT", DataApiFault][] = [
    ["after it has reserved the record", "SELECT", { when: "before", reset: true }],
    ["before its CREATE DATABASE is run", "CREATE", { when: "before", reset: true }],
    ["while its CREATE DATABASE is run", "CREATE", { when: "after", reset: true }],
  ];
  it.each(steps)("%s leaves a state that the same request completes", async (_, kind, fault) => {
    const wanted = await wantDatabase();
    failOnce(kind, fault, () => app.kill());
    await expect(post(wanted)).rejects.toThrow();
    const isRun = kind === "CREATE" && fault.when === "after";
    await expect.poll(() => isInCluster(stack, wanted.name)).toBe(isRun);
    expect(await recordsOf(stack, wanted.name)).toMatchObject([{ ...wanted, status: "pending" }]);
    await app.start();
    await expectRepair(wanted);
  });
});

describe("a statement without a response", () => {
  const unanswered: [string, DataApiFault][] = [
    ["because the connection breaks, although it succeeds", { when: "after", reset: true }],
    ["because the connection breaks before it runs", { when: "before", reset: true }],
    ["because it took too long", { error: { type: "StatementTimeoutException" } }],
    ["because the service is not available", { error: { type: "ServiceUnavailableError" } }],
  ];
  it.each(unanswered)(
    "%s, leaves a pending record that says so and that a repeated request completes",
    async (_, fault) => {
      const wanted = await wantDatabase();
      failOnce("CREATE", fault);
      const failed = await post(wanted);
      expect([failed.status, failed.body.code]).toEqual([503, "unavailable"]);
      expect(Number(failed.headers.get("Retry-After"))).toBeGreaterThan(0);
      await expectUnconfirmed(wanted);
      await expectRepair(wanted);
    },
  );

  it("in time, although it succeeds, leaves the same", async () => {
    const wanted = await wantDatabase();
    failOnce("CREATE", { when: "after", delayMs: 2_500 });
    const { dataApi, clusters } = parseEnv(app.env);
    const creating = createClusterDatabase(wanted, {
      database: databaseOf(stack),
      clusters,
      dataApi: createDataApi({ ...dataApi, timeoutSeconds: 1 }),
    });
    await expect(creating).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 5 });
    await expectUnconfirmed(wanted);
    await expectRepair(wanted);
  });

  it("reserves its name against other companies until then", async () => {
    const wanted = await wantDatabase();
    failOnce("CREATE", { when: "after", reset: true });
    expect((await post(wanted)).status).toBe(503);
    const other = await post({ ...wanted, companyId: await makeCompany(stack) });
    expect([other.status, other.body.code]).toEqual([409, "name_taken"]);
    await expectRepair(wanted);
  });
});

describe("a cluster that is paused", () => {
  it("is waited for", async () => {
    const wanted = await wantDatabase();
    let left = 3;
    app.setFault(() => (left-- > 0 ? { error: { type: "DatabaseResumingException" } } : undefined));
    expect((await post(wanted)).status).toBe(201);
    await expectMade(wanted);
  });

  it("may pause again before CREATE DATABASE", async () => {
    const wanted = await wantDatabase();
    failOnce("CREATE", { error: { type: "DatabaseResumingException" } });
    expect((await post(wanted)).status).toBe(201);
    await expectMade(wanted);
  });
});

describe("a caller that wants to wait for a second at most", () => {
  const resuming: DataApiFault = { error: { type: "DatabaseResumingException" } };
  const wait = { Prefer: "wait=1" };

  it("gets a 503 while the cluster resumes, and the database is created nevertheless", async () => {
    const wanted = await wantDatabase();
    app.setFault(() => resuming);
    const late = await post(wanted, wait);
    expect([late.status, late.body.code]).toEqual([503, "unavailable"]);
    expect(late.body.error).toContain("Send the same request again");
    expect(Number(late.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(late.headers.get("Preference-Applied")).toBe("wait=1");
    expect(await recordsOf(stack, wanted.name)).toMatchObject([{ ...wanted, status: "pending" }]);

    app.setFault(undefined);
    await expect
      .poll(async () => (await recordsOf(stack, wanted.name)).map(({ status }) => status), {
        timeout: 10_000,
      })
      .toEqual(["active"]);
    await expectRepair(wanted);
  });

  it("gets the database by the same request, also while the first one is under way", async () => {
    const wanted = await wantDatabase();
    app.setFault(() => resuming);
    expect((await post(wanted, wait)).status).toBe(503);
    const [record] = await recordsOf(stack, wanted.name);
    app.setFault(undefined);
    const repeated = await postDatabase(app.apiBaseUrl, wanted, { Prefer: "wait=20" });
    expect([repeated.status, repeated.body.resource]).toMatchObject([
      201,
      { id: record?.id, status: "active" },
    ]);
    expect(repeated.headers.get("Preference-Applied")).toBe("wait=20");
    await expectMade(wanted);
  });

  it("is told of a refusal at once", async () => {
    const wanted = await wantDatabase();
    failOnce("CREATE", { error: { type: "AccessDeniedException" } });
    expect((await post(wanted, { Prefer: "wait=20" })).status).toBe(502);
    await expectNothing(wanted);
  });

  it("says so in a header that makes sense; any other is ignored", async () => {
    const made = await post(await wantDatabase(), { Prefer: "wait=soon" });
    expect(made.status).toBe(201);
    expect(made.headers.has("Preference-Applied")).toBe(false);
  });
});

describe("a cluster that refuses", () => {
  it("leaves nothing behind, and its message does not reach the caller", async () => {
    const wanted = await wantDatabase();
    const message = "ERROR: permission denied to create database of tenant-7; SQLState: 42501";
    failOnce("CREATE", { error: { type: "DatabaseErrorException", message } });
    const refused = await post(wanted);
    expect([refused.status, refused.body.code]).toEqual([502, "provider_failed"]);
    expect(JSON.stringify(refused.body)).not.toMatch(/tenant-7|42501|permission/);
    await expectNothing(wanted);
    await expectRepair(wanted);
  });

  it("all concurrent requests leaves nothing behind either", async () => {
    const wanted = await wantDatabase();
    app.setFault((sql) =>
      sql.startsWith("CREATE") ? { error: { type: "AccessDeniedException" }, delayMs: 50 } : undefined,
    );
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(wanted)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(502));
    await expectNothing(wanted);
  });

  it("because the database was created a moment before does not give it to the caller", async () => {
    const wanted = await wantDatabase();
    const message = `ERROR: database "${wanted.name}" already exists; SQLState: 42P04`;
    failOnce("CREATE", { error: { type: "DatabaseErrorException", message } });
    expect((await post(wanted)).status).toBe(409);
    await expectNothing(wanted);
  });

  it("with the catalogue's error for a race is handled the same way", async () => {
    const wanted = await wantDatabase();
    const message =
      'ERROR: duplicate key value violates unique constraint "pg_database_datname_index"; SQLState: 23505';
    failOnce("CREATE", { when: "after", reset: true });
    expect((await post(wanted)).status).toBe(503);
    await query(stack.postgresUrl, `ALTER DATABASE ${wanted.name} RENAME TO ${wanted.name}_aside`);
    failOnce("CREATE", { when: "after", error: { type: "DatabaseErrorException", message } });
    expect((await post(wanted)).status).toBe(201);
    await expectMade(wanted);
  });
});

describe("the Data API being down", () => {
  it("gives a 503 and leaves nothing behind", async () => {
    const wanted = await wantDatabase();
    await app.stopDataApi();
    const failed = await post(wanted);
    await app.startDataApi();
    expect([failed.status, failed.body.code]).toEqual([503, "unavailable"]);
    expect(Number(failed.headers.get("Retry-After"))).toBeGreaterThan(0);
    await expectNothing(wanted);
    await expectRepair(wanted);
  });

  it("does not change a record that waits for a cluster", async () => {
    const wanted = await wantDatabase();
    const [id] = await insertPendingRecord(wanted);
    await app.stopDataApi();
    expect((await post(wanted)).status).toBe(503);
    await app.startDataApi();
    expect(await recordsOf(stack, wanted.name)).toMatchObject([
      { id, status: "pending", clusterRef: null, metadata: { plan: "gold" } },
    ]);
    expect((await post(wanted)).status).toBe(201);
    expect(await recordsOf(stack, wanted.name)).toMatchObject([
      { id, status: "active", metadata: { plan: "gold" } },
    ]);
    const { body } = await getDatabase(app.apiBaseUrl, id ?? "");
    expect(body.metadata).toEqual({ plan: "gold" });
    expect(await isInCluster(stack, wanted.name)).toBe(true);
  });
});

/** Inserts a record as it is stored while the region has no cluster. */
async function insertPendingRecord({ companyId, name }: Wanted): Promise<string[]> {
  const rows = await query<{ id: string }>(
    stack.postgresUrl,
    `INSERT INTO client_resources (id, "companyId", resource_type, name, region, status, external_id, metadata)
     VALUES ($1, $2, 'cluster_database', $3, $4, 'pending', $3, '{"plan":"gold"}') RETURNING id`,
    [`waiting-${name}`, companyId, name, region],
  );
  return rows.map(({ id }) => id);
}
