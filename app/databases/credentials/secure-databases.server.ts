import type { Env } from "../../env.server";
import type { DataApi } from "../../providers/data-api.server";
import type { Database } from "../../providers/database.server";
import { messageOf } from "../../shared/error-text";
import { findCluster } from "../region";
import { CLUSTER_DATABASE } from "../resource";
import { closeToPublic } from "./cluster-roles.server";

export interface SecureResult {
  secured: number;
  /** as `region/name` */
  failures: { database: string; reason: string }[];
}

interface Tools {
  database: Database;
  dataApi: Pick<DataApi, "run">;
  clusters: Env["clusters"];
}

/**
 * Takes from PUBLIC the right to connect to every active database. Databases that were made by earlier versions have it. It can be stopped at
 * any time and repeated.
 * @param options `withDefault`: also to the clusters' default databases, to which other programs may connect as well
 */
export async function secureDatabases(
  { database, dataApi, clusters }: Tools,
  { withDefault, stop }: { withDefault: boolean; stop: AbortSignal },
): Promise<SecureResult> {
  const result: SecureResult = { secured: 0, failures: [] };
  const records = await database.clientResource.findMany({
    where: { resourceType: CLUSTER_DATABASE, status: "active" },
    orderBy: [{ region: "asc" }, { name: "asc" }],
  });
  const seen = new Set<string>();
  for (const { region, name, clusterRef } of records) {
    const cluster = findCluster(clusters, region);
    const isFirst = clusterRef !== null && !seen.has(clusterRef);
    if (clusterRef !== null) seen.add(clusterRef);
    const names = withDefault && isFirst && cluster ? [cluster.defaultDatabase, name] : [name];
    for (const one of names) {
      if (stop.aborted) return result;
      try {
        if (cluster === null || cluster.clusterRef !== clusterRef)
          throw new Error(`The cluster ${clusterRef} is not configured.`);
        await closeToPublic({ cluster, database: one }, { dataApi });
        result.secured += 1;
      } catch (error) {
        result.failures.push({ database: `${region}/${one}`, reason: messageOf(error) });
      }
    }
  }
  return result;
}
