import { cleanup } from "../../app/commands/cleanup";
import { createClusterDatabase } from "../../app/databases/create-database.server";
import { createCredential } from "../../app/databases/credentials/database-credentials.server";
import { deleteDatabase } from "../../app/databases/delete-database.server";
import { parseEnv } from "../../app/env/env.server";
import type { Database } from "../../app/providers/database.server";
import { createDataApi } from "../../app/providers/rds-data-api.server";
import { NOW, sql } from "../../app/providers/sql.server";
import type { StackInfo } from "../../local/stack-info";
import { deploymentEnv, makeDatabase, withDatabase } from "../../tests/support/app/deployment";
import { runHere, runProcess } from "../../tests/support/app/run-command";
import { freshName } from "../../tests/support/databases/cluster-databases";
import { startTestDataApi, type TestDataApi } from "../../tests/support/databases/data-api";
import { query } from "../../tests/support/databases/postgres";
import type { DatabaseOperation, DatabasesFound } from "./checkers/databases";
import { type DrillOptions, type History, Recorder } from "./drill";
import { type Choose, wholeNumber } from "./seed";

const KILLS = 30;
const DATABASES = 20;
/** Every run is killed at one of its first statements. */
const MAX_STATEMENTS_BEFORE_KILL = 11;
/** `npm run cleanup` must end by itself after the last kill. */
const MAX_RUNS = 5;

/** Kills `npm run cleanup` 30 times while it drops databases, and then lets it end. Others stay meanwhile. */
export async function* drillDatabases(
  stack: StackInfo,
  { choose }: DrillOptions,
): AsyncGenerator<History<DatabaseOperation, DatabasesFound>> {
  const deployment = await makeDatabase(stack);
  const api = await startTestDataApi(stack);
  try {
    yield await withDatabase(deployment, (database) =>
      dropWithKills(stack, deployment, database, api, choose),
    );
  } finally {
    await api.stopDataApi();
  }
}

async function dropWithKills(
  stack: StackInfo,
  deployment: string,
  database: Database,
  api: TestDataApi,
  choose: Choose,
): Promise<History<DatabaseOperation, DatabasesFound>> {
  const env = { ...deploymentEnv(stack, deployment), ...api.env };
  const { clusters, dataApi } = parseEnv(env);
  const tools = { database, dataApi: createDataApi(dataApi), clusters };
  const { id: companyId } = await database.company.create({ data: { name: "Drill" } });
  const recorder = new Recorder<DatabaseOperation>();
  const names = new Map<string, string>();
  const make = async (what: "database created" | "neighbour created") => {
    const request = { companyId, name: freshName(), region: stack.clusterRegion };
    const { resource } = await createClusterDatabase(request, tools);
    await createCredential(resource.id, {}, tools);
    names.set(resource.id, resource.name);
    recorder.add({ what, name: resource.name });
    return resource;
  };
  const gone: { id: string; name: string }[] = [];
  for (let index = 0; index < DATABASES; index++) {
    gone.push(await make("database created"));
    await make("neighbour created");
  }
  for (const { id, name } of gone) {
    await deleteDatabase(id, { confirm: name }, { database, deleteAfterDays: 0 });
    recorder.add({ what: "database deleted", name });
  }

  // Databases are dropped by some seven statements each. Each kill is before or after a statement is run.
  for (let kills = 0; kills < KILLS; kills++) {
    let left = wholeNumber(choose("statement", kills), 1, MAX_STATEMENTS_BEFORE_KILL + 1);
    const when = choose("before or after", kills) < 0.5 ? "before" : "after";
    const { signal, code } = await runProcess("cleanup", [], env, (kill) => {
      api.setFault((sql) => {
        left -= 1;
        if (left !== 0) return undefined;
        kill("SIGKILL");
        recorder.add({ what: "cleanup killed", when, statement: sql });
        return { when, reset: true };
      });
    });
    if (signal !== "SIGKILL") {
      recorder.add({ what: "cleanup ended", code });
      break;
    }
    await letLeaseEnd(database);
  }
  api.setFault(undefined);
  for (let [code, runs]: [number | null, number] = [1, 0]; code !== 0 && runs < MAX_RUNS; runs++) {
    ({ code } = await runHere("cleanup", cleanup, [], env));
    recorder.add({ what: "cleanup ended", code });
    await letLeaseEnd(database);
  }

  const credentials = await database.databaseCredential.findMany();
  const unfinished = await database.databaseDeletion.findMany();
  return {
    title: "dropping databases, with kills",
    operations: recorder.operations,
    found: {
      ...(await existing(stack, [...names.values()])),
      credentialsOf: credentials.map(({ resourceId }) => names.get(resourceId) ?? resourceId),
      unfinished: unfinished.map(({ name }) => name),
      wantedKills: KILLS,
    },
  };
}

/** As if the time had passed that a killed process still holds its claim. */
const letLeaseEnd = (database: Database) =>
  database.$driverQuery(
    sql`UPDATE database_deletions SET drop_started_at = ${NOW} - interval '1 hour' WHERE drop_started_at IS NOT NULL`,
  );

/** Which of the databases, and which roles of them, the cluster has. */
async function existing(stack: StackInfo, names: readonly string[]) {
  const [found] = await query<{ databases: string[]; roles: string[] }>(
    stack.postgresUrl,
    `SELECT ARRAY(SELECT datname::text FROM pg_database WHERE datname = ANY($1)) AS databases,
       ARRAY(SELECT DISTINCT rolname::text FROM pg_roles, unnest($1::text[]) AS name WHERE starts_with(rolname, name)) AS roles`,
    [names],
  );
  if (found === undefined) throw new Error("PostgreSQL returned no row.");
  return found;
}
