import { normalizeOrigins } from "../../embed/origin";
import type { CorsRule } from "../../providers/bucket-settings.server";
import type { Database } from "../../providers/database.server";
import { readFilesPolicy } from "./scope.server";

/** seconds for which a browser may remember a preflight */
const MAX_AGE = 3000;

/**
 * The CORS rules a bucket needs: reading and writing from the platform and from each origin that a live embed client of
 * that bucket may embed from, each listed, never `*`. docs/contract.md#storage
 */
export async function corsRulesForBucket(
  database: Database,
  bucket: string,
  platformBaseUrl: string,
): Promise<CorsRule[]> {
  const clients = await database.embedClient.findMany({
    where: { revokedAt: null, allowedServices: { has: "files" } },
    select: { allowedOrigins: true, allowedScopes: true },
  });
  const embedding = clients
    .filter((client) => readFilesPolicy(client.allowedScopes)?.buckets.includes(bucket))
    .flatMap((client) => normalizeOrigins(client.allowedOrigins));
  return [
    {
      allowedMethods: ["GET", "PUT", "HEAD"],
      allowedHeaders: ["*"],
      exposeHeaders: ["ETag", "x-amz-request-id"],
      maxAgeSeconds: MAX_AGE,
      allowedOrigins: [...new Set([platformBaseUrl, ...embedding.sort()])],
    },
  ];
}
