import { MAX_CHANGED_ITEMS } from "platform-embed-element/client";
import { z } from "zod";
import { storedFolderSchema } from "../scope.server";
import { restoreVersionsSchema } from "./history-contract.server";
import {
  changeCursorSchema,
  checkKeyLength,
  fileNameSchema,
  inBucket,
  storedKeySchema,
  storeErrors,
} from "./storage-contract.server";

/** What the endpoints that copy, move, delete and restore take and return. docs/contract.md#changes */

/** What the declarations of these endpoints share. */
export const changeEndpoint = {
  // A thousand keys of 1,024 bytes, and a cursor.
  maxBodyBytes: 2 * 1024 ** 2,
  // A store may take most of a minute to copy one large object.
  budgetMs: 55_000,
  isHeavy: () => true,
  errors: ["upload_conflict" as const, ...storeErrors],
};

/**
 * How many events of a day must be left for a change to begin: one for each file or folder that it names. The requests that continue it need none, so
 * that what has begun is carried through.
 */
export const eventsOfChange = ({
  items,
  cursor,
}: {
  items: readonly object[];
  cursor?: string | undefined;
}) => (cursor === undefined ? items.length : 0);

/** characters of an undo handle */
export const MAX_UNDO_LENGTH = 400_000;

const folder = z.strictObject({
  folderPath: storedFolderSchema.refine((path) => path !== "/", "must be below the bucket's root"),
});
const listOf = <Item extends z.ZodType>(item: Item) =>
  z.array(item).min(1).max(MAX_CHANGED_ITEMS).describe("files and folders, in any order");
const items = listOf(z.union([z.strictObject({ key: storedKeySchema }), folder]));
/** The own object of a folder is only copied with the folder: elsewhere, it would be another folder. */
const fileKeySchema = storedKeySchema.refine((key) => !key.endsWith("/"), "must not end with /");
const itemsToCopy = listOf(z.union([z.strictObject({ key: fileKeySchema }), folder]));

const copySchema = z
  .strictObject({
    ...inBucket,
    items: itemsToCopy,
    to: storedFolderSchema.describe("the folder to put them in"),
    name: fileNameSchema.optional().describe("the new name; for a single item only"),
    onConflict: z.enum(["fail", "replace", "keep-both"]),
    cursor: changeCursorSchema,
    stop: z.boolean().default(false).describe("with a cursor: stop, and discard the parts of a large object"),
  })
  .superRefine(({ items, to, name }, context) => {
    if (name === undefined) return;
    if (items.length > 1)
      context.addIssue({ code: "custom", path: ["name"], message: "needs a single item" });
    else checkKeyLength({ folderPath: to, fileName: name }, context, "name");
  });

export const deleteSchema = z.strictObject({
  ...inBucket,
  items,
  check: z.boolean().default(false).describe("change nothing, and tell whether it could be undone"),
  cursor: changeCursorSchema,
});

export const undoSchema = z.strictObject({
  ...inBucket,
  undo: z
    .string()
    .min(1)
    .max(MAX_UNDO_LENGTH)
    .describe("as delete, copy, create-folder or restore returned it"),
});

/** `restore` takes what a change returned, or versions by their ids. */
export function chooseRestoreSchema(json: unknown): typeof undoSchema | typeof restoreVersionsSchema {
  const isUndo = typeof json === "object" && json !== null && "undo" in json;
  return isUndo ? undoSchema : restoreVersionsSchema;
}

/** Why one object was not changed. */
export const objectFailures = [
  "name_taken",
  "not_found",
  "name_too_long",
  "too_large",
  "quota_exceeded",
  "upload_conflict",
  "being_checked",
  "blocked",
  "provider_failed",
] as const;

/** Why `restore` left one object as it is. */
const restoreFailures = [...objectFailures, "changed", "not_empty", "would_be_lost"] as const;

const done = z
  .int()
  .describe("objects changed by this request; a folder that somebody created counts as one");
const failed = z
  .array(z.object({ key: z.string(), code: z.enum(objectFailures) }))
  .describe("objects that were not changed; the key of a missing folder ends with a slash");
const next = z
  .string()
  .nullable()
  .describe("send it with the same request to continue; null when everything is done");

const namedItems = z.array(
  z.object({ name: z.string(), key: z.string().optional(), folderPath: z.string().optional() }),
);

const copiedSchema = z.object({
  done,
  failed,
  conflicts: namedItems.describe(
    "items whose name is taken, as they were requested; in this case nothing was changed",
  ),
  renamed: namedItems
    .optional()
    .describe("with keep-both: items that get another name, as they were requested, and that name"),
  cursor: next,
  undo: z
    .string()
    .optional()
    .describe("of copy: removes what this response has created; absent with replace, or without `delete`"),
});

export const deletedSchema = z.object({
  done,
  failed,
  cursor: next,
  undo: z
    .string()
    .nullable()
    .describe("restores what this response counts; null where nothing can be restored"),
  undoable: z.boolean().describe("the bucket keeps versions"),
});

export const restoredSchema = z.object({
  restored: z.int().describe("objects that were brought back, or removed"),
  unchanged: z
    .int()
    .optional()
    .describe("with items: how many of the restored ones had that content already, so that nothing was done"),
  failed: z
    .array(z.object({ key: z.string(), code: z.enum(restoreFailures) }))
    .describe(
      "objects that were left as they are; name_taken: a newer file has the name; would_be_lost: the bucket would not keep the present content",
    ),
  renamed: z
    .array(z.object({ key: z.string(), name: z.string() }))
    .optional()
    .describe("with keep-both: what got another name, and that name"),
  cursor: next,
  undo: z
    .string()
    .optional()
    .describe(
      "with items: deletes again what this response has put where nothing was, and brings back what it has replaced; absent without `delete`",
    ),
});

/** The declaration of both endpoints, `copy` and `move`, but for what they say and do. */
export const copyEndpoint = {
  ...changeEndpoint,
  body: copySchema,
  result: copiedSchema,
  errors: ["type_not_allowed" as const, ...changeEndpoint.errors],
  events: eventsOfChange,
  recorded: ({ done }: { done: number }) => done,
};

export type CopyRequest = z.infer<typeof copySchema>;
export type Copied = z.infer<typeof copiedSchema>;
export type DeleteRequest = z.infer<typeof deleteSchema>;
export type Deleted = z.infer<typeof deletedSchema>;
export type UndoRequest = z.infer<typeof undoSchema>;
export type Restored = z.infer<typeof restoredSchema>;
export type FailureCode = (typeof objectFailures)[number];
export type RestoreFailure = (typeof restoreFailures)[number];
