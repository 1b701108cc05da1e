import { z } from "zod";
import { timeSchema } from "../../../../events/event-filter.server";
import { storedFolderSchema } from "../scope.server";
import { inBucket, listingSchema } from "./storage-contract.server";

/** What `search` takes and returns. docs/contract.md#storage */

/** characters: the length of the longest file name */
const MAX_QUERY_LENGTH = 255;
/** characters: the position in four folders, with keys of 1,024 bytes that are all escaped */
export const MAX_SEARCH_CURSOR_LENGTH = 80_000;

/** The kinds of files that can be searched for: all that the explorer names, except for "other". */
export const searchedKinds = [
  "image",
  "pdf",
  "text",
  "code",
  "table",
  "document",
  "slides",
  "video",
  "audio",
  "archive",
] as const;

/** The members of a search that say which files are wanted, whatever they are called. */
const filterShape = {
  kinds: z
    .array(z.enum(searchedKinds))
    .min(1)
    .max(searchedKinds.length)
    .optional()
    .describe("only files of these kinds, as their names end; no folders"),
  modifiedAfter: timeSchema
    .optional()
    .describe("only files that were last modified at this time or later; RFC 3339; no folders"),
  modifiedBefore: timeSchema
    .optional()
    .describe("only files that were last modified before this time; RFC 3339; no folders"),
  minSize: z.int().min(0).optional().describe("only files of at least this many bytes; no folders"),
  maxSize: z.int().min(0).optional().describe("only files of at most this many bytes; no folders"),
};
const filterMembers = Object.keys(filterShape) as (keyof typeof filterShape)[];

export const searchSchema = z
  .strictObject({
    ...inBucket,
    folderPath: storedFolderSchema.optional(),
    query: z
      .string()
      .max(MAX_QUERY_LENGTH, { abort: true })
      .describe(
        "words that a name must contain, in any order; case, accents and Unicode form do not matter. Empty: all files that the other members describe",
      ),
    ...filterShape,
    cursor: z.string().min(1).max(MAX_SEARCH_CURSOR_LENGTH, { abort: true }).optional(),
  })
  .superRefine((search, context) => {
    if (/\S/.test(search.query) || filterMembers.some((member) => search[member] !== undefined)) return;
    context.addIssue({ code: "custom", path: ["query"], message: "must not be empty" });
  });

export const searchResultSchema = z.object({
  files: listingSchema.shape.files,
  folders: listingSchema.shape.folders,
  scanned: z
    .int()
    .min(0)
    .describe(
      "number of files whose names this request has compared; of a catalogue, those that its index named",
    ),
  source: z
    .enum(["catalogue", "store"])
    .describe("what was asked: the bucket's catalogue, or the store by listing it"),
  asOf: z.iso
    .datetime()
    .describe("what had been changed until then was looked at; later changes may be missing"),
  cursor: z.string().nullable().describe("send it to continue; null when the search is complete"),
});

export type SearchRequest = z.infer<typeof searchSchema>;
export type SearchResult = z.infer<typeof searchResultSchema>;
