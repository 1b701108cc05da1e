import { ExecuteStatementCommand, RDSDataClient } from "@aws-sdk/client-rds-data";
import type { Env } from "../env.server";
import type { Cluster } from "./data-api.server";

/**
 * Whether the user of a cluster's secret may create databases there. One statement, sent once, that reads the catalogue.
 * Throws what the SDK throws.
 */
export async function mayCreateDatabases(
  settings: Env["dataApi"],
  cluster: Cluster,
  abortSignal: AbortSignal,
): Promise<boolean> {
  const { accessKeyId, secretAccessKey, endpoint } = settings;
  const client = new RDSDataClient({
    region: cluster.region,
    credentials: { accessKeyId, secretAccessKey },
    endpoint,
    maxAttempts: 1,
  });
  try {
    const { records } = await client.send(
      new ExecuteStatementCommand({
        resourceArn: cluster.clusterRef,
        secretArn: cluster.secretRef,
        database: cluster.defaultDatabase,
        sql: "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user",
      }),
      { abortSignal },
    );
    return records?.[0]?.[0]?.booleanValue ?? false;
  } finally {
    client.destroy();
  }
}
