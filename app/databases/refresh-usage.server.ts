import type { Env } from "../env.server";
import { messageOf } from "../error-text";
import { currentAcu } from "../providers/cluster-capacity.server";
import type { Cluster, DataApi } from "../providers/data-api.server";
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
  /** why a cluster's capacity could not be read; its sizes were refreshed all the same */
  unmeasured: { region: string; reason: string }[];
}

interface Tools {
  database: Database;
  dataApi: DataApi;
  capacity: Env["capacity"];
  clusters: Env["clusters"];
}

/**
 * Asks each cluster how much every active database takes and what capacity it runs at, and notes it. Each batch stands by
 * itself: it may be stopped anywhere and run again. A cluster that fails does not keep the others from being asked.
 */
export async function refreshUsage(
  tools: Tools,
  report: (progress: RefreshProgress) => void,
): Promise<RefreshResult> {
  const result: RefreshResult = { refreshed: 0, missing: [], failures: [], unmeasured: [] };
  const groups = await tools.database.clientResource.groupBy({
    by: ["region", "clusterRef"],
    where: { resourceType: CLUSTER_DATABASE, status: "active", clusterRef: { not: null } },
    orderBy: [{ region: "asc" }, { clusterRef: "asc" }],
    _count: true,
  });
  for (const { region, clusterRef, _count: total } of groups) {
    const cluster = findCluster(tools.clusters, region);
    if (cluster === null || cluster.clusterRef !== clusterRef) {
      result.failures.push({ region, reason: `the cluster ${clusterRef} is not configured` });
      continue;
    }
    // A database has no capacity of its own: what its cluster runs at is its snapshot.
    const currentUsageAcu = await currentAcu(tools.capacity, cluster).catch((error: unknown) => {
      result.unmeasured.push({ region, reason: messageOf(error) });
      return undefined;
    });
    try {
      await refreshCluster(cluster, currentUsageAcu, tools, result, (done) =>
        report({ region, done, total }),
      );
    } catch (error) {
      result.failures.push({ region, reason: messageOf(error) });
    }
  }
  return result;
}

async function refreshCluster(
  cluster: Cluster,
  currentUsageAcu: number | null | undefined,
  { database, dataApi }: Tools,
  result: RefreshResult,
  report: (done: number) => void,
): Promise<void> {
  const { region, clusterRef } = cluster;
  let after = "";
  for (let done = 0; ; ) {
    const batch = await database.clientResource.findMany({
      where: { resourceType: CLUSTER_DATABASE, status: "active", region, clusterRef, id: { gt: after } },
      orderBy: { id: "asc" },
      take: BATCH_SIZE,
      select: { id: true, externalId: true },
    });
    const last = batch.at(-1);
    if (last === undefined) return;
    after = last.id;
    const names = batch.flatMap(({ externalId }) => externalId ?? []);
    const sizes = await dataApi.measureDatabases(cluster, names);
    for (const { id, externalId } of batch) {
      const bytes = sizes.get(externalId ?? "");
      if (bytes === undefined) {
        result.missing.push(`${region}/${externalId}`);
        continue;
      }
      await database.clientResource.updateMany({
        where: { id, status: "active" },
        data: {
          storageBytes: BigInt(bytes),
          ...(currentUsageAcu === undefined ? {} : { currentUsageAcu }),
        },
      });
      result.refreshed++;
    }
    done += batch.length;
    report(done);
  }
}
