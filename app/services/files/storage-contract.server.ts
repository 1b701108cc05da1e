import { z } from "zod";
import { checksumAlgorithms } from "../../providers/checksums";
import { storeProblems } from "../../providers/store-problems";
import { byteLength, issueOfFolderPath, issueOfSegment, joinPath, MAX_PATH_BYTES } from "./folder-path";
import { bucketSchema, folderPathSchema, pathTextWithout } from "./scope.server";

import { MOST_DOWNLOADS_SIGNED } from "./storage-bounds";

/** What the storage endpoints take, and what they respond with; the explorer has the types alone. docs/contract.md#storage */

/** bytes; the most that S3 takes in one PUT */
const MAX_UPLOAD_BYTES = 5 * 1024 ** 3;
const MAX_PAGE_SIZE = 1000;
const DEFAULT_PAGE_SIZE = 200;

export const token = z.string().min(1);

export const fileName = pathTextWithout(issueOfSegment);
export const key = pathTextWithout((value) =>
  value === "" ? "must not be empty" : issueOfFolderPath(`/${value}`),
);

/**
 * `type/subtype` with optional parameters, in header-safe ASCII. RFC 9110, section 8.3.1. No comma outside of quotes, and no backslash that
 * could hide where they end: of several types browsers take the last. Fetch Standard, "extract a MIME type".
 */
const contentType = z
  .string()
  .max(255, { abort: true })
  .regex(
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;([ !#-+\--[\]-~]|"[ !#-[\]-~]*")*)?$/,
    "must be a media type, like image/png",
  );

export const checksumValue = z
  .string()
  .max(16, { abort: true })
  .regex(/^[A-Za-z0-9+/]+={0,2}$/, "must be base64");

export function assertKeyLength(
  { folderPath, fileName }: { folderPath: string; fileName: string },
  context: z.RefinementCtx,
  member = "fileName",
): void {
  if (byteLength(joinPath(folderPath, fileName)) > MAX_PATH_BYTES) {
    context.addIssue({
      code: "custom",
      path: [member],
      message: `must, with its folder, be at most ${MAX_PATH_BYTES} bytes long`,
    });
  }
}

export const presignUploadShape = {
  token,
  bucket: bucketSchema,
  folderPath: folderPathSchema,
  fileName,
  contentType,
  ifNoneMatch: z.boolean().default(false),
};
export const presignUploadSchema = z
  .strictObject({
    ...presignUploadShape,
    size: z.int().min(0).max(MAX_UPLOAD_BYTES).optional(),
    checksum: z
      .strictObject({ algorithm: z.enum(checksumAlgorithms), value: checksumValue })
      .optional()
      .describe("of the file; the store refuses anything else"),
  })
  .superRefine(assertKeyLength);

export const createFolderSchema = z
  .strictObject({ token, bucket: bucketSchema, folderPath: folderPathSchema, name: fileName })
  .superRefine(({ folderPath, name }, context) => {
    assertKeyLength({ folderPath, fileName: name }, context, "name");
  });
export const createdFolderSchema = z.object({
  path: z.string().describe("starts with /, does not end with one"),
});

const disposition = z.enum(["inline", "attachment"]).default("attachment");

export const downloadByKeySchema = z.strictObject({ token, bucket: bucketSchema, key, disposition });
export const downloadByFolderSchema = z
  .strictObject({ token, bucket: bucketSchema, folderPath: folderPathSchema, fileName, disposition })
  .superRefine(assertKeyLength);

export const presignDownloadsSchema = z.strictObject({
  token,
  bucket: bucketSchema,
  keys: z.array(key).min(1).max(MOST_DOWNLOADS_SIGNED),
  disposition,
});

/** A file is named either by `key` or by `folderPath` and `fileName`. */
export function chooseDownloadSchema(
  json: unknown,
): typeof downloadByKeySchema | typeof downloadByFolderSchema {
  const byFolder = typeof json === "object" && json !== null && ("folderPath" in json || "fileName" in json);
  return byFolder ? downloadByFolderSchema : downloadByKeySchema;
}

export const listSchema = z.strictObject({
  token,
  bucket: bucketSchema,
  folderPath: folderPathSchema.optional(),
  cursor: z
    .string()
    .min(1)
    .max(4096, { abort: true })
    // Half a surrogate pair is no character that a URL could hold.
    .regex(/^\P{Cs}*$/u, "must be well-formed Unicode")
    .optional(),
  pageSize: z.int().min(1).max(MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE),
});

/** Asked by the explorer when its browser could not reach the store. */
export const diagnoseSchema = z.strictObject({
  token,
  bucket: bucketSchema,
  operation: z.enum(["upload", "download"]),
});

export const listingSchema = z.object({
  folders: z.array(
    z.object({
      name: z.string(),
      path: z.string().describe("starts with /, does not end with one; the bucket's root is /"),
    }),
  ),
  files: z.array(
    z.object({
      name: z.string(),
      key: z.string().describe("the S3 key: the path without its leading slash"),
      size: z.int().min(0).describe("bytes"),
      lastModified: z.iso.datetime(),
      etag: z.string(),
    }),
  ),
  nextCursor: z.string().nullable().describe("pass as cursor for the next page; null when this was the last"),
  exists: z
    .literal(false)
    .optional()
    .describe("false where nothing in the bucket has this path, or a path below it; otherwise left out"),
});

export const unixSeconds = z.int().describe("unix seconds");

export const presignedUploadSchema = z.object({
  url: z.string(),
  method: z.literal("PUT"),
  headers: z
    .record(z.string(), z.string())
    .describe("to be sent as they stand: they are part of the signature"),
  bucket: z.string(),
  key: z.string(),
  expiresAt: unixSeconds,
});

export const presignedDownloadSchema = z.object({
  url: z.string(),
  method: z.literal("GET"),
  bucket: z.string(),
  key: z.string(),
  expiresAt: unixSeconds,
});

export const presignedDownloadsSchema = z.object({
  downloads: z
    .array(
      z.union([
        z.object({ key: z.string(), url: z.string() }),
        z.object({ key: z.string(), error: z.string().describe("a code, like scope_not_allowed") }),
      ]),
    )
    .describe("in the order of the keys"),
  expiresAt: unixSeconds,
});

export const storageDiagnosisSchema = z.object({
  problem: z
    .enum(storeProblems)
    .nullable()
    .describe("null: the store is in order, and something between it and the browser is not"),
  advice: z.string().optional().describe("for the operator, on a developer's machine only"),
});

export type PresignUploadRequest = z.infer<typeof presignUploadSchema>;
export type CreateFolderRequest = z.infer<typeof createFolderSchema>;
export type PresignDownloadRequest = z.infer<ReturnType<typeof chooseDownloadSchema>>;
export type PresignDownloadsRequest = z.infer<typeof presignDownloadsSchema>;
export type ListRequest = z.infer<typeof listSchema>;
export type DiagnoseRequest = z.infer<typeof diagnoseSchema>;
export type Listing = z.infer<typeof listingSchema>;
export type FolderEntry = Listing["folders"][number];
export type FileEntry = Listing["files"][number];
export type PresignedUpload = z.infer<typeof presignedUploadSchema>;
export type PresignedDownload = z.infer<typeof presignedDownloadSchema>;
export type PresignedDownloads = z.infer<typeof presignedDownloadsSchema>;
export type StorageDiagnosis = z.infer<typeof storageDiagnosisSchema>;
