/** Runs what the Data API is asked to run, on the local PostgreSQL. RDS Data API reference, "Actions". */
import { randomUUID } from "node:crypto";
import { Client, DatabaseError, type QueryArrayConfig } from "pg";
import { z } from "zod";
import { DataApiError } from "./errors";
import { toColumnMetadata, toField } from "./fields";
import { bindParameters, sqlParameter } from "./parameters";

const target = z.object({
  resourceArn: z.string(),
  secretArn: z.string(),
  database: z.string().optional(),
});
const executeRequest = target.extend({
  sql: z.string().max(65_536),
  parameters: z.array(sqlParameter).default([]),
  includeResultMetadata: z.boolean().default(false),
  continueAfterTimeout: z.boolean().default(false),
  transactionId: z.string().optional(),
  formatRecordsAs: z.literal("NONE").optional(),
});
const endRequest = target.omit({ database: true }).extend({ transactionId: z.string() });

export interface StatementsOptions {
  /** a superuser's URL of the server; its database's name is replaced */
  postgresUrl: string;
  /** the pairs that are known; there is one server behind all of them */
  clusters: { resourceArn: string; secretArn: string }[];
  /** milliseconds a statement may take; the service's own 45 s unless told */
  statementTimeoutMs?: number;
}

/** A transaction nobody touches for so long, in milliseconds, is rolled back. */
const TRANSACTION_IDLE_MS = 3 * 60_000;

type Result = Record<string, unknown>;

export class Statements {
  #transactions = new Map<string, { client: Client; expiry: NodeJS.Timeout }>();

  constructor(private readonly options: StatementsOptions) {}

  /** by the path they are posted to */
  readonly operations: Record<string, (body: unknown) => Promise<Result>> = {
    "/Execute": (body) => this.execute(body),
    "/BeginTransaction": (body) => this.begin(body),
    "/CommitTransaction": (body) => this.end(body, "COMMIT", "Transaction Committed"),
    "/RollbackTransaction": (body) => this.end(body, "ROLLBACK", "Rollback Complete"),
  };

  async close(): Promise<void> {
    await Promise.all([...this.#transactions.keys()].map((id) => this.#take(id)?.end()));
  }

  private async execute(body: unknown): Promise<Result> {
    const request = read(executeRequest, body);
    this.#checkCluster(request);
    const { text, values } = bindParameters(request.sql, request.parameters);
    const { transactionId } = request;
    const client = transactionId
      ? this.#touch(transactionId)
      : await this.#connect(request.database, request.continueAfterTimeout);
    try {
      const query: QueryArrayConfig & { queryMode: "extended" } = {
        text,
        values,
        rowMode: "array",
        // One statement at a time, as in the service, also where there are no values.
        queryMode: "extended",
        types: { getTypeParser: () => (value: string) => value },
      };
      const result = await client.query<(string | null)[]>(query);
      const { fields } = result;
      const records = result.rows.map((row) =>
        fields.map((column, index) => toField(row[index] ?? null, column)),
      );
      return {
        numberOfRecordsUpdated: fields.length > 0 ? 0 : (result.rowCount ?? 0),
        generatedFields: [],
        ...(fields.length > 0 && { records }),
        ...(request.includeResultMetadata && { columnMetadata: fields.map(toColumnMetadata) }),
      };
    } catch (error) {
      throw asDataApiError(error);
    } finally {
      if (!transactionId) await client.end();
    }
  }

  private async begin(body: unknown): Promise<Result> {
    const request = read(target, body);
    this.#checkCluster(request);
    const client = await this.#connect(request.database, false);
    await client.query("BEGIN");
    const transactionId = randomUUID();
    const expiry = setTimeout(() => this.#take(transactionId)?.end(), TRANSACTION_IDLE_MS);
    this.#transactions.set(transactionId, { client, expiry });
    return { transactionId };
  }

  private async end(body: unknown, statement: string, transactionStatus: string): Promise<Result> {
    const request = read(endRequest, body);
    this.#checkCluster(request);
    this.#touch(request.transactionId);
    const client = this.#take(request.transactionId);
    try {
      await client?.query(statement);
    } catch (error) {
      throw asDataApiError(error);
    } finally {
      await client?.end();
    }
    return { transactionStatus };
  }

  #checkCluster({ resourceArn, secretArn }: { resourceArn: string; secretArn: string }): void {
    const known = this.options.clusters.filter((cluster) => cluster.resourceArn === resourceArn);
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

  async #connect(database = "postgres", unlimited: boolean): Promise<Client> {
    const url = new URL(this.options.postgresUrl);
    url.pathname = `/${encodeURIComponent(database)}`;
    const client = new Client({
      connectionString: url.href,
      statement_timeout: unlimited ? 0 : (this.options.statementTimeoutMs ?? 45_000),
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

  #touch(transactionId: string): Client {
    const found = this.#transactions.get(transactionId);
    if (!found) {
      throw new DataApiError("TransactionNotFoundException", `Transaction ${transactionId} is not found`);
    }
    found.expiry.refresh();
    return found.client;
  }

  #take(transactionId: string): Client | undefined {
    const found = this.#transactions.get(transactionId);
    clearTimeout(found?.expiry);
    this.#transactions.delete(transactionId);
    return found?.client;
  }
}

function read<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const [issue] = error.issues;
  throw new DataApiError("BadRequestException", `${issue?.path.join(".")}: ${issue?.message}`);
}

/** 57014 is "query canceled": here only the statement's time limit does that. PostgreSQL, appendix A. */
function asDataApiError(error: unknown): Error {
  if (!(error instanceof DatabaseError)) {
    return new DataApiError("DatabaseUnavailableException", "The connection to the database was lost.");
  }
  if (error.code === "57014") {
    return new DataApiError("StatementTimeoutException", "The statement timed out.", { dbConnectionId: 0 });
  }
  return new DataApiError(
    "DatabaseErrorException",
    `${error.severity}: ${error.message}; SQLState: ${error.code}`,
  );
}
