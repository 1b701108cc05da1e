import type { CORSRule, LifecycleRule, NotificationConfiguration } from "@aws-sdk/client-s3";
import { MAX_UPLOAD_DAYS } from "platform-embed-element/client";
import { normalizeOrigins } from "../../embed/origin";
import type { Database } from "../../providers/database.server";
import { readFilesPolicy } from "./place/policy.server";

/**
 * What a bucket needs. CORS rules let browsers upload and download. Lifecycle rules remove incomplete uploads and old versions. Notifications
 * tell what others do to the bucket. `npm run storage` writes all of them.
 */

const CORS_RULE_ID = "platform-embed";
const METHODS = ["GET", "PUT", "HEAD"];
const ALLOWED_HEADERS = ["*"];
const EXPOSED_HEADERS = ["ETag", "x-amz-request-id"];
/** how long a browser may cache a preflight */
const MAX_AGE_SECONDS = 3000;

/**
 * Allows the platform, and each origin of a client that may embed this bucket, to read and write. Origins are listed one by one, never
 * as `*`. docs/contract.md#storage
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
    ID: CORS_RULE_ID,
    AllowedMethods: METHODS,
    AllowedHeaders: ALLOWED_HEADERS,
    ExposeHeaders: EXPOSED_HEADERS,
    MaxAgeSeconds: MAX_AGE_SECONDS,
    AllowedOrigins: [...new Set([platformBaseUrl, ...embedding.sort()])],
  };
}

/** A bucket's CORS rules with ours, which replaces earlier versions of it. Other rules stay as they are. */
export function mergeCorsRules(found: readonly CORSRule[], ours: CORSRule): CORSRule[] {
  return mergeRules(found, ours, (rule) => isOurCorsRule(rule, ours));
}

/**
 * Whether we wrote `rule`. Version 0.1 wrote it without an ID, and some stores keep no ID: such a rule is ours when everything but the
 * clients' origins is the same.
 */
export function isOurCorsRule(rule: CORSRule, { AllowedOrigins: [platform] = [] }: CORSRule): boolean {
  if (rule.ID) return rule.ID === CORS_RULE_ID;
  return (
    rule.AllowedOrigins?.[0] === platform &&
    rule.MaxAgeSeconds === MAX_AGE_SECONDS &&
    haveSameItems(rule.AllowedMethods, METHODS) &&
    haveSameItems(rule.AllowedHeaders, ALLOWED_HEADERS) &&
    haveSameItems(rule.ExposeHeaders, EXPOSED_HEADERS)
  );
}

const haveSameItems = (one: readonly string[] = [], other: readonly string[]) =>
  [...one].sort().join() === [...other].sort().join();

/** Aborts uploads that nobody completes; without it, their parts are stored and paid for without end. */
export const ABORT_UPLOADS: LifecycleRule = {
  ID: "platform-embed-abort-uploads",
  Status: "Enabled",
  AbortIncompleteMultipartUpload: { DaysAfterInitiation: MAX_UPLOAD_DAYS },
};

/** days */
export const DEFAULT_KEEP_DAYS = 90;
const EXPIRE_VERSIONS_ID = "platform-embed-old-versions";

/** Removes what was replaced or deleted `keepDays` days ago, and delete markers below which nothing is left. */
export function expireVersions(keepDays: number): LifecycleRule {
  return {
    ID: EXPIRE_VERSIONS_ID,
    Status: "Enabled",
    Expiration: { ExpiredObjectDeleteMarker: true },
    NoncurrentVersionExpiration: { NoncurrentDays: keepDays },
  };
}

/** How long the rules keep older versions, days: the shortest time of any rule for the whole bucket. Undefined without such a rule. */
export function keptDays(rules: readonly LifecycleRule[]): number | undefined {
  return shortest(rules, ({ NoncurrentVersionExpiration }) => NoncurrentVersionExpiration?.NoncurrentDays);
}

/** When the rules end incomplete uploads, days. Undefined without a rule for the whole bucket. */
export function uploadsEndAfterDays(rules: readonly LifecycleRule[]): number | undefined {
  return shortest(
    rules,
    ({ AbortIncompleteMultipartUpload }) => AbortIncompleteMultipartUpload?.DaysAfterInitiation,
  );
}

function shortest(
  rules: readonly LifecycleRule[],
  daysOf: (rule: LifecycleRule) => number | undefined,
): number | undefined {
  const days = rules.filter(isForWholeBucket).flatMap((rule) => daysOf(rule) ?? []);
  return days.length === 0 ? undefined : Math.min(...days);
}

function isForWholeBucket({ Status, Filter, Prefix }: LifecycleRule): boolean {
  const conditions = Object.values({ ...Filter, Prefix: (Filter?.Prefix ?? Prefix) || undefined });
  return Status === "Enabled" && conditions.every((condition) => condition === undefined);
}

/** A bucket's lifecycle rules with ours, each of which replaces the one with its id. Other rules stay as they are. */
export function mergeLifecycleRules(
  found: readonly LifecycleRule[],
  ours: readonly LifecycleRule[],
): LifecycleRule[] {
  const isOurs = ({ ID }: LifecycleRule) => ours.some((rule) => rule.ID === ID);
  // Amazon S3 accepts rules with Filter, or rules with Prefix, but not both kinds in one bucket.
  const isOldForm = found.some(
    (rule) => !isOurs(rule) && rule.Filter === undefined && rule.Prefix !== undefined,
  );
  const everything = isOldForm ? { Prefix: "" } : { Filter: { Prefix: "" } };
  return ours.reduce<LifecycleRule[]>(
    (rules, { ID, Status, ...rest }) =>
      mergeRules(rules, { ID, Status, ...everything, ...rest }, (rule) => rule.ID === ID),
    [...found],
  );
}

/** Puts `ours` in the place of the first rule that is ours, or at the end, and removes any other that is ours. */
function mergeRules<Rule>(found: readonly Rule[], ours: Rule, isOurs: (rule: Rule) => boolean): Rule[] {
  const first = found.findIndex(isOurs);
  if (first === -1) return [...found, ours];
  return found.flatMap((rule, index) => (index === first ? ours : isOurs(rule) ? [] : rule));
}

const NOTIFICATIONS_ID = "platform-embed";
const EVENTS = ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"] as const;

/** Whether the bucket publishes all that we record to one of the topics. */
export function publishesTo(
  topics: readonly string[],
  { TopicConfigurations = [] }: NotificationConfiguration,
) {
  return TopicConfigurations.some(
    ({ TopicArn = "", Events = [], Filter }) =>
      topics.includes(TopicArn) &&
      EVENTS.every((event) => Events.includes(event)) &&
      (Filter?.Key?.FilterRules ?? []).every(({ Value }) => !Value),
  );
}

/** A bucket's notifications with ours, to the first topic, unless they go to one of the topics already. Others stay as they are. */
export function mergeNotifications(
  found: NotificationConfiguration,
  topics: readonly [string, ...string[]],
): NotificationConfiguration {
  if (publishesTo(topics, found)) return found;
  const ours = { Id: NOTIFICATIONS_ID, TopicArn: topics[0], Events: [...EVENTS] };
  const isOurs = ({ Id }: { Id?: string | undefined }) => Id === NOTIFICATIONS_ID;
  return { ...found, TopicConfigurations: mergeRules(found.TopicConfigurations ?? [], ours, isOurs) };
}

/**
 * The destinations of others' notifications that make it impossible to add ours: Amazon S3 publishes each event of an object to one
 * destination only.
 */
export function destinationsInTheWay(found: NotificationConfiguration): string[] {
  const others = [
    ...(found.TopicConfigurations ?? []).map((one) => ({ ...one, destination: one.TopicArn })),
    ...(found.QueueConfigurations ?? []).map((one) => ({ ...one, destination: one.QueueArn })),
    ...(found.LambdaFunctionConfigurations ?? []).map((one) => ({
      ...one,
      destination: one.LambdaFunctionArn,
    })),
  ];
  return others.flatMap(({ Id, Events = [], destination }) =>
    Id !== NOTIFICATIONS_ID && Events.some((event) => /^s3:Object(Created|Removed):/.test(event))
      ? (destination ?? [])
      : [],
  );
}
