/** Tests the Data API provider with the local Data API and the stack's PostgreSQL. */
import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import fc from "fast-check";
import { afterEach, describe, expect, inject, it } from "vitest";
import { type Cluster, createDataApi, type DataApi } from "../../app/providers/rds-data-api.server";
import { startDataApi } from "../../local/data-api";
import { CLUSTER_ARN, SECRET_ARN } from "../../local/settings";
import { query } from "../support/databases/postgres";
import { signedWith } from "../support/files/object-store";
import { findFreePort } from "../support/machine/free-port";

const stack = inject("stack");
const { accessKeyId, secretAccessKey } = stack.objectStore;
const cluster: Cluster = {
  region: stack.clusterRegion,
  clusterRef: CLUSTER_ARN,
  secretRef: SECRET_ARN,
  defaultDatabase: "postgres",
  limits: { connections: 40, temporaryFileGb: 10 },
};

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function connect(endpoint: string, options: { resumeMs?: number } = {}): DataApi {
  const { credentials } = signedWith(stack.objectStore);
  const settings = { credentials, endpoint, timeoutSeconds: 10 };
  return createDataApi(settings, options.resumeMs);
}

async function listen(server: Server): Promise<string> {
  const port = await findFreePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return `http://127.0.0.1:${port}`;
}

describe("the Data API", () => {
  it("creates a database with exactly the given name, whatever it is", async () => {
    const dataApi = connect(stack.dataApiUrl);
    const names = async () => {
      const rows = await query<{ datname: string }>(
        stack.postgresUrl,
        "SELECT datname FROM pg_database WHERE starts_with(datname, 'any ')",
      );
      return rows.map(({ datname }) => datname).sort();
    };
    const tricky = fc.string({ unit: fc.constantFrom(..."a\"';:-$\\/*%é\n ".split("")), maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(tricky, async (text) => {
        // Not from fast-check: it repeats values, and each run needs a name that no other run took.
        const name = `any ${text}${randomUUID().slice(0, 8)}`;
        expect(await dataApi.databaseExists(cluster, name)).toBe(false);
        const before = await names();
        expect(await dataApi.createDatabase(cluster, name)).toEqual({ outcome: "created" });
        expect(await names()).toEqual([...before, name].sort());
        expect(await dataApi.databaseExists(cluster, name)).toBe(true);
        expect(await dataApi.createDatabase(cluster, name)).toEqual({ outcome: "exists" });
        expect((await dataApi.measureDatabases(cluster, [name, "not there"])).get(name)).toBeGreaterThan(1e6);
      }),
      { numRuns: 10 },
    );
  });

  it.each([
    "tuple concurrently updated; SQLState: XX000",
    "tuple concurrently deleted; SQLState: XX000",
    "could not find tuple for role 16799; SQLState: XX000",
    "cache lookup failed for role 16799; SQLState: XX000",
    "deadlock detected; SQLState: 40P01",
    // Of two requests that finish the same database.
    'duplicate key value violates unique constraint "pg_auth_members_role_member_index"; SQLState: 23505',
  ])("repeats a change of rights that collided with another one, a few times: %s", async (collision) => {
    let collisions = 0;
    let sent = 0;
    const api = await startDataApi({
      port: 0,
      accessKeyId,
      secretAccessKey,
      postgresUrl: stack.postgresUrl,
      clusters: [{ resourceArn: CLUSTER_ARN, secretArn: SECRET_ARN }],
      intercept: () => {
        sent += 1;
        if (sent > collisions) return undefined;
        return { error: { type: "DatabaseErrorException", message: `ERROR: ${collision}` } };
      },
    });
    closers.push(() => api.close());
    const dataApi = connect(api.endpoint);
    collisions = 2;
    await dataApi.run(cluster, "PERFORM 1");
    expect(sent).toBe(3);
    collisions = 100;
    await expect(dataApi.run(cluster, "PERFORM 1")).rejects.toMatchObject({
      code: "unavailable",
      retryAfterSeconds: 5,
    });
    expect(sent).toBe(9);
  });

  it("is called in the region of the request", async () => {
    const regions: (string | undefined)[] = [];
    const endpoint = await listen(
      createServer((request, response) => {
        regions.push(/Credential=[^/]+\/\d+\/([^/]+)\//.exec(request.headers.authorization ?? "")?.[1]);
        response.setHeader("Content-Type", "application/json").end('{"records":[]}');
      }),
    );
    const dataApi = connect(endpoint);
    for (const region of ["ca-central-1", "eu-west-3", "ca-central-1"]) {
      await dataApi.databaseExists({ ...cluster, region }, "x");
    }
    expect(regions).toEqual(["ca-central-1", "eu-west-3", "ca-central-1"]);
  });

  it("waits for a cluster to wake up, but only for a limited time", async () => {
    let asked = 0;
    const local = await startDataApi({
      port: 0,
      accessKeyId,
      secretAccessKey,
      postgresUrl: stack.postgresUrl,
      clusters: [{ resourceArn: CLUSTER_ARN, secretArn: SECRET_ARN }],
      intercept() {
        asked++;
        return { error: { type: "DatabaseResumingException" } };
      },
    });
    closers.push(() => local.close());
    const dataApi = connect(local.endpoint, { resumeMs: 2_000 });
    await expect(dataApi.databaseExists(cluster, "x")).rejects.toMatchObject({
      code: "unavailable",
      retryAfterSeconds: 15,
    });
    // The pauses are random: up to 0.5, 1 and 2 seconds, and at least half of that. A fourth one would end too late.
    expect([3, 4]).toContain(asked);
    expect(await dataApi.createDatabase(cluster, "x")).toMatchObject({ outcome: "refused" });
  });

  it.each([
    ["a wrong key", { secretAccessKey: "wrong" }, {}],
    ["an unknown cluster", {}, { clusterRef: "arn:other" }],
    ["a wrong secret", {}, { secretRef: "arn:other" }],
    ["an unknown database", {}, { defaultDatabase: "not there" }],
  ])("refuses %s, and its message is only logged", async (_, keys, refs) => {
    const { credentials } = signedWith({ ...stack.objectStore, ...keys });
    const dataApi = createDataApi({ credentials, endpoint: stack.dataApiUrl, timeoutSeconds: 10 });
    await expect(dataApi.databaseExists({ ...cluster, ...refs }, "x")).rejects.toMatchObject({
      code: "provider_failed",
      message: "The database cluster refused the request.",
      logDetail: expect.stringMatching(/Exception: /),
    });
    expect(await dataApi.createDatabase({ ...cluster, ...refs }, "x")).toMatchObject({ outcome: "refused" });
  });
});
