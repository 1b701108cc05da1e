import { cleanup } from "../../app/commands/cleanup";
import { createClusterDatabase } from "../../app/databases/create-cluster-database.server";
import { createCredential } from "../../app/databases/credentials/database-credentials.server";
import { deleteDatabase } from "../../app/databases/delete-database.server";
import { parseEnv } from "../../app/env/env.server";
import { createDataApi } from "../../app/providers/data-api.server";
import { type Database, NOW } from "../../app/providers/database.server";
import type { StackInfo } from "../../local/stack-info";
import { deploymentEnv, makeDatabase, withDatabase } from "../support/app/deployment";
import { runHere, runProcess } from "../support/app/run-command";
import { freshName } from "../support/databases/cluster-databases";
import { startTestDataApi, type TestDataApi } from "../support/databases/data-api";
import { query } from "../support/databases/postgres";
import type { DrillResult } from "./result";

const KILLS = 30;
const DATABASES = 20;
/** `npm run cleanup` must end by itself after the last kill. */
const MAX_RUNS = 5;

/** Kills `npm run cleanup` 30 times while it drops databases. In the end, every one of them is gone with its roles, and no other one. */
export async function* drillDatabases(stack: StackInfo): AsyncGenerator<DrillResult> {
  const deployment = await makeDatabase(stack);
  const api = await startTestDataApi(stack);
  try {
    yield await withDatabase(deployment, (database) => dropWithKills(stack, deployment, database, api));
  } finally {
    await api.stopDataApi();
  }
}

async function dropWithKills(
  stack: StackInfo,
  deployment: string,
  database: Database,
  api: TestDataApi,
): Promise<DrillResult> {
  const env = { ...deploymentEnv(stack, deployment), ...api.env };
  const { clusters, dataApi } = parseEnv(env);
  const tools = { database, dataApi: createDataApi(dataApi), clusters };
  const { id: companyId } = await database.company.create({ data: { name: "Drill" } });
  const make = async () => {
    const request = { companyId, name: freshName(), region: stack.clusterRegion };
    const { resource } = await createClusterDatabase(request, tools);
    await createCredential(resource.id, {}, tools);
    return resource;
  };
  const [gone, kept]: [{ id: string; name: string }[], { name: string }[]] = [[], []];
  for (let index = 0; index < DATABASES; index++) {
    gone.push(await make());
    kept.push(await make());
  }
  for (const { id, name } of gone)
    await deleteDatabase(id, { confirm: name }, { database, deleteAfterDays: 0 });

  // Databases are dropped by some seven statements each. Every run is killed at one of its first statements, before or after it is run.
  let kills = 0;
  while (kills < KILLS) {
    let left = 1 + (kills % 11);
    const when = kills % 2 === 0 ? "before" : "after";
    const run = runProcess("cleanup", [], env, (kill) => {
      api.setFault(() => {
        left -= 1;
        if (left !== 0) return undefined;
        kill("SIGKILL");
        return { when, reset: true };
      });
    });
    const { signal } = await run;
    if (signal !== "SIGKILL") break;
    kills += 1;
    await letLeaseEnd(database);
  }
  api.setFault(undefined);
  let runs = 0;
  for (let code: number | null = 1; code !== 0 && runs < MAX_RUNS; runs++) {
    ({ code } = await runHere("cleanup", cleanup, [], env));
    await letLeaseEnd(database);
  }

  const left = await existing(stack, gone);
  const lost = DATABASES - (await existing(stack, kept)).databases;
  const rows = await database.databaseCredential.count();
  const unfinished = await database.databaseDeletion.count();
  return {
    drill: "dropping databases, with kills",
    figures: `${DATABASES - left.databases} of ${DATABASES} dropped   ${kills} kills   ${DATABASES - lost} of ${DATABASES} others untouched`,
    failures: [
      ...(kills >= KILLS ? [] : [`everything was dropped after ${kills} kills; give it more databases`]),
      ...(left.databases === 0 ? [] : [`${left.databases} databases are left`]),
      ...(left.roles === 0 ? [] : [`${left.roles} roles are left`]),
      ...(lost === 0 ? [] : [`${lost} databases of others were dropped`]),
      ...(rows === DATABASES ? [] : [`${rows} credentials are recorded instead of ${DATABASES}`]),
      ...(unfinished === 0 ? [] : [`${unfinished} records do not say that their database is gone`]),
    ],
  };
}

/** As if the time had passed that a killed process still holds its claim. */
const letLeaseEnd = (database: Database) =>
  database.$driverQuery(
    `UPDATE database_deletions SET drop_started_at = ${NOW} - interval '1 hour' WHERE drop_started_at IS NOT NULL`,
    [],
  );

/** How many of the databases, and of their roles, the cluster has. */
async function existing(stack: StackInfo, databases: readonly { name: string }[]) {
  const names = databases.map(({ name }) => name);
  const [found] = await query<{ databases: number; roles: number }>(
    stack.postgresUrl,
    `SELECT (SELECT count(*)::int FROM pg_database WHERE datname = ANY($1)) AS databases,
       (SELECT count(*)::int FROM pg_roles, unnest($1::text[]) AS name WHERE starts_with(rolname, name)) AS roles`,
    [names],
  );
  return found ?? { databases: -1, roles: -1 };
}
