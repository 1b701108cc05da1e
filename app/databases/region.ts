import type { Env } from "../env/env.server";
import type { Cluster } from "../providers/rds-data-api.server";
import { shortText } from "../shared/short-text";

/** A region as a caller names it. If no cluster is configured for that name, the database stays `pending`. */
export const regionNameSchema = shortText(100);

/** A region's name becomes one label of the host name that requests are sent to, so it may contain nothing else. */
const HOST_LABEL = /^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/;
const MAX_LABEL_LENGTH = 63;
/** Names like ca-central-1, us-gov-west-1 and europe-west4. */
const REGION_FORM = /^[a-z]+(-[a-z]+)+-?[0-9]+$/i;

/**
 * @returns the cluster that is configured for `region`, else the one for all other regions, else null. The one for all others is not for a
 *   name that no region has, such as `Canada`: its Data API has no address.
 */
export function findCluster(settings: Omit<Env["clusters"], "regions">, region: string): Cluster | null {
  if (!HOST_LABEL.test(region) || region.length > MAX_LABEL_LENGTH) return null;
  const suffix = region.replaceAll("-", "_").toUpperCase();
  const refs = settings.ofRegion[suffix] ?? (REGION_FORM.test(region) ? settings.fallback : undefined);
  if (refs === undefined) return null;
  const { defaultDatabase, limits } = settings;
  return { ...refs, region: region.toLowerCase(), defaultDatabase, limits };
}

/** @returns the cluster that a record names, if it is still the one that is configured for the record's region; else null */
export function findClusterOf(
  { region, clusterRef }: { region: string; clusterRef: string | null },
  clusters: Omit<Env["clusters"], "regions">,
): Cluster | null {
  const cluster = findCluster(clusters, region);
  return cluster?.clusterRef === clusterRef ? cluster : null;
}
