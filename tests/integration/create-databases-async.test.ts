/** Databases whose callers do not wait, created by workers. Each test has a deployment of its own, so that no other app's worker takes part. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { requestCreation } from "../../app/databases/create-database.server";
import { CreationWorker } from "../../app/databases/creation-worker.server";
import { deleteDatabase, restoreDatabase } from "../../app/databases/delete-database.server";
import { findClusterDatabase } from "../../app/databases/find-databases.server";
import { parseEnv } from "../../app/env/env.server";
import { createDatabase, type Database } from "../../app/providers/database.server";
import { createDataApi } from "../../app/providers/rds-data-api.server";
import { deploymentEnv, makeDatabase } from "../support/app/deployment";
import { runProcess } from "../support/app/run-command";
import {
  freshName,
  getDatabase,
  isInCluster,
  makeCompany,
  postDatabase,
} from "../support/databases/cluster-databases";
import { startTestDataApi, type TestDataApi } from "../support/databases/data-api";
import { query } from "../support/databases/postgres";

const stack = inject("stack");
const region = stack.clusterRegion;

let api: TestDataApi;
let env: Record<string, string | undefined>;
let database: Database;
let companyId: string;

beforeAll(async () => {
  api = await startTestDataApi(stack);
  const deployment = await makeDatabase(stack);
  env = { ...deploymentEnv(stack, deployment), ...api.env };
  database = createDatabase({ url: deployment, poolSize: 4 });
  ({ id: companyId } = await database.company.create({ data: { name: "Test" } }));
});
beforeEach(() => api.setFault(undefined));
afterAll(async () => {
  await database.$disconnect();
  await api.stopDataApi();
});

function toolsOf() {
  const { clusters, dataApi } = parseEnv(env);
  return { database, clusters, dataApi: createDataApi(dataApi, 1_000) };
}

async function want(name = freshName()): Promise<{ id: string; name: string }> {
  const { isDone, created } = await requestCreation({ companyId, name, region }, toolsOf());
  expect([isDone, created.resource.status]).toEqual([false, "pending"]);
  return created.resource;
}

/** Lets a worker work until `isDone`. */
async function work(isDone: () => Promise<boolean>): Promise<void> {
  const worker = new CreationWorker(toolsOf());
  worker.start();
  await expect.poll(isDone, { timeout: 15_000 }).toBe(true);
  await worker.stop();
}

const isActive = async (id: string) => (await findClusterDatabase(database, id)).status === "active";
const jobs = () => database.databaseCreation.findMany();

describe("a database that nobody waits for", () => {
  it("is recorded at once with a 202, and created soon", async () => {
    const wanted = { companyId: await makeCompany(stack), name: freshName(), region };
    const prefer = { Prefer: "respond-async" };
    const { status, headers, body } = await postDatabase(stack.apiBaseUrl, wanted, prefer);
    expect([status, headers.get("Preference-Applied"), body]).toEqual([
      202,
      "respond-async",
      {
        success: true,
        resource: { id: expect.any(String), name: wanted.name, region, status: "pending" },
        note: `The database ${wanted.name} is being created in ${region}.`,
      },
    ]);
    const statusNow = async () => (await getDatabase(stack.apiBaseUrl, body.resource.id)).body.status;
    await expect.poll(statusNow).toBe("active");
    const again = await postDatabase(stack.apiBaseUrl, wanted, prefer);
    expect([again.status, again.body.resource.status]).toEqual([201, "active"]);
    const nowhere = await postDatabase(stack.apiBaseUrl, { ...wanted, region: "eu-north-1" }, prefer);
    expect([nowhere.status, nowhere.body.note]).toEqual([201, expect.stringContaining("has no cluster yet")]);
  });

  it("is created once the cluster can be reached", async () => {
    const { id, name } = await want();
    api.setFault(() => ({ error: { type: "ServiceUnavailableError" } }));
    const wasPostponed = async () => ((await jobs())[0]?.nextAttemptAt?.getTime() ?? 0) > Date.now();
    await work(async () => (await jobs())[0]?.attempts === 1 && (await wasPostponed()));
    expect(await isInCluster(stack, name)).toBe(false);
    api.setFault(undefined);
    await database.databaseCreation.update({
      where: { resourceId: id },
      data: { nextAttemptAt: new Date() },
    });
    await work(() => isActive(id));
    expect(await jobs()).toEqual([]);
    expect(await database.event.count({ where: { databaseId: id } })).toBe(1);
  });

  it("says why it was not created, and can be asked for again", async () => {
    const name = freshName();
    await query(stack.postgresUrl, `CREATE DATABASE "${name}" TEMPLATE template0`);
    const { id } = await want(name);
    await work(async () => (await jobs())[0]?.error !== null);
    expect(await findClusterDatabase(database, id)).toMatchObject({
      status: "pending",
      metadata: { creation: { error: "name_taken" } },
    });
    await query(stack.postgresUrl, `DROP DATABASE "${name}"`);
    expect((await want(name)).id).toBe(id);
    expect((await findClusterDatabase(database, id)).metadata).toEqual({});
    await work(() => isActive(id));
  });

  it("waits for a worker that knows its cluster", async () => {
    const { id } = await want();
    const worker = new CreationWorker({
      ...toolsOf(),
      clusters: { ...toolsOf().clusters, ofRegion: {}, fallback: undefined },
    });
    worker.start();
    const wasTried = async () => ((await jobs())[0]?.attempts ?? 0) > 0;
    await expect.poll(wasTried, { timeout: 15_000 }).toBe(true);
    await worker.stop();
    await database.databaseCreation.update({
      where: { resourceId: id },
      data: { nextAttemptAt: new Date() },
    });
    await work(() => isActive(id));
  });

  it("stays deleted if it is deleted while its job runs", async () => {
    const { id, name } = await want();
    let remove: Promise<unknown> | undefined;
    api.setFault((sql) => {
      if (sql.startsWith("SELECT 1 FROM pg_catalog.pg_database"))
        remove ??= deleteDatabase(id, { confirm: name }, { database, deleteAfterDays: 7 });
      return { delayMs: 500 };
    });
    await work(async () => remove !== undefined && (await jobs()).length === 0);
    api.setFault(undefined);
    await remove;
    expect((await findClusterDatabase(database, id)).status).toBe("deleted");
    expect(await database.clientResource.count({ where: { name } })).toBe(1);
    expect(await isInCluster(stack, name)).toBe(false);
  });

  it("cannot have the name of a deleted one, which can still be restored", async () => {
    const first = await want();
    await work(() => isActive(first.id));
    await deleteDatabase(first.id, { confirm: first.name }, { database, deleteAfterDays: 7 });
    const request = { companyId, name: first.name, region };
    await expect(requestCreation(request, toolsOf())).rejects.toMatchObject({ code: "name_taken" });
    expect((await restoreDatabase(first.id, { database })).status).toBe("active");
  });

  it("is created once by several workers", async () => {
    const wanted = await Promise.all(Array.from({ length: 6 }, () => want()));
    const workers = Array.from({ length: 3 }, () => new CreationWorker(toolsOf()));
    for (const worker of workers) worker.start();
    for (const { id } of wanted) await expect.poll(() => isActive(id), { timeout: 45_000 }).toBe(true);
    await Promise.all(workers.map((worker) => worker.stop()));
    const sent = api.statements.filter((sql) =>
      wanted.some(({ name }) => sql.startsWith(`CREATE DATABASE "${name}" `)),
    );
    expect(sent).toHaveLength(wanted.length);
  });

  it.each(["before", "after"] as const)(
    "is created although the worker was killed %s it was",
    async (when) => {
      const { id, name } = await want();
      await runProcess("worker", [], env, (kill) =>
        api.setFault((sql) => {
          if (!sql.startsWith("CREATE")) return undefined;
          kill("SIGKILL");
          return { when, reset: true };
        }),
      );
      api.setFault(undefined);
      await expect.poll(() => isInCluster(stack, name)).toBe(when === "after");
      // As if the claim of the killed process had ended.
      await database.databaseCreation.update({
        where: { resourceId: id },
        data: { nextAttemptAt: new Date() },
      });
      await work(() => isActive(id));
      expect(await isInCluster(stack, name)).toBe(true);
    },
  );
});
