/** The Data API as Amazon's own client sees it. */
import {
  BeginTransactionCommand,
  CommitTransactionCommand,
  ExecuteStatementCommand,
  type ExecuteStatementCommandInput,
  RDSDataClient,
  RollbackTransactionCommand,
} from "@aws-sdk/client-rds-data";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { query, startTestPostgres, type TestPostgres } from "../../tests/support/postgres";
import { type DataApi, type DataApiFault, startDataApi } from ".";

const cluster = {
  resourceArn: "arn:aws:rds:ca-central-1:000000000000:cluster:test",
  secretArn: "arn:aws:secretsmanager:ca-central-1:000000000000:secret:test",
};
const credentials = { accessKeyId: "LOCALTEST", secretAccessKey: "secret-of-the-test" };

let postgres: TestPostgres;
let postgresUrl: string;
let api: DataApi;
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
    intercept: ({ operation, body }) => {
      seen.push(`${operation} ${body.sql ?? ""}`.trim());
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

  it("takes hints for what JSON has no type for", async () => {
    const { records } = await execute("SELECT :day + 1 AS day, :id AS id, :json -> 'a' AS json", {
      parameters: [
        { name: "day", typeHint: "DATE", value: { stringValue: "2026-11-20" } },
        { name: "id", typeHint: "UUID", value: { stringValue: "00000000-0000-4000-8000-000000000000" } },
        { name: "json", typeHint: "JSON", value: { stringValue: '{"a":[1]}' } },
      ],
    });
    expect(records).toEqual([
      [
        { stringValue: "2026-11-21" },
        { stringValue: "00000000-0000-4000-8000-000000000000" },
        { stringValue: "[1]" },
      ],
    ]);
  });

  it("answers with typed values, arrays and bytes", async () => {
    const { records } = await execute(
      `SELECT 1.5::float8, 2.50::numeric, '\\x00ff'::bytea, ARRAY['a', 'b,c'], ARRAY[1, 2]::int8[], NULL::int`,
    );
    expect(records).toEqual([
      [
        { doubleValue: 1.5 },
        { stringValue: "2.50" },
        { blobValue: new Uint8Array([0, 255]) },
        { arrayValue: { stringValues: ["a", "b,c"] } },
        { arrayValue: { longValues: [1, 2] } },
        { isNull: true },
      ],
    ]);
  });

  it("describes the columns when asked to, and counts the rows that were changed", async () => {
    await execute("CREATE TABLE note (id int, text varchar(10))");
    const changed = await execute("INSERT INTO note VALUES (1, 'a'), (2, 'b')");
    expect(changed).toMatchObject({ numberOfRecordsUpdated: 2, generatedFields: [] });
    expect(changed.records).toBeUndefined();
    const { columnMetadata } = await execute("SELECT id, text AS label FROM note", {
      includeResultMetadata: true,
    });
    expect(columnMetadata).toMatchObject([
      { name: "id", typeName: "int4", type: 4, isSigned: true },
      { name: "label", label: "label", typeName: "varchar", type: 12, isSigned: false },
    ]);
  });

  it.each([
    ["a parameter without a value", "SELECT :missing", {}, "BadRequestException", 400],
    ["two statements at once", "SELECT 1; SELECT 2", {}, "DatabaseErrorException", 400],
    ["a database that is not there", "SELECT 1", { database: "nowhere" }, "DatabaseNotFoundException", 404],
    ["another cluster", "SELECT 1", { resourceArn: `${cluster.resourceArn}x` }, "NotFoundException", 404],
    ["another secret", "SELECT 1", { secretArn: `${cluster.secretArn}x` }, "SecretsErrorException", 400],
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

describe("transactions", () => {
  it("keeps what is committed and drops what is rolled back", async () => {
    await execute("CREATE TABLE kept (id int)");
    for (const [id, End] of [
      [1, CommitTransactionCommand],
      [2, RollbackTransactionCommand],
    ] as const) {
      const { transactionId } = await client.send(
        new BeginTransactionCommand({ ...cluster, database: "postgres" }),
      );
      await execute("INSERT INTO kept VALUES (:id)", {
        transactionId,
        parameters: [{ name: "id", value: { longValue: id } }],
      });
      await client.send(new End({ ...cluster, transactionId }));
    }
    expect((await execute("SELECT id FROM kept")).records).toEqual([[{ longValue: 1 }]]);
  });

  it("does not create a database inside one", async () => {
    const { transactionId } = await client.send(new BeginTransactionCommand(cluster));
    await expect(execute("CREATE DATABASE inside", { transactionId })).rejects.toMatchObject({
      name: "DatabaseErrorException",
      message: expect.stringContaining("SQLState: 25001"),
    });
    await client.send(new RollbackTransactionCommand({ ...cluster, transactionId }));
    await expect(execute("SELECT 1", { transactionId })).rejects.toMatchObject({
      name: "TransactionNotFoundException",
    });
  });
});

describe("injected faults", () => {
  it("come before the statement, which then never ran", async () => {
    fault = { error: { type: "DatabaseResumingException" } };
    await expect(execute("CREATE DATABASE never")).rejects.toMatchObject({
      name: "DatabaseResumingException",
    });
    expect(seen.at(-1)).toBe("Execute CREATE DATABASE never");
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
