import type { LifecycleRule } from "@aws-sdk/client-s3";
import { mergeRules } from "./merge-rules.server";
import { UPLOAD_DAYS } from "./upload-handle.server";

/** By which the rule is found again. */
const RULE_ID = "platform-embed-abort-uploads";

/**
 * The lifecycle rules of a bucket with ours among them: parts of an upload that nobody completes are kept, and paid for, until a rule takes
 * them away. Everybody else's rules stay as they are.
 */
export function mergeLifecycleRules(found: readonly LifecycleRule[]): LifecycleRule[] {
  const isOurs = ({ ID }: LifecycleRule) => ID === RULE_ID;
  // A bucket's rules have all of them a Filter, or none: "Filter element can only be used in Lifecycle V2".
  const isOldForm = found.some(
    (rule) => !isOurs(rule) && rule.Filter === undefined && rule.Prefix !== undefined,
  );
  const ours: LifecycleRule = {
    ID: RULE_ID,
    Status: "Enabled",
    ...(isOldForm ? { Prefix: "" } : { Filter: { Prefix: "" } }),
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: UPLOAD_DAYS },
  };
  return mergeRules(found, ours, isOurs);
}
