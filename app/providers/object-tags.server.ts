import { GetObjectTaggingCommand } from "@aws-sdk/client-s3";
import { hasCode } from "../shared/app-error";
import type { CallContext } from "../shared/request-context.server";
import { statusOf } from "./connection-errors";
import type { VersionName } from "./object-changes.server";
import type { SendToStore } from "./s3-client.server";

export interface TaggedVersion {
  tags: ReadonlyMap<string, string>;
  /** the version that has these tags; undefined if the bucket never kept versions, or the store does not say */
  versionId: string | undefined;
}

export function createObjectTags(send: SendToStore) {
  return {
    /**
     * The tags of an object, or of a version of it; null if there is none, or if it is a delete marker.
     * @param limitMs milliseconds; CLOUD_S3_TIMEOUT_SECONDS by default
     * @throws AppError `bucket_not_found`, `provider_failed` (also if the store has no tags), `unavailable`
     */
    async readTags(
      { bucket, key, versionId }: VersionName,
      context?: CallContext,
      limitMs?: number,
    ): Promise<TaggedVersion | null> {
      const command = new GetObjectTaggingCommand({ Bucket: bucket, Key: key, VersionId: versionId });
      const permission = versionId === undefined ? "s3:GetObjectTagging" : "s3:GetObjectVersionTagging";
      try {
        const output = await send(command, { name: "get_tags", permission, limitMs, context });
        const { TagSet = [], VersionId } = output;
        return {
          tags: new Map(TagSet.map(({ Key = "", Value = "" }) => [Key, Value])),
          versionId: versionId ?? VersionId,
        };
      } catch (error) {
        // S3 answers 405 for a delete marker, and 400 or 404 for a version that does not exist.
        const isNoVersion = versionId !== undefined && [400, 404, 405].includes(statusOf(error) ?? 0);
        if (hasCode(error, "not_found") || (isNoVersion && hasCode(error, "provider_failed"))) return null;
        throw error;
      }
    },
  };
}
