import { z } from "zod";
import { MAX_CHANGE_CURSOR_LENGTH } from "../changes/change-cursor.server";
import { issueOfFolderPath } from "../folder-path";
import { bucketSchema, folderPathSchema, pathTextWithout } from "../scope.server";
import { keySchema, type Operation, tokenSchema, versionIdSchema } from "../storage-contract.server";
import { MAX_CHANGED_ITEMS } from "../storage-limits";

/** What the endpoints of older versions and deleted files take and return. docs/contract.md#history */

/** characters: a key of 1,024 bytes, each of which is escaped, and a version */
export const MAX_HISTORY_CURSOR_LENGTH = 16_384;

const cursor = z.string().min(1).max(MAX_HISTORY_CURSOR_LENGTH, { abort: true }).optional();
const nextCursor = z.string().nullable().describe("send it to continue; null at the end");
const who = {
  visitor: z
    .object({ id: z.string(), name: z.string().optional() })
    .optional()
    .describe("who did it, if that was recorded with a visitor"),
};

export const versionsSchema = z.strictObject({
  token: tokenSchema,
  bucket: bucketSchema,
  key: keySchema,
  cursor,
});

export const versionListSchema = z.object({
  versions: z
    .array(
      z.object({
        versionId: z.string(),
        size: z.int().min(0).describe("bytes"),
        lastModified: z.iso.datetime(),
        isLatest: z.boolean().describe("it is what the file contains now; of a deleted file none is"),
        ...who,
      }),
    )
    .describe("newest first"),
  cursor: nextCursor,
});

export const deletedFilesSchema = z.strictObject({
  token: tokenSchema,
  bucket: bucketSchema,
  folderPath: folderPathSchema.optional(),
  cursor,
});

export const deletedFileListSchema = z.object({
  files: z
    .array(
      z.object({
        key: z.string().describe("of an empty folder, it ends with a slash"),
        name: z.string(),
        folderPath: z.string().describe("where it was"),
        versionId: z.string().describe("the last version before it was deleted: what restore takes"),
        size: z.int().min(0).describe("bytes"),
        deletedAt: z.iso.datetime(),
        ...who,
      }),
    )
    .describe(
      "in the order of their keys, subfolders included; what was moved away is left out where that was recorded",
    ),
  cursor: nextCursor,
});

/** A file, or the own object of an empty folder, whose key ends with a slash. */
const versionKeySchema = pathTextWithout((value) =>
  value === "" ? "must not be empty" : issueOfFolderPath(`/${value.replace(/\/$/, "")}`),
);

const changeCursor = z
  .string()
  .min(1)
  .max(MAX_CHANGE_CURSOR_LENGTH)
  .optional()
  .describe("from the previous response to the same request");

const versionItem = z.strictObject({ key: versionKeySchema, versionId: versionIdSchema });
const versionItems = z
  .array(versionItem)
  .min(1)
  .max(MAX_CHANGED_ITEMS)
  .refine((items) => new Set(items.map(({ key }) => key)).size === items.length, "must name each file once");

export const restoreVersionsSchema = z.strictObject({
  token: tokenSchema,
  bucket: bucketSchema,
  items: versionItems,
  onConflict: z
    .enum(["fail", "replace", "keep-both"])
    .describe("where there is a file now: leave it, put the version on top of it, or use a numbered name"),
  cursor: changeCursor,
});

export const purgeSchema = z.strictObject({
  token: tokenSchema,
  bucket: bucketSchema,
  items: z
    .array(
      z.strictObject({
        key: versionKeySchema,
        versionId: versionIdSchema.optional().describe("without it: all versions of a deleted file"),
      }),
    )
    .min(1)
    .max(MAX_CHANGED_ITEMS),
  cursor: changeCursor,
});

/** Why `purge` left something. */
export const purgeFailures = ["is_latest", "provider_failed"] as const;

export const purgedSchema = z.object({
  purged: z.int().describe("versions that were deleted for ever"),
  failed: z
    .array(z.object({ key: z.string(), versionId: z.string().optional(), code: z.enum(purgeFailures) }))
    .describe("is_latest: it is what the file contains now; delete the file first"),
  cursor: nextCursor,
});

export type VersionsRequest = z.infer<typeof versionsSchema>;
export type VersionList = z.infer<typeof versionListSchema>;
export type DeletedFilesRequest = z.infer<typeof deletedFilesSchema>;
export type DeletedFileList = z.infer<typeof deletedFileListSchema>;
export type DeletedFile = DeletedFileList["files"][number];
export type RestoreVersionsRequest = z.infer<typeof restoreVersionsSchema>;
export type PurgeRequest = z.infer<typeof purgeSchema>;
export type Purged = z.infer<typeof purgedSchema>;

/** By path below `/api/embed/storage/`. */
export interface HistoryOperations {
  versions: Operation<typeof versionsSchema, typeof versionListSchema>;
  deleted: Operation<typeof deletedFilesSchema, typeof deletedFileListSchema>;
  purge: Operation<typeof purgeSchema, typeof purgedSchema>;
}
