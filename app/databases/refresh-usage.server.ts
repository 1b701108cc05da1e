import type { ClusterSettings } from "../env.server";
import type { DataApi } from "../providers/data-api.server";
import type { Database } from "../providers/database.server";
import { findCluster } from "./region";
import { CLUSTER_DATABASE } from "./resource";

/** Databases that a cluster is asked about in one statement. */
const BATCH_SIZE = 100;

export interface RefreshProgress {
  region: string;
  /** databases of this cluster looked at so far, and in all */
  done: number;
  total: number;
}

export interface RefreshResult {
  refreshed: number;
  /** names that are active here and not in their cluster, by `region/name` */
  missing: string[];
  /** why a cluster's databases, or the rest of them, were left as they were */
  failures: { region: string; reason: string }[];
}

/**
 * Asks each cluster how much every active database takes, and notes it. Each batch stands by itself: it may be stopped
 * anywhere and run again. A cluster that fails does not keep the others from being asked.
 */
export async function refreshUsage(
  tools: { database: Database; dataApi: DataApi; clusters: ClusterSettings },
  report: (progress: RefreshProgress) => void,
): Promise<RefreshResult> {
  const { database, dataApi, clusters } = tools;
  const active = { resourceType: CLUSTER_DATABASE, status: "active", clusterRef: { not: null } };
  const groups = await database.clientResource.groupBy({
    by: ["region", "clusterRef"],
    where: active,
    orderBy: [{ region: "asc" }, { clusterRef: "asc" }],
    _count: true,
  });
  const result: RefreshResult = { refreshed: 0, missing: [], failures: [] };

  for (const { region, clusterRef, _count: total } of groups) {
    const cluster = findCluster(clusters, region);
    if (cluster === null || cluster.clusterRef !== clusterRef) {
      result.failures.push({ region, reason: `the cluster ${clusterRef} is not configured` });
      continue;
    }
    try {
      let done = 0;
      let after = "";
      for (;;) {
        const batch = await database.clientResource.findMany({
          where: { ...active, region, clusterRef, id: { gt: after } },
          orderBy: { id: "asc" },
          take: BATCH_SIZE,
          select: { id: true, externalId: true },
        });
        const last = batch.at(-1);
        if (last === undefined) break;
        after = last.id;
        const sizes = await dataApi.measureDatabases(
          cluster,
          batch.flatMap(({ externalId }) => externalId ?? []),
        );
        for (const { id, externalId } of batch) {
          const bytes = sizes.get(externalId ?? "");
          if (bytes === undefined) {
            result.missing.push(`${region}/${externalId}`);
            continue;
          }
          await database.clientResource.updateMany({
            where: { id, status: "active" },
            data: { storageBytes: BigInt(bytes) },
          });
          result.refreshed++;
        }
        done += batch.length;
        report({ region, done, total });
      }
    } catch (error) {
      result.failures.push({ region, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return result;
}
