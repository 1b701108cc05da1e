import { z } from "zod";
import { bucketSchema, storedFolderSchema } from "../scope.server";
import { listingSchema } from "./storage-contract.server";

/** What `changes` takes and tells. docs/contract.md#what-others-change */

/** characters; ours are shorter */
const MAX_POSITION_LENGTH = 2_000;

export const followSchema = z.strictObject({
  bucket: bucketSchema,
  folderPath: storedFolderSchema.optional(),
  after: z
    .string()
    .max(MAX_POSITION_LENGTH)
    .optional()
    .describe("the last `id`; without it, the last two minutes are told"),
  below: z.literal("true").optional().describe("tell of everything below the folder, too, as a search does"),
  once: z.literal("true").optional().describe("tell what has happened so far, and end"),
});

/** The data of a message `changes`. */
const followedChangesSchema = z.object({
  files: listingSchema.shape.files.describe("files that were added or changed"),
  deleted: z.array(z.string()).describe("keys of files that are gone"),
  folders: listingSchema.shape.folders.describe("subfolders in which something was added or changed"),
  deletedFolders: z.array(z.string()).describe("paths of subfolders in which nothing is any more"),
});

export type FollowRequest = z.infer<typeof followSchema>;
export type FollowedChanges = z.infer<typeof followedChangesSchema>;
