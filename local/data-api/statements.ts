/** Runs a statement that the Data API is sent, on the local PostgreSQL. RDS Data API reference, "ExecuteStatement". */
import { Client, DatabaseError, type QueryArrayConfig } from "pg";
import { z } from "zod";
import { DataApiError } from "./errors";
import { toField } from "./fields";
import { bindParameters, sqlParameter } from "./parameters";

/** Whatever else can be asked for (transactions, the columns' description, another form of the result) is refused. */
const executeRequest = z.strictObject({
  resourceArn: z.string(),
  secretArn: z.string(),
  database: z.string().default("postgres"),
  sql: z.string().max(65_536),
  parameters: z.array(sqlParameter).default([]),
  continueAfterTimeout: z.boolean().default(false),
});

type ExecuteRequest = z.output<typeof executeRequest>;

export interface StatementOptions {
  /** a superuser's URL of the server; its database's name is replaced */
  postgresUrl: string;
  /** the pairs that are known; there is one server behind all of them */
  clusters: { resourceArn: string; secretArn: string }[];
  /** milliseconds a statement may take; the service's own 45 s unless told */
  statementTimeoutMs?: number;
}

/** The body of the response. @throws DataApiError as the service responds */
export async function executeStatement(body: unknown, options: StatementOptions): Promise<object> {
  const { success, data: request, error } = executeRequest.safeParse(body);
  if (!success) {
    const [issue] = error.issues;
    throw new DataApiError("BadRequestException", `${issue?.path.join(".")}: ${issue?.message}`);
  }
  checkCluster(request, options);
  const { text, values } = bindParameters(request.sql, request.parameters);
  const client = await connect(request, options);
  try {
    const query: QueryArrayConfig & { queryMode: "extended" } = {
      text,
      values,
      rowMode: "array",
      // One statement at a time, as in the service, also where there are no values.
      queryMode: "extended",
      types: { getTypeParser: () => (value: string) => value },
    };
    const { fields, rows, rowCount } = await client.query<(string | null)[]>(query);
    if (fields.length === 0) return { numberOfRecordsUpdated: rowCount ?? 0, generatedFields: [] };
    const records = rows.map((row) => fields.map((column, index) => toField(row[index] ?? null, column)));
    return { numberOfRecordsUpdated: 0, generatedFields: [], records };
  } catch (error) {
    throw asDataApiError(error);
  } finally {
    await client.end();
  }
}

function checkCluster({ resourceArn, secretArn }: ExecuteRequest, { clusters }: StatementOptions): void {
  const known = clusters.filter((cluster) => cluster.resourceArn === resourceArn);
  if (known.length === 0) {
    throw new DataApiError("NotFoundException", `The resource ${resourceArn} can't be found.`);
  }
  if (!known.some((cluster) => cluster.secretArn === secretArn)) {
    throw new DataApiError(
      "SecretsErrorException",
      "There was a problem with the Secrets Manager secret used with the request.",
    );
  }
}

async function connect(request: ExecuteRequest, options: StatementOptions): Promise<Client> {
  const url = new URL(options.postgresUrl);
  url.pathname = `/${encodeURIComponent(request.database)}`;
  const client = new Client({
    connectionString: url.href,
    statement_timeout: request.continueAfterTimeout ? 0 : (options.statementTimeoutMs ?? 45_000),
    connectionTimeoutMillis: 10_000,
  });
  client.on("error", () => {});
  await client.connect().catch((error: unknown) => {
    const isMissing = error instanceof DatabaseError && error.code === "3D000";
    throw isMissing
      ? new DataApiError("DatabaseNotFoundException", `FATAL: ${error.message}`)
      : new DataApiError("DatabaseUnavailableException", "The database cannot be reached.");
  });
  return client;
}

/** 57014 is "query canceled": here only the statement's time limit does that. PostgreSQL, appendix A. */
function asDataApiError(error: unknown): DataApiError {
  if (error instanceof DataApiError) return error;
  if (!(error instanceof DatabaseError)) {
    return new DataApiError("DatabaseUnavailableException", "The connection to the database was lost.");
  }
  if (error.code === "57014") {
    return new DataApiError("StatementTimeoutException", "The statement timed out.");
  }
  return new DataApiError(
    "DatabaseErrorException",
    `${error.severity}: ${error.message}; SQLState: ${error.code}`,
  );
}
