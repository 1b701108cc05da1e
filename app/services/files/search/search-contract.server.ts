import { z } from "zod";
import { bucketSchema, folderPathSchema } from "../scope.server";
import { listingSchema, token } from "../storage-contract.server";
import { LONGEST_CURSOR } from "./search-cursor.server";

/** What the endpoint for searching takes, and what it responds with. docs/contract.md#storage */

/** characters: a file's whole name */
const LONGEST_QUERY = 255;

export const searchSchema = z.strictObject({
  token,
  bucket: bucketSchema,
  folderPath: folderPathSchema.optional(),
  query: z
    .string()
    .max(LONGEST_QUERY, { abort: true })
    .regex(/\S/, "must not be empty")
    .describe("words that a name has to have, in any order; case, accents and Unicode form do not matter"),
  cursor: z.string().min(1).max(LONGEST_CURSOR, { abort: true }).optional(),
});

export const searchResultSchema = z.object({
  files: listingSchema.shape.files,
  folders: listingSchema.shape.folders,
  scanned: z.int().min(0).describe("files that were looked at by this request"),
  cursor: z.string().nullable().describe("pass it to go on; null when all has been looked at"),
});

export type SearchRequest = z.infer<typeof searchSchema>;
export type SearchResult = z.infer<typeof searchResultSchema>;
