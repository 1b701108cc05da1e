import { z } from "zod";
import type { Env } from "../env/env.server";
import type { Cluster } from "../providers/data-api.server";

/** A region's name becomes one label of the host name that requests are sent to, so it may contain nothing else. */
const REGION_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
export const regionNameSchema = z
  .string()
  .max(32, { abort: true, error: "must be at most 32 characters long" })
  .regex(REGION_NAME, "must be a region like ca-central-1");

/** @returns the cluster that is configured for `region`, else the one for all other regions, else null */
export function findCluster(settings: Omit<Env["clusters"], "regions">, region: string): Cluster | null {
  const suffix = region.replaceAll("-", "_").toUpperCase();
  const refs = settings.ofRegion[suffix] ?? settings.fallback;
  if (refs === undefined) return null;
  return { ...refs, region, defaultDatabase: settings.defaultDatabase, limits: settings.limits };
}

/** @returns the cluster that a record names, if it is still the one that is configured for the record's region; else null */
export function findClusterOf(
  { region, clusterRef }: { region: string; clusterRef: string | null },
  clusters: Omit<Env["clusters"], "regions">,
): Cluster | null {
  const cluster = findCluster(clusters, region);
  return cluster?.clusterRef === clusterRef ? cluster : null;
}
