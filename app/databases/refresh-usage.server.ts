import type { Env } from "../env/env.server";
import { currentAcu } from "../providers/cluster-capacity.server";
import type { Database } from "../providers/database.server";
import type { Cluster, DataApi } from "../providers/rds-data-api.server";
import { messageOf } from "../shared/error-text";
import { CLUSTER_DATABASE } from "./find-databases.server";
import { findClusterOf } from "./region";

/** Databases to measure with one statement. */
const BATCH_SIZE = 100;

interface RefreshProgress {
  region: string;
  /** databases of this cluster: measured so far, and in total */
  done: number;
  total: number;
}

interface RefreshResult {
  refreshed: number;
  /** databases that are active in our records, and missing in their cluster, as `region/name` */
  missing: string[];
  /** clusters of which some or all databases were not refreshed */
  failures: { region: string; reason: string }[];
  /** clusters whose capacity could not be read; the sizes of their databases were refreshed */
  unmeasured: { region: string; reason: string }[];
}

interface Tools {
  database: Database;
  dataApi: DataApi;
  capacity: Env["capacity"];
  clusters: Env["clusters"];
}

/**
 * Records the size of every active database, and the capacity that its cluster runs at. It can be stopped at any time and repeated. If
 * one cluster fails, the others are still refreshed.
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
    const cluster = findClusterOf({ region, clusterRef }, tools.clusters);
    if (cluster === null) {
      result.failures.push({ region, reason: `the cluster ${clusterRef} is not configured` });
      continue;
    }
    // Capacity belongs to the cluster; each of its databases gets the same value.
    const currentUsageAcu = await currentAcu(tools.capacity, cluster).catch((error: unknown) => {
      result.unmeasured.push({ region, reason: messageOf(error) });
      return undefined;
    });
    try {
      await refreshCluster(cluster, region, currentUsageAcu, tools, result, (done) =>
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
  region: string,
  currentUsageAcu: number | null | undefined,
  { database, dataApi }: Tools,
  result: RefreshResult,
  report: (done: number) => void,
): Promise<void> {
  const { clusterRef } = cluster;
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
