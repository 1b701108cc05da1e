import { z } from "zod";
import { AppError } from "../../shared/app-error";
import { decideFolder, policyFoldersSchema } from "../files/place/policy.server";
import { bucketSchema, folderPathSchema } from "../files/place/scope.server";

/** The scope of an `activity` token. docs/contract.md#scope-of-activity */
export const activityScopeSchema = z
  .strictObject({
    bucket: bucketSchema.optional().describe("only events of files in this bucket"),
    path: folderPathSchema.optional().describe("only events in this folder; needs bucket"),
  })
  .refine(({ bucket, path }) => path === undefined || bucket !== undefined, {
    path: ["bucket"],
    message: "is required with path",
  })
  .meta({ id: "ActivityScope" });

export type ActivityScope = z.infer<typeof activityScopeSchema>;

/** The value of `activity` in an embed client's `allowed_scopes`. An empty object allows everything of the company. */
export const activityPolicySchema = z
  .strictObject({ buckets: z.array(z.string()).optional(), paths: policyFoldersSchema.optional() })
  .refine(({ buckets, paths }) => paths === undefined || buckets !== undefined, {
    path: ["buckets"],
    message: "is required with paths",
  });

export type ActivityPolicy = z.infer<typeof activityPolicySchema>;

/**
 * The scope of a token; never wider than the policy. A `bucket` or `path` that was not requested is set if the policy's list has
 * one entry.
 * @throws AppError `scope_not_allowed`
 */
export function decideActivityScope(
  { bucket, path }: ActivityScope,
  { buckets, paths }: ActivityPolicy,
): ActivityScope {
  const decided = bucket ?? (buckets?.length === 1 ? buckets[0] : undefined);
  if (buckets !== undefined && (decided === undefined || !buckets.includes(decided))) {
    const message =
      bucket === undefined
        ? `This API key may use several buckets: name one as scope.bucket (${buckets.join(", ")}).`
        : "This API key does not reach that bucket (scope.bucket).";
    throw new AppError("scope_not_allowed", message);
  }
  return { bucket: decided, path: decideFolder("path", path, paths) };
}
