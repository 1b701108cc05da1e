/** Runs a statement on the local PostgreSQL, as the Data API's ExecuteStatement does. RDS Data API reference. */
import { Client, DatabaseError, type FieldDef, type QueryArrayConfig, types } from "pg";
import { z } from "zod";
import { DataApiError } from "./errors";

/** Values are typed: a string is not converted to a number unless the statement casts it. */
const CASTS = {
  isNull: "",
  stringValue: "::pg_catalog.text",
  longValue: "::pg_catalog.int8",
  doubleValue: "::pg_catalog.float8",
  booleanValue: "::pg_catalog.bool",
};

const sqlParameter = z.strictObject({
  name: z.string(),
  value: z
    .strictObject({
      isNull: z.literal(true),
      stringValue: z.string(),
      longValue: z.number(),
      doubleValue: z.number(),
      booleanValue: z.boolean(),
    })
    .partial(),
});

/** Other members (for transactions, column metadata or formatted records) are refused. */
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
  /** URL for the user of the cluster's secret; its database name is replaced */
  postgresUrl: string;
  /** the known pairs; they all lead to the same server */
  clusters: { resourceArn: string; secretArn: string }[];
  /** time limit of a statement; the service's 45 seconds by default */
  statementTimeoutMs?: number;
}

/** Returns the body of the response. @throws DataApiError as the service responds */
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
      // Allows only one statement, like the service, even without values.
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

/** 57014 is "query_canceled", which only the time limit causes here. PostgreSQL documentation, appendix A. */
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

/** Where a colon does not start a parameter: in strings, quoted names, dollar quotes, comments and casts. */
const SKIPPED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|--[^\n]*|\/\*[\s\S]*?\*\/|::/;
const TOKEN = new RegExp(`${SKIPPED.source}|:([A-Za-z_]\\w*)`, "g");

/** Replaces named parameters (`:name`) by PostgreSQL's numbered ones. @throws DataApiError for a name without a value */
function bindParameters(
  sql: string,
  parameters: z.output<typeof sqlParameter>[],
): { text: string; values: unknown[] } {
  const given = new Map(parameters.map(({ name, value }) => [name, Object.entries(value)[0]]));
  const values: unknown[] = [];
  const places = new Map<string, string>();
  const text = sql.replace(TOKEN, (token, _quote: string | undefined, name: string | undefined) => {
    if (name === undefined) return token;
    const known = places.get(name);
    if (known) return known;
    const [member, value] = given.get(name) ?? [];
    if (!member) throw new DataApiError("BadRequestException", `Missing parameter ${name}`);
    values.push(member === "isNull" ? null : value);
    const place = `$${values.length}${CASTS[member as keyof typeof CASTS]}`;
    places.set(name, place);
    return place;
  });
  return { text, values };
}

/** RDS Data API reference, "Field". */
type Field = Record<string, unknown>;

const asText = (text: string): Field => ({ stringValue: text });
const asLong = (text: string): Field => ({ longValue: Number(text) });
const asDouble = (text: string): Field => ({ doubleValue: Number(text) });

const { builtins } = types;
const fields = new Map<number, (text: string) => Field>([
  [builtins.BOOL, (text) => ({ booleanValue: text === "t" })],
  [builtins.INT2, asLong],
  [builtins.INT4, asLong],
  [builtins.INT8, asLong],
  [builtins.OID, asLong],
  [builtins.FLOAT4, asDouble],
  [builtins.FLOAT8, asDouble],
  [builtins.NUMERIC, asText],
  [builtins.TEXT, asText],
  [builtins.VARCHAR, asText],
  [builtins.DATE, asText],
  [builtins.TIMESTAMP, asText],
  [builtins.TIMESTAMPTZ, (text) => asText(text.replace(/[+-]00$/, ""))],
  [builtins.JSON, asText],
  [builtins.JSONB, asText],
  [builtins.UUID, asText],
]);

/** Converts a value in PostgreSQL's text form. @throws DataApiError for a type that is not in the table */
function toField(text: string | null, { name, dataTypeID }: FieldDef): Field {
  if (text === null) return { isNull: true };
  const field = fields.get(dataTypeID);
  if (field) return field(text);
  throw new DataApiError("UnsupportedResultException", `The type of column ${name} is not supported.`);
}
