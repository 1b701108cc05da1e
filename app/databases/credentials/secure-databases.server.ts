import type { Env } from "../../env/env.server";
import type { Database } from "../../providers/database.server";
import type { Cluster, DataApi } from "../../providers/rds-data-api.server";
import { AppError } from "../../shared/app-error";
import { messageOf } from "../../shared/error-text";
import { CLUSTER_DATABASE } from "../find-databases.server";
import { findCluster, findClusterOf } from "../region";
import { closeToPublic, restrict, roleTargetOf } from "./database-roles.server";

/** What PostgreSQL copies for a new database. Every login may connect to it, unless somebody has closed it, and there no limit of its own database applies. */
const TEMPLATE = "template1";

interface SecureResult {
  secured: number;
  /** as `region/name` */
  failures: { database: string; reason: string }[];
}

interface Tools {
  database: Database;
  dataApi: Pick<DataApi, "run" | "describeDatabase">;
  clusters: Env["clusters"];
}

/**
 * Takes from PUBLIC the right to connect to every database, and limits what each may take of its cluster as the settings say by now. It can
 * be stopped at any time and repeated.
 * @param options `withDefault`: also to the clusters' default databases and `template1`, to which other programs may connect as well
 */
export async function secureDatabases(
  { database, dataApi, clusters }: Tools,
  { withDefault, stop }: { withDefault: boolean; stop: AbortSignal },
): Promise<SecureResult> {
  const result: SecureResult = { secured: 0, failures: [] };
  // Suspended and deleted databases are there as well, and may come back.
  const restorable = (await database.databaseDeletion.findMany()).map(({ resourceId }) => resourceId);
  const records = await database.clientResource.findMany({
    where: {
      resourceType: CLUSTER_DATABASE,
      OR: [{ status: { in: ["active", "suspended"] } }, { id: { in: restorable } }],
    },
    orderBy: [{ region: "asc" }, { name: "asc" }],
  });
  const defaults = withDefault ? clustersOf(records, clusters) : [];
  const steps = [
    ...defaults.flatMap((cluster) =>
      [...new Set([cluster.defaultDatabase, TEMPLATE])].map((database) => ({
        database: `${cluster.region}/${database}`,
        run: () => closeToPublic({ cluster, database }, { dataApi }),
      })),
    ),
    ...records.map((record) => ({
      database: `${record.region}/${record.externalId ?? record.name}`,
      run: async () => {
        const cluster = findClusterOf(record, clusters);
        if (cluster === null) throw new Error(`The cluster ${record.clusterRef} is not configured.`);
        await restrict(roleTargetOf(record, cluster), { dataApi });
      },
    })),
  ];
  for (const { database, run } of steps) {
    if (stop.aborted) break;
    try {
      await run();
      result.secured += 1;
    } catch (error) {
      result.failures.push({ database, reason: reasonOf(error) });
    }
  }
  return result;
}

/** Each configured cluster once, also one that has no database yet. */
function clustersOf(records: readonly { region: string }[], clusters: Env["clusters"]): Cluster[] {
  const configured = Object.keys(clusters.ofRegion).map((suffix) =>
    suffix.toLowerCase().replaceAll("_", "-"),
  );
  // An ARN has its region in the fourth place.
  const regionOfFallback = clusters.fallback?.clusterRef.split(":")[3];
  const regions = [
    ...new Set([
      ...records.map(({ region }) => region),
      ...configured,
      ...(regionOfFallback ? [regionOfFallback] : []),
    ]),
  ].sort();
  const found = regions.flatMap((region) => findCluster(clusters, region) ?? []);
  return [...new Map(found.map((cluster) => [cluster.clusterRef, cluster])).values()];
}

/** Operators read this, so it may say more than the message for callers. */
function reasonOf(error: unknown): string {
  return (error instanceof AppError && error.logDetail) || messageOf(error);
}
