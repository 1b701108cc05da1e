import {
  MAX_CONFIRMED_RECEIPTS,
  MAX_CONFIRMED_UPLOADS,
  MAX_OBJECT_BYTES,
  MAX_SIGNED_PARTS,
} from "platform-embed-element/client";
import { z } from "zod";
import { checksumAlgorithms } from "../../../../../embed-element/shared/checksums";
import { folderPathSchema } from "../scope.server";
import {
  checkKeyLength,
  fileNameSchema,
  inBucket,
  keySchema,
  tokenSchema,
  unixSecondsSchema,
} from "./storage-contract.server";

/** What the endpoints for uploads take and return. docs/contract.md#storage */

/** the largest single PUT of S3 */
const MAX_SINGLE_UPLOAD_BYTES = 5 * 1024 ** 3;

/** What requests that name an upload by its handle may be refused with. */
export const uploadErrors = ["too_large", "type_not_allowed", "upload_not_found"] as const;

/**
 * `type/subtype` with optional parameters, in header-safe ASCII. RFC 9110, section 8.3.1. Commas are allowed in quotes
 * only, and backslashes not at all, because browsers take the last of several types. Fetch Standard, "extract a MIME
 * type".
 */
const contentType = z
  .string()
  .max(255, { abort: true })
  .regex(
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;([ !#-+\--[\]-~]|"[ !#-[\]-~]*")*)?$/,
    "must be a media type, like image/png",
  );

const checksumValue = z
  .string()
  .max(16, { abort: true })
  .regex(/^[A-Za-z0-9+/]+={0,2}$/, "must be base64");

const contentMd5 = z
  .string()
  .regex(/^[A-Za-z0-9+/]{21}[AQgw]==$/, "must be an MD5 in base64")
  .describe("of the bytes; the store refuses others");

const integrity = z
  .enum(["checksum", "contentMd5"])
  .nullable()
  .describe("which of the two the store compares the bytes with; null where it compares neither");

const receipt = z.string().min(1).max(8_192);
const takeBack = z
  .string()
  .optional()
  .describe("for take-back, for one day; only with the token of a hand-in page");

const file = {
  ...inBucket,
  folderPath: folderPathSchema,
  fileName: fileNameSchema,
  contentType,
  ifNoneMatch: z.boolean().default(false),
};

export const presignUploadSchema = z
  .strictObject({
    ...file,
    size: z.int().min(0).max(MAX_SINGLE_UPLOAD_BYTES).optional(),
    checksum: z
      .strictObject({ algorithm: z.enum(checksumAlgorithms), value: checksumValue })
      .optional()
      .describe("of the file; the store refuses other content"),
    contentMd5: contentMd5.optional(),
    receipt: receipt
      .optional()
      .describe("for the token of a hand-in page: as returned for the same file, to send it again"),
  })
  .superRefine(checkKeyLength);
export const presignedUploadSchema = z.object({
  url: z.string(),
  method: z.literal("PUT"),
  headers: z
    .record(z.string(), z.string())
    .describe("to be sent as they are: they are part of the signature"),
  bucket: z.string(),
  key: z.string(),
  integrity,
  expiresAt: unixSecondsSchema,
  receipt: z
    .string()
    .optional()
    .describe("names this upload, for one day; only with the token of a hand-in page"),
});

/** the handle */
const upload = z.string().min(1).max(8_192).describe("as multipart/create returned it");
const partNumber = z.int().min(1).max(10_000);
const checksum = checksumValue.describe("base64, by the algorithm that multipart/create returned");

export const createUploadSchema = z
  .strictObject({ ...file, size: z.int().min(1).max(MAX_OBJECT_BYTES) })
  .superRefine(checkKeyLength);
export const createdUploadSchema = z.object({
  upload: z.string().describe("identifies the upload, with any token of the same company, for seven days"),
  key: z.string(),
  partSize: z.int().describe("bytes; the last part has the rest"),
  partCount: z.int(),
  checksum: z.enum(checksumAlgorithms).nullable().describe("null where the store supports none of them"),
  integrity,
});

export const foundUploadSchema = z.union([
  createdUploadSchema.extend({
    arrived: z.int().describe("bytes of the parts that the store has"),
    ownerUnknown: z
      .boolean()
      .describe("the token names no visitor, so another customer of the same API key may have begun it"),
  }),
  z.object({ upload: z.null() }),
]);

export const signPartsSchema = z.strictObject({
  token: tokenSchema,
  upload,
  parts: z
    .array(
      z.strictObject({
        number: partNumber,
        checksum: checksum.optional(),
        contentMd5: contentMd5.optional(),
      }),
    )
    .min(1)
    .max(MAX_SIGNED_PARTS),
});
export const signedPartsSchema = z.object({
  parts: z.array(
    z.object({
      number: z.int(),
      url: z.string(),
      headers: z.record(z.string(), z.string()).describe("to be sent as they are"),
    }),
  ),
  expiresAt: unixSecondsSchema,
  serverTime: unixSecondsSchema,
});

export const uploadHandleSchema = z.strictObject({ token: tokenSchema, upload });
export const storedPartsSchema = z.object({
  parts: z.array(
    z.object({ number: z.int(), size: z.int().describe("bytes"), checksum: z.string().optional() }),
  ),
});

export const completeUploadSchema = z.strictObject({
  token: tokenSchema,
  upload,
  checksum: checksum.optional(),
  overwrite: z.boolean().optional().describe("overrides ifNoneMatch of multipart/create"),
});
export const completedUploadSchema = z.object({
  bucket: z.string(),
  key: z.string(),
  size: z.int().describe("bytes"),
  etag: z.string(),
  takeBack,
});

export const confirmUploadsSchema = z
  .strictObject({
    ...inBucket,
    keys: z
      .array(keySchema)
      .min(1)
      .max(MAX_CONFIRMED_UPLOADS)
      .optional()
      .describe("files that were uploaded by presigned URLs"),
    receipts: z
      .array(receipt)
      .min(1)
      .max(MAX_CONFIRMED_RECEIPTS)
      .optional()
      .describe("instead of keys, with the token of a hand-in page: as presign-upload returned them"),
  })
  .refine(({ keys, receipts }) => (keys === undefined) !== (receipts === undefined), {
    path: ["keys"],
    error: "is required, unless receipts are given; both may not be",
  });
export const confirmedUploadsSchema = z.object({
  uploaded: z
    .array(z.object({ key: z.string(), size: z.int().describe("bytes"), etag: z.string(), takeBack }))
    .describe("those that the store has, and that we signed"),
});

export const abortedUploadSchema = z.object({
  aborted: z.boolean().describe("false if the upload is complete: the file is there, and stays"),
});

/** What a store compares the bytes of an upload with. */
export type Integrity = z.infer<typeof integrity>;
export type PresignUploadRequest = z.infer<typeof presignUploadSchema>;
export type PresignedUpload = z.infer<typeof presignedUploadSchema>;
export type CreateUploadRequest = z.infer<typeof createUploadSchema>;
export type CreatedUpload = z.infer<typeof createdUploadSchema>;
export type FoundUpload = z.infer<typeof foundUploadSchema>;
export type SignPartsRequest = z.infer<typeof signPartsSchema>;
export type SignedParts = z.infer<typeof signedPartsSchema>;
export type StoredParts = z.infer<typeof storedPartsSchema>;
export type CompleteUploadRequest = z.infer<typeof completeUploadSchema>;
export type CompletedUpload = z.infer<typeof completedUploadSchema>;

export type ConfirmUploadsRequest = z.infer<typeof confirmUploadsSchema>;
export type ConfirmedUploads = z.infer<typeof confirmedUploadsSchema>;
