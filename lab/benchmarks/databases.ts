/**
 * Measures how long it takes to list a company's databases while the table holds many of other companies, and how much our API adds to
 * the time of a bare `CREATE DATABASE`.
 */
import { Client } from "pg";
import { createDataApi } from "../../app/providers/rds-data-api.server";
import { CLUSTER_ARN, SECRET_ARN } from "../../local/settings";
import type { StackInfo } from "../../local/stack-info";
import { startTestStack } from "../../tests/support/app/stack";
import {
  freshName,
  listDatabases,
  makeCompany,
  postDatabase,
} from "../../tests/support/databases/cluster-databases";
import { fillWithDatabases } from "../../tests/support/databases/many-databases";
import { signedWith } from "../../tests/support/files/object-store";
import { type BenchmarkResult, inMs, median, medianRow } from "./result";

const OTHERS = 10_000;
const LISTINGS = 300;
const CREATIONS = 30;

export async function run(): Promise<BenchmarkResult> {
  const stack = await startTestStack();
  try {
    const creating = await measureCreating(stack.info);
    const listing = await measureListing(stack.info);
    return {
      title: `Creating a database, ${CREATIONS} times each way, and listing three, ${LISTINGS} times`,
      rows: [...creating.rows, ...listing.rows],
      raw: { ...creating.raw, ...listing.raw },
    };
  } finally {
    await stack.close();
  }
}

async function measureCreating(stack: StackInfo): Promise<Pick<BenchmarkResult, "rows" | "raw">> {
  const { apiBaseUrl, clusterRegion: region, postgresUrl } = stack;
  const companyId = await makeCompany(stack);
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  const create = async () => {
    const { status } = await postDatabase(apiBaseUrl, { companyId, name: freshName(), region });
    if (status !== 201) throw new Error(`Creating a database failed with ${status}.`);
  };
  const bare = () => client.query(`CREATE DATABASE ${freshName()}`);
  const { credentials } = signedWith(stack.objectStore);
  const dataApi = createDataApi({
    credentials,
    endpoint: stack.dataApiUrl,
    timeoutSeconds: 50,
  });
  const cluster = {
    region,
    clusterRef: CLUSTER_ARN,
    secretRef: SECRET_ARN,
    defaultDatabase: "postgres",
    limits: { connections: 40, temporaryFileGb: 10 },
  };
  const throughDataApi = () => dataApi.createDatabase(cluster, freshName());
  for (const warmUp of [bare, throughDataApi, create]) await warmUp();
  const times = { bare: [] as number[], dataApi: [] as number[], post: [] as number[] };
  for (let round = 0; round < CREATIONS; round++) {
    times.bare.push(await timed(bare));
    times.dataApi.push(await timed(throughDataApi));
    times.post.push(await timed(create));
  }
  await client.end();
  const added = (values: number[]) => `adds ${inMs(median(values) - median(times.bare))}`;
  return {
    rows: [
      medianRow("bare CREATE DATABASE", times.bare, inMs),
      medianRow("… through the Data API", times.dataApi, inMs, added(times.dataApi)),
      medianRow("POST /api/cluster/databases", times.post, inMs, added(times.post)),
    ],
    raw: {
      "CREATE DATABASE, ms": times.bare,
      "through the Data API, ms": times.dataApi,
      "POST /api/cluster/databases, ms": times.post,
    },
  };
}

async function measureListing(stack: StackInfo): Promise<Pick<BenchmarkResult, "rows" | "raw">> {
  const { apiBaseUrl } = stack;
  const companyId = await makeCompany(stack);
  for (let index = 0; index < 3; index++) {
    await postDatabase(apiBaseUrl, { companyId, name: freshName(), region: "eu-north-1" });
  }
  const list = (id: string) => listDatabases(apiBaseUrl, { companyId: id });
  const measure = async (id: string) => {
    const times: number[] = [];
    for (let round = 0; round < LISTINGS; round++) times.push(await timed(() => list(id)));
    return times;
  };
  await measure(companyId);
  const alone = await measure(companyId);
  await fillWithDatabases(stack.postgresUrl, OTHERS);
  const among = await measure(companyId);
  const ratio = `${(median(among) / median(alone)).toFixed(2)} of the row before`;
  return {
    rows: [
      medianRow("list 3, few others", alone, inMs),
      medianRow(`list 3 among ${OTHERS} others`, among, inMs, ratio),
    ],
    raw: { "list 3, few others, ms": alone, "list 3 among many, ms": among },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
