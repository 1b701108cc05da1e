import { z } from "zod";
import { checksumAlgorithms } from "../../providers/checksums";
import { MAX_OBJECT_BYTES, MOST_PARTS_SIGNED } from "./storage-bounds";
import {
  assertKeyLength,
  checksumValue,
  presignUploadShape,
  token,
  unixSeconds,
} from "./storage-contract.server";

/** What the endpoints for uploads in parts take, and what they respond with. docs/contract.md#storage */

const MiB = 1024 ** 2;
const MIN_PART_SIZE = 8 * MiB;
/** of the 10,000 that S3 allows */
const MOST_PARTS = 9_000;

/** bytes; every part but the last has it */
export function partSizeFor(size: number): number {
  return Math.max(MIN_PART_SIZE, Math.ceil(size / MOST_PARTS / MiB) * MiB);
}

/** What whoever names an upload may be told, and whoever needs the store for it. */
export const uploadErrors = ["too_large", "type_not_allowed", "upload_not_found"] as const;
export const storeErrors = ["bucket_not_found", "provider_failed", "unavailable"] as const;

const upload = z.string().min(1).max(8_192).describe("as multipart/create returned it");
const partNumber = z.int().min(1).max(10_000);
const checksum = checksumValue.describe("base64, by the algorithm that multipart/create named");

export const createUploadSchema = z
  .strictObject({ ...presignUploadShape, size: z.int().min(1).max(MAX_OBJECT_BYTES) })
  .superRefine(assertKeyLength);
export const createdUploadSchema = z.object({
  upload: z.string().describe("names the upload with any token of the same company, for seven days"),
  key: z.string(),
  partSize: z.int().describe("bytes; the last part has what is left"),
  partCount: z.int(),
  checksum: z.enum(checksumAlgorithms).nullable().describe("null where the store knows none of them"),
});

export const signPartsSchema = z.strictObject({
  token,
  upload,
  parts: z
    .array(z.strictObject({ number: partNumber, checksum: checksum.optional() }))
    .min(1)
    .max(MOST_PARTS_SIGNED),
});
export const signedPartsSchema = z.object({
  parts: z.array(
    z.object({
      number: z.int(),
      url: z.string(),
      headers: z.record(z.string(), z.string()).describe("to be sent as they stand"),
    }),
  ),
  expiresAt: unixSeconds,
  serverTime: unixSeconds,
});

export const uploadSchema = z.strictObject({ token, upload });
export const storedPartsSchema = z.object({
  parts: z.array(
    z.object({ number: z.int(), size: z.int().describe("bytes"), checksum: z.string().optional() }),
  ),
});

export const completeUploadSchema = z.strictObject({
  token,
  upload,
  checksum: checksum.optional(),
  overwrite: z.boolean().optional().describe("in place of what multipart/create was told"),
});
export const completedUploadSchema = z.object({
  bucket: z.string(),
  key: z.string(),
  size: z.int().describe("bytes"),
  etag: z.string(),
});

export const abortedUploadSchema = z.object({ aborted: z.literal(true) });

/** As it arrives, without what is filled in. */
export type CreateUploadRequest = z.infer<typeof createUploadSchema>;
export type SignPartsRequest = z.infer<typeof signPartsSchema>;
export type CompleteUploadRequest = z.infer<typeof completeUploadSchema>;
export type CreatedUpload = z.infer<typeof createdUploadSchema>;
export type SignedParts = z.infer<typeof signedPartsSchema>;
export type StoredParts = z.infer<typeof storedPartsSchema>;
export type CompletedUpload = z.infer<typeof completedUploadSchema>;
