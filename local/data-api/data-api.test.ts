/** The Data API as Amazon's own client sees it. */
import {
  ExecuteStatementCommand,
  type ExecuteStatementCommandInput,
  RDSDataClient,
} from "@aws-sdk/client-rds-data";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { query, startTestPostgres, type TestPostgres } from "../../tests/support/databases/postgres";
import type { LocalServer } from "../listen";
import { type DataApiFault, startDataApi } from ".";

const cluster = {
  resourceArn: "arn:aws:rds:ca-central-1:000000000000:cluster:test",
  secretArn: "arn:aws:secretsmanager:ca-central-1:000000000000:secret:test",
};
const credentials = { accessKeyId: "LOCALTEST", secretAccessKey: "secret-of-the-test" };

let postgres: TestPostgres;
let postgresUrl: string;
let api: LocalServer;
let client: RDSDataClient;
let fault: DataApiFault | undefined;
const seen: string[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
  postgresUrl = await postgres.createDatabase();
  api = await startDataApi({
    port: 0,
    ...credentials,
    postgresUrl,
    clusters: [cluster],
    // Long enough for CREATE DATABASE on a machine that is busy with other things.
    statementTimeoutMs: 4_000,
    intercept: ({ body }) => {
      seen.push(String(body.sql));
      return fault;
    },
  });
  client = clientWith(credentials);
});

afterEach(() => {
  fault = undefined;
});

afterAll(async () => {
  client?.destroy();
  await api?.close();
  await postgres?.stop();
});

function clientWith(keys: typeof credentials): RDSDataClient {
  return new RDSDataClient({
    endpoint: api.endpoint,
    region: "ca-central-1",
    credentials: keys,
    maxAttempts: 1,
  });
}

function execute(sql: string, more: Partial<ExecuteStatementCommandInput> = {}) {
  return client.send(new ExecuteStatementCommand({ ...cluster, database: "postgres", sql, ...more }));
}

describe("ExecuteStatement", () => {
  it("creates a database that can be connected to", async () => {
    await execute(`CREATE DATABASE "orders_2026"`);
    const url = new URL(postgresUrl);
    url.pathname = "/orders_2026";
    expect(await query(url.href, "SELECT current_database() AS name")).toEqual([{ name: "orders_2026" }]);
  });

  it("says with its SQLSTATE that a database is there already", async () => {
    await execute("CREATE DATABASE twice");
    await expect(execute("CREATE DATABASE twice")).rejects.toMatchObject({
      name: "DatabaseErrorException",
      message: 'ERROR: database "twice" already exists; SQLState: 42P04',
      $metadata: { httpStatusCode: 400 },
    });
  });

  it("binds named parameters by their types, and leaves casts, strings and comments alone", async () => {
    const { records } = await execute(
      `SELECT :word || ':word' AS text, :count + 1 AS number, :flag AS flag, '7'::int AS cast, :gone::text AS gone /* :none */`,
      {
        parameters: [
          { name: "word", value: { stringValue: "it's" } },
          { name: "count", value: { longValue: 41 } },
          { name: "flag", value: { booleanValue: true } },
          { name: "gone", value: { isNull: true } },
        ],
      },
    );
    expect(records).toEqual([
      [
        { stringValue: "it's:word" },
        { longValue: 42 },
        { booleanValue: true },
        { longValue: 7 },
        { isNull: true },
      ],
    ]);
  });

  it("returns typed values", async () => {
    const { records } = await execute(
      `SELECT 1.5::float8, 2.50::numeric, true, '2026-11-20'::date, '{"a": [1]}'::json, NULL::int`,
    );
    expect(records).toEqual([
      [
        { doubleValue: 1.5 },
        { stringValue: "2.50" },
        { booleanValue: true },
        { stringValue: "2026-11-20" },
        { stringValue: '{"a": [1]}' },
        { isNull: true },
      ],
    ]);
  });

  it("counts the rows that were changed", async () => {
    await execute("CREATE TABLE note (id int, text varchar(10))");
    const changed = await execute("INSERT INTO note VALUES (1, 'a'), (2, 'b')");
    expect(changed).toMatchObject({ numberOfRecordsUpdated: 2, generatedFields: [] });
    expect(changed.records).toBeUndefined();
  });

  it.each([
    ["a parameter without a value", "SELECT :missing", {}, "BadRequestException", 400],
    ["two statements at once", "SELECT 1; SELECT 2", {}, "DatabaseErrorException", 400],
    ["a database that is not there", "SELECT 1", { database: "nowhere" }, "DatabaseNotFoundException", 404],
    ["another cluster", "SELECT 1", { resourceArn: `${cluster.resourceArn}x` }, "NotFoundException", 404],
    ["another secret", "SELECT 1", { secretArn: `${cluster.secretArn}x` }, "SecretsErrorException", 400],
    ["a transaction", "SELECT 1", { transactionId: "t" }, "BadRequestException", 400],
    ["the columns' description", "SELECT 1", { includeResultMetadata: true }, "BadRequestException", 400],
    ["a result of another type", "SELECT ARRAY['a']", {}, "UnsupportedResultException", 400],
    ["a statement that takes too long", "SELECT pg_sleep(30)", {}, "StatementTimeoutException", 400],
  ])("refuses %s", async (_case, sql, more, name, httpStatusCode) => {
    await expect(execute(sql, more)).rejects.toMatchObject({ name, $metadata: { httpStatusCode } });
  });
});

describe("signatures", () => {
  it.each([
    ["another secret key", { ...credentials, secretAccessKey: "guess" }, "InvalidSignatureException"],
    ["an unknown key id", { ...credentials, accessKeyId: "LOCALOTHER" }, "UnrecognizedClientException"],
  ])("refuses %s, and does not run the statement", async (_case, keys, name) => {
    const stranger = clientWith(keys);
    const command = new ExecuteStatementCommand({ ...cluster, sql: "CREATE DATABASE stolen" });
    await expect(stranger.send(command)).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 403 } });
    stranger.destroy();
    const { records } = await execute("SELECT 1 FROM pg_database WHERE datname = 'stolen'");
    expect(records).toEqual([]);
  });

  it("refuses a body that was changed after it was signed", async () => {
    const tampering = clientWith(credentials);
    tampering.middlewareStack.add(
      (next) => (args) => {
        const request = args.request as { body: Uint8Array };
        request.body = Buffer.from(
          Buffer.copyBytesFrom(request.body).toString().replace("SELECT 1", "SELECT 2"),
        );
        return next(args);
      },
      { step: "finalizeRequest", priority: "low" },
    );
    const command = new ExecuteStatementCommand({ ...cluster, sql: "SELECT 1" });
    await expect(tampering.send(command)).rejects.toMatchObject({ name: "InvalidSignatureException" });
    tampering.destroy();
  });

  it("refuses a request without one", async () => {
    const answer = await fetch(`${api.endpoint}/Execute`, { method: "POST", body: "{}" });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("x-amzn-errortype")).toBe("MissingAuthenticationTokenException");
  });
});

describe("injected faults", () => {
  it("come before the statement, which then never ran", async () => {
    fault = { error: { type: "DatabaseResumingException" } };
    await expect(execute("CREATE DATABASE never")).rejects.toMatchObject({
      name: "DatabaseResumingException",
    });
    expect(seen.at(-1)).toBe("CREATE DATABASE never");
    fault = undefined;
    expect((await execute("SELECT 1 FROM pg_database WHERE datname = 'never'")).records).toEqual([]);
  });

  it("or after it, which loses the answer and not the work", async () => {
    fault = { when: "after", reset: true };
    await expect(execute("CREATE DATABASE lost")).rejects.toThrow();
    fault = undefined;
    expect((await execute("SELECT 1 FROM pg_database WHERE datname = 'lost'")).records).toHaveLength(1);
  });
});
