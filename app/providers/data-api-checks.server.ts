import type { Env } from "../env.server";
import { type Cluster, createDataApiClient, toCommand } from "./data-api.server";

/**
 * Whether the user of a cluster's secret may create databases there. One statement, sent once, that reads the catalogue.
 * Throws what the SDK throws.
 */
export async function mayCreateDatabases(
  settings: Env["dataApi"],
  cluster: Cluster,
  abortSignal: AbortSignal,
): Promise<boolean> {
  const client = createDataApiClient(settings, cluster.region);
  const sql = "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user";
  try {
    const { records } = await client.send(toCommand(cluster, { sql }), { abortSignal });
    return records?.[0]?.[0]?.booleanValue ?? false;
  } finally {
    client.destroy();
  }
}
