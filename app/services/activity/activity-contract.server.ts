import { z } from "zod";
import { visibleEventFilters, visibleEventsPaging } from "../../events/visible-events.server";
import { tokenSchema } from "../files/place/contract/storage-contract.server";
import { bucketSchema, storedFolderSchema } from "../files/place/scope.server";

/** What the endpoints of `activity` take and return. docs/contract.md#activity */

const filters = {
  ...visibleEventFilters,
  bucket: bucketSchema.optional(),
  folderPath: storedFolderSchema.optional().describe("only events in this folder; needs a bucket"),
};

export const listActivitySchema = z.strictObject({ token: tokenSchema, ...filters, ...visibleEventsPaging });

export const exportActivitySchema = z.strictObject({ token: tokenSchema, ...filters });

export const listPeopleSchema = z.strictObject({ token: tokenSchema });
export const peopleSchema = z.object({
  people: z
    .array(z.object({ id: z.string(), name: z.string().optional() }))
    .describe("the visitors of the most recent events, by name"),
});

/** By their paths below `/api/embed/activity/`. */
export interface ActivityOperations {
  list: Omit<z.input<typeof listActivitySchema>, "token">;
  export: Omit<z.input<typeof exportActivitySchema>, "token">;
  people: Omit<z.input<typeof listPeopleSchema>, "token">;
}
