import { CreateMultipartUploadCommand, UploadPartCopyCommand } from "@aws-sdk/client-s3";
import { AppError, hasCode } from "../shared/app-error";
import { logWarning } from "../shared/log.server";
import type { CallContext } from "../shared/request-context.server";
import { noUploadId, type StoreUpload } from "./multipart.server";
import {
  COPY_MARK,
  copySource,
  type createObjectChanges,
  firstAccepted,
  LONG_COPY_TIMEOUT_MS,
  type ObjectDescription,
  type VersionName,
} from "./object-changes.server";
import type { SendToStore } from "./s3-client.server";

interface MultipartCopy extends VersionName {
  /** the key of the copy */
  to: string;
  /** see `ObjectDescription.copyMark` */
  copyMark: string;
  source: Pick<ObjectDescription, "headers" | "storageClass" | "versionId">;
}

/**
 * Copies of objects that are too large for CopyObject: multipart uploads whose parts are ranges of the source. CopyObject keeps headers and
 * tags; here they are read and written again. Amazon S3 User Guide, "Copying an object using multipart upload".
 */
export function createMultipartCopy(
  send: SendToStore,
  { readTags }: Pick<ReturnType<typeof createObjectChanges>, "readTags">,
  standardLimitMs: number,
) {
  /**
   * As `CreateMultipartUpload` takes them; undefined if there are none, or the store does not tell.
   * @param described the version that was described. Asking for it by name would need another permission.
   * @throws AppError `upload_conflict` if another version is the newest by now: its tags say nothing about the content that is copied
   */
  async function tagsOf(
    object: VersionName,
    described: string | undefined,
    context?: CallContext,
  ): Promise<string | undefined> {
    try {
      const { tags = new Map<string, string>(), versionId = described } =
        (await readTags(object, context)) ?? {};
      if (described !== undefined && versionId !== described)
        throw new AppError("upload_conflict", "The file has changed.");
      const pairs = [...tags].map((pair) => pair.map(encodeURIComponent).join("="));
      return pairs.length === 0 ? undefined : pairs.join("&");
    } catch (error) {
      if (!hasCode(error, "provider_failed")) throw error;
      logWarning(
        `A large object is copied without its tags, if it has any. ${error.logDetail ?? error.message}`,
      );
      return undefined;
    }
  }

  return {
    /**
     * Creates a multipart copy, with the headers, metadata, tags and storage class of the source.
     * @throws AppError `upload_conflict` if the source has changed since it was described, and as `list`
     */
    async createCopyUpload(
      { bucket, key, versionId, to, copyMark, source }: MultipartCopy,
      context?: CallContext,
    ): Promise<StoreUpload> {
      const { headers, storageClass } = source;
      const Tagging = await tagsOf({ bucket, key, versionId }, source.versionId, context);
      const permission = Tagging === undefined ? "s3:PutObject" : "s3:PutObject and s3:PutObjectTagging";
      const Metadata = { ...headers.Metadata, [COPY_MARK]: copyMark };
      const create = (more: Pick<CreateMultipartUploadCommand["input"], "Tagging" | "StorageClass">) =>
        send(new CreateMultipartUploadCommand({ ...headers, ...more, Bucket: bucket, Key: to, Metadata }), {
          name: "create_multipart",
          permission,
          context,
        });
      const tagged = Tagging === undefined ? {} : { Tagging };
      const complete = storageClass === undefined ? tagged : { ...tagged, StorageClass: storageClass };
      const { UploadId: uploadId } = await firstAccepted([complete, tagged, {}], create);
      if (!uploadId) throw noUploadId();
      return { bucket, key: to, uploadId, algorithm: null };
    },

    /**
     * Copies a range of an object as a part of an upload, if the object still has that ETag.
     * @param part `start`, `end`: bytes, the last one included
     * @throws AppError `name_taken` if the source has changed, `not_found`, `upload_not_found`
     */
    async copyPart(
      { bucket, key: to, uploadId }: StoreUpload,
      part: {
        number: number;
        key: string;
        versionId?: string | undefined;
        etag: string;
        start: number;
        end: number;
      },
      context?: CallContext,
    ): Promise<void> {
      const command = new UploadPartCopyCommand({
        Bucket: bucket,
        Key: to,
        UploadId: uploadId,
        PartNumber: part.number,
        CopySource: copySource({ bucket, key: part.key, versionId: part.versionId }),
        CopySourceIfMatch: part.etag,
        CopySourceRange: `bytes=${part.start}-${part.end}`,
      });
      const limitMs = Math.max(LONG_COPY_TIMEOUT_MS, standardLimitMs);
      await send(command, { name: "copy_part", permission: "s3:PutObject", limitMs, context });
    },
  };
}
