import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { databases as databasesCommand } from "../../app/commands/databases";
import { CLUSTER_ARN, SECRET_ARN } from "../../local/settings";
import { deploymentEnv } from "../support/app/deployment";
import { databaseOf } from "../support/app/embed-client";
import { runHere, runProcess } from "../support/app/run-command";
import { freshName, listDatabases, makeCompany, postDatabase } from "../support/databases/cluster-databases";
import { startTestDataApi, type TestDataApi } from "../support/databases/data-api";
import { query } from "../support/databases/postgres";

const stack = inject("stack");
const { clusterRegion: region, apiBaseUrl } = stack;

let dataApi: TestDataApi;
beforeAll(async () => {
  dataApi = await startTestDataApi(stack);
});
afterAll(() => dataApi.stopDataApi());

const settings = () => ({ ...deploymentEnv(stack, stack.postgresUrl), ...dataApi.env });

/** Runs `npm run databases -- refresh` in this process with the test's own Data API. */
const refresh = (env: Record<string, string> = {}, ...options: string[]) =>
  runHere("databases", databasesCommand, ["refresh", ...options], { ...settings(), ...env });

const sizesOf = async (companyId: string) => {
  const { body } = await listDatabases(apiBaseUrl, { companyId });
  return new Map(body.databases.map(({ name, storageBytes }) => [name, storageBytes]));
};

describe("npm run databases -- refresh", () => {
  it("records the size of each active database and prints progress", async () => {
    const companyId = await makeCompany(stack);
    const [small, large, pending] = [freshName(), freshName(), freshName()];
    await postDatabase(apiBaseUrl, { companyId, name: small, region });
    await postDatabase(apiBaseUrl, { companyId, name: large, region });
    await postDatabase(apiBaseUrl, { companyId, name: pending, region: "eu-north-1" });
    const url = new URL(stack.postgresUrl);
    url.pathname = `/${large}`;
    await query(url.href, "CREATE TABLE filler AS SELECT repeat('x', 1000) FROM generate_series(1, 5000)");

    const { code, stdout, stderr } = await refresh();
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Refreshed \d+ of \d+\.$/m)]);
    expect(stderr).toMatch(new RegExp(`^${region}: \\d+ of \\d+$`, "m"));
    const sizes = await sizesOf(companyId);
    expect(sizes.get(small)).toBeGreaterThan(1_000_000);
    expect(sizes.get(large)).toBeGreaterThan(Number(sizes.get(small)) + 4_000_000);
    expect(sizes.get(pending)).toBeNull();
    const asJson = await refresh({}, "--json");
    expect(JSON.parse(asJson.stdout)).toMatchObject({ refreshed: expect.any(Number), failures: [] });
  });

  it("names active records without a database, and continues", async () => {
    const companyId = await makeCompany(stack);
    const [gone, there] = [freshName(), freshName()];
    await postDatabase(apiBaseUrl, { companyId, name: gone, region });
    await postDatabase(apiBaseUrl, { companyId, name: there, region });
    // Renaming has the same effect as dropping and is faster: DROP DATABASE waits for a checkpoint.
    await query(stack.postgresUrl, `ALTER DATABASE ${gone} RENAME TO ${gone}_aside`);
    const { code, stderr } = await refresh();
    expect(code).toBe(0);
    expect(stderr).toContain(`${region}/${gone} is recorded as active, but its cluster does not have it.`);
    const sizes = await sizesOf(companyId);
    expect([sizes.get(gone), typeof sizes.get(there)]).toEqual([null, "number"]);
  });

  it("can be interrupted and run again", async () => {
    const companyId = await makeCompany(stack);
    const clusterRef = CLUSTER_ARN;
    const names = Array.from({ length: 250 }, freshName);
    await databaseOf(stack).clientResource.createMany({
      data: names.map((name) => ({
        companyId,
        resourceType: "cluster_database",
        name,
        region,
        status: "active",
        externalId: name,
        clusterRef,
      })),
    });
    let batches = 0;
    const stopped = await runProcess("databases", ["refresh"], settings(), (kill) => {
      dataApi.setFault((sql) => {
        if (sql.includes("pg_database_size") && ++batches === 2) kill("SIGINT");
        return undefined;
      });
    });
    expect([stopped.code, stopped.signal]).toEqual([null, "SIGINT"]);
    dataApi.setFault(undefined);
    const { stderr, stdout } = await refresh();
    for (const name of names) expect(stderr).toContain(`${region}/${name} is recorded as active`);
    expect(stdout).toMatch("Refreshed");
    await databaseOf(stack).clientResource.deleteMany({ where: { companyId } });
  });

  it("continues with other clusters if one fails, and then exits with 1", async () => {
    const companyId = await makeCompany(stack);
    const name = freshName();
    await postDatabase(apiBaseUrl, { companyId, name, region });
    await databaseOf(stack).clientResource.create({
      data: {
        companyId,
        resourceType: "cluster_database",
        name,
        region: "af-south-1",
        status: "active",
        externalId: name,
        clusterRef: "arn:unknown",
      },
    });
    const env = { CLUSTER_REF_AF_SOUTH_1: "arn:unknown", SECRET_REF_AF_SOUTH_1: SECRET_ARN };
    const { code, stderr } = await refresh(env);
    expect(code).toBe(1);
    expect(stderr).toContain("af-south-1 was not refreshed: The database cluster refused the request.");
    expect((await refresh()).stderr).toContain("the cluster arn:unknown is not configured");
    const { body } = await listDatabases(apiBaseUrl, { companyId });
    expect(body.databases.map((database) => typeof database.storageBytes).sort()).toEqual([
      "number",
      "object",
    ]);
    await databaseOf(stack).clientResource.deleteMany({ where: { companyId } });
  });

  describe("and CloudWatch", () => {
    let cloudWatch: Server;
    let answer: { status: number; body: object };
    let asked: { target: string | undefined; region: string | undefined; body: string }[];

    /** An HTTP test double of Amazon CloudWatch (AWS JSON 1.0). */
    beforeAll(async () => {
      cloudWatch = createServer(async (request, response) => {
        asked.push({
          target: request.headers["x-amz-target"]?.toString(),
          region: /Credential=[^/]+\/\d+\/([^/]+)\//.exec(request.headers.authorization ?? "")?.[1],
          body: await text(request),
        });
        response.writeHead(answer.status, { "Content-Type": "application/x-amz-json-1.0" });
        response.end(JSON.stringify(answer.body));
      });
      await new Promise<void>((resolve) => cloudWatch.listen(0, "127.0.0.1", resolve));
    });
    beforeEach(() => {
      asked = [];
    });
    afterAll(() => cloudWatch.close());

    const refreshWithCloudWatch = () => {
      const address = cloudWatch.address();
      const port = typeof address === "object" ? address?.port : undefined;
      return refresh({ CLOUD_CLOUDWATCH_ENDPOINT: `http://127.0.0.1:${port}` });
    };
    const makeDatabase = async () => {
      const companyId = await makeCompany(stack);
      await postDatabase(apiBaseUrl, { companyId, name: freshName(), region });
      return async () => (await listDatabases(apiBaseUrl, { companyId })).body.databases[0];
    };

    it("records the cluster's current capacity in whole units", async () => {
      const show = await makeDatabase();
      answer = { status: 200, body: { MetricDataResults: [{ Id: "capacity", Values: [2.5, 1] }] } };
      expect((await refreshWithCloudWatch()).code).toBe(0);
      expect(await show()).toMatchObject({ currentUsageAcu: 3, storageBytes: expect.any(Number) });
      expect(asked).toEqual([
        {
          target: "GraniteServiceVersion20100801.GetMetricData",
          region,
          body: expect.stringMatching(/ServerlessDatabaseCapacity.*DBClusterIdentifier","Value":"local"/),
        },
      ]);
      answer = { status: 200, body: { MetricDataResults: [{ Id: "capacity", Values: [] }] } };
      await refreshWithCloudWatch();
      expect(await show()).toMatchObject({ currentUsageAcu: null });
    });

    it("still refreshes sizes if CloudWatch denies access", async () => {
      const show = await makeDatabase();
      answer = { status: 400, body: { __type: "AccessDeniedException", message: "not authorized" } };
      const { code, stderr } = await refreshWithCloudWatch();
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining(`The capacity of the cluster in ${region} could not be read: not authorized`),
      ]);
      expect(await show()).toMatchObject({ currentUsageAcu: null, storageBytes: expect.any(Number) });
    });
  });
});
