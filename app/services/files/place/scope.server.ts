import {
  issueOfFolderPath,
  issueOfStoredFolder,
  MAX_PATH_BYTES,
  withoutFinalSlash,
} from "platform-embed-element/client";
import { z } from "zod";
import { truncate } from "../../../shared/truncate";
import { validationMessages } from "../../../shared/validation-messages";
import { scopeActions } from "./actions";

/** A character is at least one byte, so longer texts need no further checks. */
const pathText = z.string().max(MAX_PATH_BYTES, {
  abort: true,
  error: `must be at most ${MAX_PATH_BYTES} bytes long`,
});

/** A path or name for which `issueOf` returns null. */
export const pathTextWithout = (issueOf: (text: string) => string | null) =>
  pathText.superRefine((text, context) => {
    const message = issueOf(text);
    if (message !== null) context.addIssue(message);
  });

/** A folder that may be created. */
export const folderPathSchema = pathText.transform(withoutFinalSlash).superRefine((path, context) => {
  const message = issueOfFolderPath(path);
  if (message !== null) context.addIssue(message);
});
/** A folder that may exist, whoever has made it. The longest path has a slash more than the longest key. */
export const storedFolderSchema = z
  .string()
  .max(MAX_PATH_BYTES + 1, { abort: true, error: `must be at most ${MAX_PATH_BYTES} bytes long` })
  .transform(withoutFinalSlash)
  .superRefine((text, context) => {
    const message = issueOfStoredFolder(text);
    if (message !== null) context.addIssue(message);
  });

/**
 * The policy decides which buckets are allowed. In a URL, `.` and `..` are the store itself: there, the beginning of a key would be the name
 * of a bucket. With a slash, it would be a folder of another bucket.
 */
export const bucketSchema = z
  .string()
  .min(1)
  .max(255)
  .regex(/^(?!\.{1,2}$)[^/]*$/, "must not be . or .., nor contain /");

/** A sentence for each bucket of a policy that no scope can name. */
export const issuesOfBuckets = (buckets: readonly string[]): string[] =>
  buckets.flatMap((bucket) => {
    const issue = bucketSchema.safeParse(bucket, { error: validationMessages }).error?.issues[0];
    return issue === undefined ? [] : `the name of a bucket ${issue.message}: ${truncate(bucket)}`;
  });

export const actionsSchema = z.array(z.enum(scopeActions)).max(20);

/** characters, all file types together: the token is part of a URL */
const MAX_FILE_TYPES_LENGTH = 2_000;

export const limitsSchema = z.strictObject({
  maxFileBytes: z.int().min(0).optional().describe("the largest file that may be uploaded or copied, bytes"),
  maxTotalBytes: z
    .int()
    .min(0)
    .optional()
    .describe("how much the folders together may hold, bytes; needs a catalogue of the bucket"),
  fileTypes: z
    .array(
      z
        .string()
        .max(255, { abort: true })
        .regex(
          /^(\.[^\s/\\]+|[\w!#$&^.+-]+\/(\*|[\w!#$&^.+-]+))$/,
          "must be a media type, like image/png or image/*, or an extension, like .docx",
        ),
    )
    .max(100)
    .refine((types) => types.join("").length <= MAX_FILE_TYPES_LENGTH, {
      error: `must have at most ${MAX_FILE_TYPES_LENGTH} characters together`,
    })
    .optional()
    .describe(
      "media types, like application/pdf or image/*, and extensions, like .docx; a file must match one of them",
    ),
});

/** A tag as Amazon S3 allows it. */
const tagText = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength, { abort: true })
    .regex(/^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u, "must have only letters, digits, spaces and + - = . _ : / @");

export const requiredTagSchema = z
  .strictObject({
    key: tagText(128),
    value: tagText(256),
  })
  .describe("only files whose newest version has this tag can be read, copied or moved");

export type RequiredTag = z.infer<typeof requiredTagSchema>;

export const isSameTag = (one: RequiredTag | undefined, other: RequiredTag | undefined) =>
  one?.key === other?.key && one?.value === other?.value;

/** The scope of a `files` token. Unknown members are refused, so that a misspelt limit is not ignored silently. */
export const filesScopeSchema = z
  .strictObject({
    bucket: bucketSchema,
    /** limits browsing and downloading to this folder */
    path: folderPathSchema.optional(),
    /** limits uploading to this folder; without it, `path` does */
    uploadFolder: folderPathSchema.optional(),
    title: z
      .string()
      .trim()
      .min(1)
      .max(120)
      .optional()
      .describe("what the visitor reads as the name of the folder path"),
    actions: actionsSchema.optional().describe("in addition to browsing; download and upload by default"),
    limits: limitsSchema.optional(),
    /** what the token shows; `hand-in` shows nothing of what is stored */
    view: z
      .enum(["explorer", "hand-in"])
      .optional()
      .describe("the explorer by default; hand-in: a page to hand files in, which allows upload only"),
    requireTag: requiredTagSchema.optional(),
  })
  .meta({ id: "FilesScope" });

export type FilesScope = z.infer<typeof filesScopeSchema>;
