import { Client } from "pg";
import { afterAll, expect, it } from "vitest";
import { startDataApi } from "../../../local/data-api";
import { CLUSTER_ARN, SECRET_ARN } from "../../../local/settings";
import { startOwnDatabase } from "../../../tests/support/databases/own-database";
import { query, startTestPostgres } from "../../../tests/support/databases/postgres";
import { refuseUnpinned } from "../../../tests/support/databases/unpinned-names";
import { createDataApi, describeCluster } from "../../providers/rds-data-api.server";
import { createLogin, prepareDatabase, roleTargetOf } from "./database-roles.server";
import { scramVerifier } from "./scram-verifier.server";
import { secureDatabases } from "./secure-databases.server";

const never = new AbortController().signal;
const region = "ca-central-1";
const refs = { clusterRef: CLUSTER_ARN, secretRef: SECRET_ARN };
const accessKey = { accessKeyId: "LOCALTEST", secretAccessKey: "secret-of-the-test" };
const limits = { connections: 2, temporaryFileGb: 10 };

const own = await startOwnDatabase();
const postgres = await startTestPostgres();
const postgresUrl = await postgres.createDatabase();
const api = await startDataApi({
  port: 0,
  ...accessKey,
  postgresUrl,
  clusters: [{ resourceArn: CLUSTER_ARN, secretArn: SECRET_ARN }],
  intercept: ({ body: { sql } }) => refuseUnpinned(String(sql)),
});
afterAll(async () => {
  await api.close();
  await postgres.stop();
  await own.stop();
});

it("a company cannot take connections beyond its share through template1", async () => {
  // As PostgreSQL is installed. Our local one is closed from the beginning.
  await query(postgresUrl, "GRANT CONNECT ON DATABASE template1 TO PUBLIC");
  const settings = { endpoint: api.endpoint, timeoutSeconds: 20, credentials: { region, accessKey } };
  const dataApi = createDataApi(settings);
  const defaultDatabase = new URL(postgresUrl).pathname.slice(1);
  const clusters = {
    ofRegion: { CA_CENTRAL_1: refs },
    fallback: undefined,
    regions: undefined,
    defaultDatabase,
    limits,
  };
  const cluster = { ...refs, region, defaultDatabase, limits };
  const { id: companyId } = await own.database.company.create({ data: { name: "Test company" } });
  const data = { companyId, name: "eve", region, externalId: "eve" };
  const target = roleTargetOf(await own.database.clientResource.create({ data }), cluster);
  await dataApi.createDatabase(cluster, "eve");
  await prepareDatabase(target, { dataApi });

  const taken: Client[] = [];
  /** Takes what each of her two logins gets. @returns how many sessions that are */
  const takeAll = async (database: string) => {
    for (const user of ["eve_1", "eve_2"]) {
      for (let isRefused = false; !isRefused; ) {
        const url = Object.assign(new URL(postgresUrl), {
          username: user,
          password: "secret",
          pathname: database,
        });
        const session = new Client({ connectionString: url.href });
        isRefused = await session.connect().then(
          () => taken.push(session) === 0,
          () => true,
        );
      }
    }
    const sessions = taken.splice(0);
    await Promise.all(sessions.map((session) => session.end()));
    // PostgreSQL counts a session until its process has ended.
    const open = () => query(postgresUrl, "SELECT FROM pg_stat_activity WHERE usename LIKE 'eve%'");
    await expect.poll(open).toEqual([]);
    return sessions.length;
  };
  const verifier = await scramVerifier("secret");
  for (const user of ["eve_1", "eve_2"]) await createLogin(target, { user, verifier }, { dataApi });
  expect([await takeAll("eve"), await takeAll("template1")]).toEqual([2, 4]);
  expect(await describeCluster(settings, cluster, never)).toMatchObject({ isTemplateOpenToPublic: true });

  const tools = { database: own.database, dataApi, clusters };
  const { failures } = await secureDatabases(tools, { withDefault: true, stop: never });
  expect(failures).toEqual([]);
  expect([await takeAll("eve"), await takeAll("template1")]).toEqual([2, 0]);
  expect(await describeCluster(settings, cluster, never)).toMatchObject({ isTemplateOpenToPublic: false });
});
