import { MAX_CHANGED_ITEMS } from "platform-embed-element/client";
import { z } from "zod";
import { timeSchema } from "../../../../events/event-filter.server";
import { storedFolderSchema } from "../scope.server";
import { changeCursorSchema, inBucket, storedKeySchema, versionIdSchema } from "./storage-contract.server";

/** Requests and responses of the endpoints for older versions and deleted files. docs/contract.md#history */

/** characters: enough for a key of 1,024 bytes that are all escaped, and a version */
const MAX_HISTORY_CURSOR_LENGTH = 16_384;

const cursor = z.string().min(1).max(MAX_HISTORY_CURSOR_LENGTH, { abort: true }).optional();
const nextCursor = z.string().nullable().describe("send it to continue; null if there is no more");
const who = {
  visitor: z
    .object({ id: z.string(), name: z.string().optional() })
    .optional()
    .describe("who did it, if the recorded event names a visitor"),
};

export const versionsSchema = z.strictObject({
  ...inBucket,
  key: storedKeySchema,
  cursor,
});

export const versionListSchema = z.object({
  versions: z
    .array(
      z.object({
        versionId: z.string(),
        size: z.int().min(0).describe("bytes"),
        lastModified: z.iso.datetime(),
        isLatest: z
          .boolean()
          .describe(
            "whether it is the current content of the file; false for all versions of a deleted file",
          ),
        ...who,
      }),
    )
    .describe("newest first"),
  cursor: nextCursor,
});

export const deletedFilesSchema = z.strictObject({
  ...inBucket,
  folderPath: storedFolderSchema.optional(),
  cursor,
});

export const deletedFileListSchema = z.object({
  files: z
    .array(
      z.object({
        key: z.string().describe("the key of an empty folder ends with a slash"),
        name: z.string(),
        folderPath: z.string().describe("the folder that contained it"),
        versionId: z.string().describe("the last version before the deletion; send it to `restore`"),
        size: z.int().min(0).describe("bytes"),
        deletedAt: z.iso.datetime(),
        ...who,
      }),
    )
    .describe(
      "in the order of their keys, subfolders included; without files that were moved, if the move was recorded",
    ),
  existingFolders: z
    .array(z.string())
    .describe(
      "of the folders between `folderPath` and the files, those in which something still is, without the folders around them; the next responses may name more",
    ),
  cursor: nextCursor,
});

export const changeTimesRequestSchema = z
  .strictObject({
    ...inBucket,
    folderPath: storedFolderSchema.optional(),
    from: timeSchema.describe("the first moment; RFC 3339"),
    to: timeSchema.describe("the moment after the last; RFC 3339"),
    cursor,
  })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
    path: ["to"],
    message: "must be later than from",
  });

export const changeTimesSchema = z.object({
  times: z
    .array(z.iso.datetime())
    .describe(
      "the minutes in which something changed, in their order; those of another response may be between them",
    ),
  cursor: nextCursor,
});

const versionItem = z.strictObject({ key: storedKeySchema, versionId: versionIdSchema });
const versionItems = z
  .array(versionItem)
  .min(1)
  .max(MAX_CHANGED_ITEMS)
  .refine((items) => new Set(items.map(({ key }) => key)).size === items.length, "must name each file once");

export const restoreVersionsSchema = z.strictObject({
  ...inBucket,
  items: versionItems,
  onConflict: z
    .enum(["fail", "replace", "keep-both"])
    .describe("if the file exists: leave it, make the version its newest, or restore under a numbered name"),
  cursor: changeCursorSchema,
});

export const purgeSchema = z.strictObject({
  ...inBucket,
  items: z
    .array(
      z.strictObject({
        key: storedKeySchema,
        versionId: versionIdSchema.optional().describe("if missing: all versions of a deleted file"),
      }),
    )
    .min(1)
    .max(MAX_CHANGED_ITEMS),
  cursor: changeCursorSchema,
});

/** Why `purge` did not delete an item. */
const purgeFailures = ["is_latest", "not_found", "provider_failed"] as const;

export const purgedSchema = z.object({
  purged: z.int().describe("number of versions that were permanently deleted"),
  done: z.int().describe("number of items of which nothing is left that was to be deleted"),
  failed: z
    .array(z.object({ key: z.string(), versionId: z.string().optional(), code: z.enum(purgeFailures) }))
    .describe(
      "is_latest: it is the current content of the file, so delete the file first; not_found: it is a delete marker",
    ),
  cursor: nextCursor,
});

export type VersionsRequest = z.infer<typeof versionsSchema>;
export type VersionList = z.infer<typeof versionListSchema>;
export type DeletedFilesRequest = z.infer<typeof deletedFilesSchema>;
export type DeletedFileList = z.infer<typeof deletedFileListSchema>;
export type ChangeTimesRequest = z.infer<typeof changeTimesRequestSchema>;
export type ChangeTimes = z.infer<typeof changeTimesSchema>;
export type RestoreVersionsRequest = z.infer<typeof restoreVersionsSchema>;
export type PurgeRequest = z.infer<typeof purgeSchema>;
export type Purged = z.infer<typeof purgedSchema>;
