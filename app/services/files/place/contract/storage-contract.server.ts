import {
  byteLength,
  issueOfFileName,
  issueOfFolderPath,
  issueOfStoredKey,
  joinPath,
  MAX_PATH_BYTES,
  MAX_SIGNED_DOWNLOADS,
} from "platform-embed-element/client";
import { z } from "zod";
import { fileOrders } from "../../../../catalogue/ordered-files.sql.server";
import { timeSchema } from "../../../../events/event-filter.server";
import { visibleEventsPaging } from "../../../../events/visible-events.server";
import { storeProblems } from "../../../../providers/store-failure.server";
import type { AppErrorCode } from "../../../../shared/app-error";
import { bucketSchema, folderPathSchema, pathTextWithout, storedFolderSchema } from "../scope.server";

/** What the storage endpoints take and return; those of uploads, changes, history, search and hand-in pages are in the files beside it. docs/contract.md#storage */

const MAX_PAGE_SIZE = 1000;
export const DEFAULT_PAGE_SIZE = 200;

/** What any endpoint that calls the store may answer. */
export const storeErrors = ["bucket_not_found", "provider_failed"] as const satisfies AppErrorCode[];

export const tokenSchema = z.string().min(1);
/** characters: sixteen multipart copies with the longest keys, each character of which is escaped, and a thousand numbers */
export const MAX_CHANGE_CURSOR_LENGTH = 160_000;
/** The cursor in a request to change files. */
export const changeCursorSchema = z
  .string()
  .min(1)
  .max(MAX_CHANGE_CURSOR_LENGTH)
  .optional()
  .describe("from the previous response to the same request");

/** What every request about a bucket contains. */
export const inBucket = { token: tokenSchema, bucket: bucketSchema };
export const fileNameSchema = pathTextWithout(issueOfFileName);
/** A file that may exist, whoever has stored it. */
export const storedKeySchema = pathTextWithout(issueOfStoredKey);
/** A file that was uploaded through this service. */
export const keySchema = pathTextWithout((value) =>
  value === "" ? "must not be empty" : issueOfFolderPath(`/${value}`),
);
export const versionIdSchema = z
  .string()
  .min(1)
  .max(1_024, { abort: true })
  .regex(/^\P{Cs}*$/u, "must be well-formed Unicode")
  .describe("of an older version, as versions, deleted and list with `at` return it");
export const unixSecondsSchema = z.int().describe("unix seconds");

export function checkKeyLength(
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

export const listSchema = z
  .strictObject({
    ...inBucket,
    folderPath: storedFolderSchema.optional(),
    cursor: z
      .string()
      .min(1)
      .max(4096, { abort: true })
      // Half a surrogate pair cannot be encoded in a URL.
      .regex(/^\P{Cs}*$/u, "must be well-formed Unicode")
      .optional(),
    pageSize: z.int().min(1).max(MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE),
    at: timeSchema.describe("list the folder as it was then; RFC 3339").optional(),
    order: z
      .enum(fileOrders)
      .describe("of the files, where the bucket has a catalogue; the default, and without one, is by key")
      .optional(),
  })
  .refine(({ at, order }) => at === undefined || order === undefined, {
    path: ["order"],
    message: "cannot be combined with at",
  });

export const listingSchema = z.object({
  folders: z.array(
    z
      .object({
        name: z.string().describe("may be empty, or have any character but /"),
        path: z.string().describe("starts with /, and ends with one only if the name is empty"),
      })
      .meta({ id: "FolderEntry" }),
  ),
  files: z.array(
    z
      .object({
        name: z.string().describe("ends with / for the content of the folder's own object"),
        key: z.string().describe("the S3 key"),
        size: z.int().min(0).describe("bytes"),
        lastModified: z.iso.datetime(),
        etag: z.string(),
        versionId: z.string().describe("only with `at`").optional(),
      })
      .meta({ id: "FileEntry" }),
  ),
  nextCursor: z.string().nullable().describe("pass as cursor for the next page; null on the last page"),
  exists: z
    .literal(false)
    .optional()
    .describe("false where nothing in the bucket has this path or is below it; otherwise absent"),
  source: z
    .enum(["catalogue", "store"])
    .describe("only with `order`. store: the order could not be kept, and is by key")
    .optional(),
  asOf: z.iso
    .datetime()
    .describe("only of a catalogue: what others had changed until then is in the list")
    .optional(),
});

const MAX_SIZED_FOLDERS = 100;

export const readFolderSizesSchema = z.strictObject({
  ...inBucket,
  folderPaths: z.array(storedFolderSchema).min(1).max(MAX_SIZED_FOLDERS),
  thorough: z.boolean().default(false).describe("count for up to three seconds, instead of a tenth of one"),
});
export const folderSizesSchema = z.object({
  source: z
    .enum(["catalogue", "store"])
    .describe("store: the bucket has no catalogue that can be asked, so no size is known"),
  asOf: z.iso
    .datetime()
    .nullable()
    .describe("what others had changed until then is in the sizes; null without a catalogue"),
  sizes: z
    .array(
      z
        .object({
          files: z.int().min(0).describe("in the folder and below it"),
          bytes: z.int().min(0),
        })
        .nullable(),
    )
    .describe("in the order of the paths; null: not known, or not in that time"),
});

export const readQuotaSchema = z.strictObject(inBucket);
export const quotaSchema = z.object({
  quota: z
    .object({
      usedBytes: z
        .int()
        .min(0)
        .describe(
          "what the folders hold, with what was signed and may still arrive; at times above maxBytes",
        ),
      maxBytes: z.int().min(0).describe("how much they may hold"),
    })
    .nullable()
    .describe(
      "null: the token has no quota, or one of which it may not know how full it is, or nobody can tell",
    ),
});

export const createFolderSchema = z
  .strictObject({
    ...inBucket,
    folderPath: folderPathSchema,
    name: fileNameSchema,
  })
  .superRefine(({ folderPath, name }, context) => {
    checkKeyLength({ folderPath, fileName: name }, context, "name");
  });
export const createdFolderSchema = z.object({
  path: z.string().describe("starts with /, does not end with one"),
  undo: z
    .string()
    .optional()
    .describe("removes the folder while it is empty; absent where it existed, or without `delete`"),
});

const disposition = z.enum(["inline", "attachment"]).default("attachment");

export const downloadByKeySchema = z.strictObject({
  ...inBucket,
  key: storedKeySchema,
  versionId: versionIdSchema.optional(),
  disposition,
});
export const downloadByFolderSchema = z
  .strictObject({
    ...inBucket,
    folderPath: folderPathSchema,
    fileName: fileNameSchema,
    disposition,
  })
  .superRefine(checkKeyLength);

/** A file is named either by `key` or by `folderPath` and `fileName`. */
export function chooseDownloadSchema(
  json: unknown,
): typeof downloadByKeySchema | typeof downloadByFolderSchema {
  const byFolder = typeof json === "object" && json !== null && ("folderPath" in json || "fileName" in json);
  return byFolder ? downloadByFolderSchema : downloadByKeySchema;
}

export const presignedDownloadSchema = z.object({
  url: z.string(),
  method: z.literal("GET"),
  bucket: z.string(),
  key: z.string(),
  expiresAt: unixSecondsSchema,
});

export const presignDownloadsSchema = z.strictObject({
  ...inBucket,
  keys: z
    .array(storedKeySchema.or(z.strictObject({ key: storedKeySchema, versionId: versionIdSchema })))
    .min(1)
    .max(MAX_SIGNED_DOWNLOADS),
  disposition,
  purpose: z.literal("thumbnail").optional().describe("what the URLs are for, in the words of the record"),
  check: z
    .boolean()
    .default(false)
    .describe(
      "sign nothing, and tell which files could be downloaded; without `download`, which have the tag that the token requires",
    ),
});
export const presignedDownloadsSchema = z.object({
  downloads: z
    .array(
      z.union([
        z.object({ key: z.string(), url: z.string() }),
        z.object({ key: z.string(), error: z.string().describe("a code, like scope_not_allowed") }),
        z.object({ key: z.string() }).describe("with check: it could be downloaded"),
      ]),
    )
    .describe("in the order of the keys"),
  expiresAt: unixSecondsSchema,
});

/** The explorer asks this when its browser could not reach the store. */
export const diagnoseSchema = z.strictObject({
  ...inBucket,
  operation: z.enum(["upload", "download"]),
});
export const storageDiagnosisSchema = z.object({
  problem: z
    .enum(storeProblems)
    .nullable()
    .describe("null: the store works, so the cause is between it and the browser"),
  advice: z.string().optional().describe("for the operator; on a developer's machine only"),
});

export type ListRequest = z.infer<typeof listSchema>;
export type Listing = z.infer<typeof listingSchema>;
export type FolderSizesRequest = z.infer<typeof readFolderSizesSchema>;
export type FolderSizes = z.infer<typeof folderSizesSchema>;
export type QuotaRequest = z.infer<typeof readQuotaSchema>;
export type QuotaState = z.infer<typeof quotaSchema>;
export type FolderEntry = Listing["folders"][number];
export type FileEntry = Listing["files"][number];
export type CreateFolderRequest = z.infer<typeof createFolderSchema>;
export type CreatedFolder = z.infer<typeof createdFolderSchema>;
export type PresignDownloadRequest = z.infer<ReturnType<typeof chooseDownloadSchema>>;
export type PresignedDownload = z.infer<typeof presignedDownloadSchema>;
export type PresignDownloadsRequest = z.infer<typeof presignDownloadsSchema>;
export type PresignedDownloads = z.infer<typeof presignedDownloadsSchema>;
export type DiagnoseRequest = z.infer<typeof diagnoseSchema>;
export type StorageDiagnosis = z.infer<typeof storageDiagnosisSchema>;

/** A file or a folder, with everything in it. */
export const listFileActivitySchema = z
  .strictObject({
    ...inBucket,
    key: storedKeySchema.optional().describe("of a file"),
    folderPath: storedFolderSchema.optional(),
    ...visibleEventsPaging,
  })
  .refine(({ key, folderPath }) => (key === undefined) !== (folderPath === undefined), {
    path: ["key"],
    message: "or folderPath is required, and not both",
  });

const fileEntrySchema = listingSchema.shape.files.element;

export const listRecentSchema = z.strictObject({ ...inBucket });
export const recentFilesSchema = z.object({
  files: z
    .array(
      z
        .object({
          ...fileEntrySchema.shape,
          addedAt: z.iso.datetime().describe("when it was uploaded, copied here, or moved here from outside"),
          visitor: z
            .object({ id: z.string(), name: z.string().optional() })
            .describe("who added it, if that is known; only with `activity`")
            .optional(),
        })
        .meta({ id: "RecentFile" }),
    )
    .describe("the last one added comes first"),
  complete: z.boolean().describe("false if not everything could be looked at: files may be missing"),
});

export type RecentFiles = z.infer<typeof recentFilesSchema>;
export type RecentFile = RecentFiles["files"][number];
