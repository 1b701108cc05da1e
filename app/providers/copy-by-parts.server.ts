import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectTaggingCommand,
  type S3Client,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { AppError } from "../app-error";
import { logWarning } from "../log.server";
import { type CallContext, timeLeft } from "../request-context.server";
import { noUploadId, type PartedUpload, UPLOAD_MARK } from "./multipart.server";
import {
  asFarAsOffered,
  copySource,
  LONG_COPY_LIMIT,
  type ObjectDescription,
  type ObjectName,
} from "./object-changes.server";
import type { CallStore } from "./s3-client.server";

export interface CopyByParts extends ObjectName {
  to: string;
  mark: string;
  source: Pick<ObjectDescription, "headers" | "storageClass">;
}

/**
 * An upload in parts whose parts are ranges of another object. What comes along by itself where an object is copied at once has to be read
 * and given again here. Amazon S3 User Guide, "Copying an object using multipart upload".
 */
export function createCopyByParts(client: S3Client, call: CallStore, standardLimit: number) {
  const limitMs = Math.max(LONG_COPY_LIMIT, standardLimit);

  /** As `CreateMultipartUpload` takes them; undefined where there are none, or the store does not tell. */
  async function tagsOf({ bucket, key }: ObjectName, request?: CallContext): Promise<string | undefined> {
    try {
      const { TagSet = [] } = await call(
        "get_tags",
        { bucket, permission: "s3:GetObjectTagging" },
        timeLeft(standardLimit, request),
        (options) => client.send(new GetObjectTaggingCommand({ Bucket: bucket, Key: key }), options),
      );
      const pairs = TagSet.map(({ Key = "", Value = "" }) => [Key, Value].map(encodeURIComponent).join("="));
      return pairs.length === 0 ? undefined : pairs.join("&");
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "provider_failed") throw error;
      logWarning(
        `A large object is copied without its tags, if it has any. ${error.logDetail ?? error.message}`,
      );
      return undefined;
    }
  }

  /** Copies an object, if it still is the one of that ETag, or a range of it, as a part of an upload. */
  async function copyAsPart(
    { bucket, key: to, uploadId }: Pick<PartedUpload, "bucket" | "key" | "uploadId">,
    part: { number: number; key: string; etag: string; range?: string },
    request?: CallContext,
  ) {
    const command = new UploadPartCopyCommand({
      Bucket: bucket,
      Key: to,
      UploadId: uploadId,
      PartNumber: part.number,
      CopySource: copySource({ bucket, key: part.key }),
      CopySourceIfMatch: part.etag,
      CopySourceRange: part.range,
    });
    const { CopyPartResult } = await call(
      "copy_part",
      { bucket, permission: "s3:PutObject" },
      timeLeft(limitMs, request),
      (options) => client.send(command, { ...options, requestTimeout: limitMs }),
    );
    return CopyPartResult;
  }

  return {
    /**
     * Begins a copy by parts, with the headers, metadata, tags and storage class of its source, as an upload in parts.
     * @param copy `mark`: `describeObject` tells it once the upload is the object
     */
    async beginCopy(
      { bucket, key, to, mark, source: { headers, storageClass } }: CopyByParts,
      request?: CallContext,
    ): Promise<PartedUpload> {
      const Metadata = { ...headers.Metadata, [UPLOAD_MARK]: mark };
      const Tagging = await tagsOf({ bucket, key }, request);
      const permission = Tagging === undefined ? "s3:PutObject" : "s3:PutObject and s3:PutObjectTagging";
      const begin = (more: Pick<CreateMultipartUploadCommand["input"], "Tagging" | "StorageClass">) => {
        const command = new CreateMultipartUploadCommand({
          ...headers,
          ...more,
          Bucket: bucket,
          Key: to,
          Metadata,
        });
        return call("create_multipart", { bucket, permission }, timeLeft(standardLimit, request), (options) =>
          client.send(command, options),
        );
      };
      const plain = {};
      const tagged = Tagging === undefined ? plain : { Tagging };
      const whole = storageClass === undefined ? tagged : { ...tagged, StorageClass: storageClass };
      const { UploadId: uploadId } = await asFarAsOffered([whole, tagged, plain], begin);
      if (!uploadId) throw noUploadId();
      return { bucket, key: to, uploadId, checksum: null };
    },

    /**
     * Whether two objects, if they still are those of the ETags, hold the same bytes, by the store's word: it copies both into an upload that
     * is thrown away, and says of each part its SHA-256, or its MD5. At most 5 GiB.
     * @throws AppError `name_taken` where one has changed, `not_found`
     */
    async holdSameBytes(
      { bucket, key, etag, to, toEtag }: ObjectName & { etag: string; to: string; toEtag: string },
      request?: CallContext,
    ): Promise<boolean> {
      const send = <Output>(
        name: string,
        operation: (options: { abortSignal: AbortSignal; requestTimeout: number }) => Promise<Output>,
        permission = "s3:PutObject",
      ) =>
        call(name, { bucket, permission }, timeLeft(limitMs, request), (options) =>
          operation({ ...options, requestTimeout: limitMs }),
        );
      const upload = { Bucket: bucket, Key: to };
      const { UploadId } = await asFarAsOffered([{ ChecksumAlgorithm: "SHA256" as const }, {}], (more) =>
        send("create_multipart", (options) =>
          client.send(new CreateMultipartUploadCommand({ ...upload, ...more }), options),
        ),
      );
      if (!UploadId) throw noUploadId();
      try {
        const both = { bucket, key: to, uploadId: UploadId };
        const parts = [
          copyAsPart(both, { number: 1, key, etag }, request),
          copyAsPart(both, { number: 2, key: to, etag: toEtag }, request),
        ];
        // A part that ends after the upload was thrown away would stay.
        await Promise.allSettled(parts);
        const [one, other] = await Promise.all(parts);
        const isSame = (member: "ETag" | "ChecksumSHA256") =>
          one?.[member] !== undefined && one[member] === other?.[member];
        return isSame("ChecksumSHA256") || isSame("ETag");
      } finally {
        await send(
          "abort_multipart",
          (options) => client.send(new AbortMultipartUploadCommand({ ...upload, UploadId }), options),
          "s3:AbortMultipartUpload",
        );
      }
    },

    /**
     * Copies a range of an object, if it still is the one of that ETag, as a part of an upload.
     * @param part `start`, `end`: bytes, the last one included
     * @throws AppError `name_taken` where the source has changed, `not_found`, `upload_not_found`
     */
    async copyPart(
      upload: PartedUpload,
      { start, end, ...part }: { number: number; key: string; etag: string; start: number; end: number },
      request?: CallContext,
    ): Promise<void> {
      await copyAsPart(upload, { ...part, range: `bytes=${start}-${end}` }, request);
    },
  };
}
