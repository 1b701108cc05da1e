import { PutObjectCommand, UploadPartCommand } from "@aws-sdk/client-s3";
import { LRUCache } from "lru-cache";
import type { AppError } from "../shared/app-error";
import { messageOf } from "../shared/error-text";
import { logWarning } from "../shared/log.server";
import type { CallContext } from "../shared/request-context.server";
import { responseCodeOf, statusOf } from "./connection-errors";
import { type createMultipart, isUnknownChecksum } from "./multipart.server";
import type { ObjectName } from "./object-changes.server";
import type { SendToStore } from "./s3-client.server";

/** What the store compares the bytes of an upload with, and whether it takes a condition. Undefined if that is unknown. */
export interface IntegrityChecks {
  /** the headers `x-amz-checksum-*` */
  checksums: boolean | undefined;
  contentMd5: boolean | undefined;
  /** `If-None-Match`: it is kept, or at least ignored, and not refused */
  takesConditions?: boolean | undefined;
}

const UNKNOWN: IntegrityChecks = { checksums: undefined, contentMd5: undefined };

const MAX_CACHED_BUCKETS = 1_000;
/** How long a result is kept. A store may be updated meanwhile. */
const RESULT_TTL_MS = 60 * 60_000;
/** Delay before a failed trial is repeated. */
const RETRY_AFTER_MS = 60_000;
/** For all requests of a trial together, and again for discarding it. A visitor may be waiting. */
const TRIAL_TIMEOUT_MS = 3_000;

const WRONG_MD5 = Buffer.alloc(16).toString("base64");
/** The codes with which stores refuse bytes that differ from their digest. The last is MinIO's. */
const DAMAGED = /^(BadDigest|InvalidDigest|XAmzContentChecksumMismatch)$/;

const limitedContext = () => ({ deadline: performance.now() + TRIAL_TIMEOUT_MS });

/**
 * Finds out whether a bucket's store notices damage on the way to it. Some stores ignore the checksums that Amazon S3 added in 2022. It is
 * tried with parts of a multipart upload that is discarded, and with an object that the store must refuse. Nobody ever sees an object, and the
 * trial needs no permission that uploads do not need. app/providers/README.md
 * @param clock monotonic, milliseconds
 */
export function createIntegrityChecks(
  send: SendToStore,
  { createUpload, abortUpload }: Pick<ReturnType<typeof createMultipart>, "createUpload" | "abortUpload">,
  isAmazon: boolean,
  clock: { now(): number } = performance,
) {
  const known = new LRUCache<string, IntegrityChecks, string>({
    max: MAX_CACHED_BUCKETS,
    ttl: RESULT_TTL_MS,
    ttlResolution: 0,
    perf: clock,
    // Only the first upload to a bucket waits for a trial.
    allowStale: true,
    ignoreFetchAbort: true,
    async fetchMethod(bucket, _, { context: key, options }) {
      try {
        return await tryOut({ bucket, key });
      } catch (error) {
        options.ttl = RETRY_AFTER_MS;
        const detail = (error as AppError).logDetail ?? messageOf(error);
        logWarning(`Could not determine whether the object store detects damaged uploads. ${detail}`);
        return UNKNOWN;
      }
    },
  });

  /** Sends parts with wrong digests, and sees whether they are refused. */
  async function tryOut({ bucket, key }: ObjectName): Promise<IntegrityChecks> {
    const context = limitedContext();
    const upload = await createUpload(
      { bucket, key, contentType: "application/octet-stream", uploadMark: "trial" },
      context,
    );
    const isRefused = async (digest: Partial<UploadPartCommand["input"]>): Promise<boolean> => {
      const part = { Bucket: bucket, Key: key, UploadId: upload.uploadId, PartNumber: 1, Body: "trial" };
      const options = { name: "try_integrity", permission: "s3:PutObject", context };
      try {
        await send(new UploadPartCommand({ ...part, ...digest }), options);
        return false;
      } catch (error) {
        if (isUnknownChecksum(error)) return false;
        if (DAMAGED.test(responseCodeOf(error))) return true;
        throw error;
      }
    };
    try {
      const checksums = await isRefused(
        upload.algorithm === "CRC64NVME"
          ? { ChecksumCRC64NVME: "AAAAAAAAAAA=" }
          : { ChecksumCRC32: "AAAAAA==" },
      );
      const contentMd5 = await isRefused({ ContentMD5: WRONG_MD5 });
      // Where a wrong digest is not refused, the object would be stored.
      const takesConditions = contentMd5 ? await takesCondition({ bucket, key }, context) : undefined;
      return { checksums, contentMd5, takesConditions };
    } finally {
      // If this fails, the bucket's lifecycle rule removes the few bytes.
      await abortUpload(upload, limitedContext()).catch(() => {});
    }
  }

  /** Sends an object that cannot be stored, because its digest is wrong, under a condition. Some stores answer that they know none. */
  async function takesCondition({ bucket, key }: ObjectName, context: CallContext): Promise<boolean> {
    const object = { Bucket: bucket, Key: key, Body: "trial", ContentMD5: WRONG_MD5, IfNoneMatch: "*" };
    const options = { name: "try_condition", permission: "s3:PutObject", context };
    try {
      await send(new PutObjectCommand(object), options);
      return false;
    } catch (error) {
      // 412: an object has that key.
      if (DAMAGED.test(responseCodeOf(error)) || statusOf(error) === 412) return true;
      if (isUnknownChecksum(error)) return false;
      throw error;
    }
  }

  return {
    /**
     * The checks that the bucket's store was found to make in the last hour. Never rejects.
     * @param object about to be uploaded: a trial is made under its key
     */
    async integrityChecks({ bucket, key }: ObjectName): Promise<IntegrityChecks> {
      if (isAmazon) return { checksums: true, contentMd5: true, takesConditions: true };
      return (await known.fetch(bucket, { context: key })) ?? UNKNOWN;
    },
  };
}
