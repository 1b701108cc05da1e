import { z } from "zod";
import type { Env } from "../env.server";
import type { Cluster } from "../providers/data-api.server";

/** One label of a host name, because that is what the provider's client makes of it. */
export const regionNameSchema = z
  .string()
  .max(32, { abort: true, error: "must be at most 32 characters long" })
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be a region like ca-central-1");

/** The cluster that is configured for `region`, or the one for every other region; null where there is neither. */
export function findCluster(settings: Env["clusters"], region: string): Cluster | null {
  const suffix = region.replaceAll("-", "_").toUpperCase();
  const refs = settings.ofRegion[suffix] ?? settings.fallback;
  return refs === undefined ? null : { ...refs, region, defaultDatabase: settings.defaultDatabase };
}
