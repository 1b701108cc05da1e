/**
 * Measures how long it takes to list a company's databases while the table holds many of other companies, and how much our API adds to
 * the time of a bare `CREATE DATABASE`.
 */
import { Client } from "pg";
import { createDataApi } from "../../app/providers/data-api.server";
import { CLUSTER_ARN, SECRET_ARN } from "../../local/settings";
import type { StackInfo } from "../../local/stack-info";
import { startTestStack } from "../support/app/stack";
import { freshName, listDatabases, makeCompany, postDatabase } from "../support/databases/cluster-databases";
import { fillWithDatabases } from "../support/databases/many-databases";

const OTHERS = 10_000;
const LISTINGS = 300;
const CREATIONS = 30;

export async function run(): Promise<void> {
  const stack = await startTestStack();
  try {
    await measureCreating(stack.info);
    await measureListing(stack.info);
  } finally {
    await stack.close();
  }
}

async function measureCreating(stack: StackInfo): Promise<void> {
  const { apiBaseUrl, clusterRegion: region, postgresUrl } = stack;
  const companyId = await makeCompany(stack);
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  const create = async () => {
    const { status } = await postDatabase(apiBaseUrl, { companyId, name: freshName(), region });
    if (status !== 201) throw new Error(`Creating a database failed with ${status}.`);
  };
  const bare = () => client.query(`CREATE DATABASE ${freshName()}`);
  const { accessKeyId, secretAccessKey } = stack.objectStore;
  const dataApi = createDataApi({
    accessKeyId,
    secretAccessKey,
    endpoint: stack.dataApiUrl,
    timeoutSeconds: 50,
  });
  const cluster = { region, clusterRef: CLUSTER_ARN, secretRef: SECRET_ARN, defaultDatabase: "postgres" };
  const throughDataApi = () => dataApi.createDatabase(cluster, freshName());
  for (const warmUp of [bare, throughDataApi, create]) await warmUp();
  const times = { bare: [] as number[], dataApi: [] as number[], post: [] as number[] };
  for (let round = 0; round < CREATIONS; round++) {
    times.bare.push(await timed(bare));
    times.dataApi.push(await timed(throughDataApi));
    times.post.push(await timed(create));
  }
  await client.end();
  const [bareTime, dataApiTime, postTime] = [times.bare, times.dataApi, times.post].map(median);
  const added = (time = 0) => inMs(time - (bareTime ?? 0));
  console.log(`bare CREATE DATABASE          ${inMs(bareTime)}`);
  console.log(`… through the Data API        ${inMs(dataApiTime)}   adds ${added(dataApiTime)}`);
  console.log(`POST /api/cluster/databases   ${inMs(postTime)}   adds ${added(postTime)}`);
}

async function measureListing(stack: StackInfo): Promise<void> {
  const { apiBaseUrl } = stack;
  const companyId = await makeCompany(stack);
  for (let index = 0; index < 3; index++) {
    await postDatabase(apiBaseUrl, { companyId, name: freshName(), region: "eu-north-1" });
  }
  const list = (id: string) => listDatabases(apiBaseUrl, { companyId: id });
  const measure = async (id: string) => {
    const times: number[] = [];
    for (let round = 0; round < LISTINGS; round++) times.push(await timed(() => list(id)));
    return median(times);
  };
  await measure(companyId);
  const alone = await measure(companyId);
  await fillWithDatabases(stack.postgresUrl, OTHERS);
  const among = await measure(companyId);
  console.log(`list 3, few others            ${inMs(alone)}`);
  console.log(`list 3 among ${OTHERS} others     ${inMs(among)}   ratio ${(among / alone).toFixed(2)}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function inMs(milliseconds = Number.NaN): string {
  return `${milliseconds.toFixed(1).padStart(6)} ms`;
}
