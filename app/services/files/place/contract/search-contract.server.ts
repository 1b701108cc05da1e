import { z } from "zod";
import { storedFolderSchema } from "../scope.server";
import { inBucket, listingSchema } from "./storage-contract.server";

/** What `search` takes and returns. docs/contract.md#storage */

/** characters: the length of the longest file name */
const MAX_QUERY_LENGTH = 255;
/** characters: the position in four folders, with keys of 1,024 bytes that are all escaped */
export const MAX_SEARCH_CURSOR_LENGTH = 80_000;

export const searchSchema = z.strictObject({
  ...inBucket,
  folderPath: storedFolderSchema.optional(),
  query: z
    .string()
    .max(MAX_QUERY_LENGTH, { abort: true })
    .regex(/\S/, "must not be empty")
    .describe("words that a name must contain, in any order; case, accents and Unicode form do not matter"),
  cursor: z.string().min(1).max(MAX_SEARCH_CURSOR_LENGTH, { abort: true }).optional(),
});

export const searchResultSchema = z.object({
  files: listingSchema.shape.files,
  folders: listingSchema.shape.folders,
  scanned: z.int().min(0).describe("number of files whose names this request has compared"),
  cursor: z.string().nullable().describe("send it to continue; null when the search is complete"),
});

export type SearchRequest = z.infer<typeof searchSchema>;
export type SearchResult = z.infer<typeof searchResultSchema>;
