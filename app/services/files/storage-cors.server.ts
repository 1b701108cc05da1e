import type { CORSRule } from "@aws-sdk/client-s3";
import { normalizeOrigins } from "../../embed/origin";
import type { Database } from "../../providers/database.server";
import { mergeRules } from "./merge-rules.server";
import { readFilesPolicy } from "./scope.server";

/** By which the rule is found again. */
const RULE_ID = "platform-embed";
const METHODS = ["GET", "PUT", "HEAD"];
const ALLOWED_HEADERS = ["*"];
const EXPOSED_HEADERS = ["ETag", "x-amz-request-id"];
/** seconds for which a browser may remember a preflight */
const MAX_AGE = 3000;

/**
 * The CORS rule a bucket needs: reading and writing from the platform and from each origin that a live embed client of
 * that bucket may embed from, each listed, never `*`. docs/contract.md#storage
 */
export async function corsRuleForBucket(
  database: Database,
  bucket: string,
  platformBaseUrl: string,
): Promise<CORSRule & { AllowedOrigins: string[] }> {
  const clients = await database.embedClient.findMany({
    where: { revokedAt: null, allowedServices: { has: "files" } },
    select: { allowedOrigins: true, allowedScopes: true },
  });
  const embedding = clients
    .filter((client) => readFilesPolicy(client.allowedScopes)?.buckets.includes(bucket))
    .flatMap((client) => normalizeOrigins(client.allowedOrigins));
  return {
    ID: RULE_ID,
    AllowedMethods: METHODS,
    AllowedHeaders: ALLOWED_HEADERS,
    ExposeHeaders: EXPOSED_HEADERS,
    MaxAgeSeconds: MAX_AGE,
    AllowedOrigins: [...new Set([platformBaseUrl, ...embedding.sort()])],
  };
}

/** The rules of a bucket with ours among them, in place of those that are ours already. Everybody else's stay as they are. */
export function mergeCorsRules(found: readonly CORSRule[], ours: CORSRule): CORSRule[] {
  return mergeRules(found, ours, (rule) => isOurCorsRule(rule, ours));
}

/**
 * Whether we wrote `rule`: it has our ID; or none, and is but for the clients' origins what we wrote before rules had one. Some stores keep no ID,
 * too.
 */
export function isOurCorsRule(rule: CORSRule, { AllowedOrigins: [platform] = [] }: CORSRule): boolean {
  if (rule.ID) return rule.ID === RULE_ID;
  return (
    rule.AllowedOrigins?.[0] === platform &&
    rule.MaxAgeSeconds === MAX_AGE &&
    isSame(rule.AllowedMethods, METHODS) &&
    isSame(rule.AllowedHeaders, ALLOWED_HEADERS) &&
    isSame(rule.ExposeHeaders, EXPOSED_HEADERS)
  );
}

/** In any order. */
function isSame(one: readonly string[] = [], other: readonly string[]): boolean {
  return [...one].sort().join() === [...other].sort().join();
}
