import { z } from "zod";
import { AppError } from "../../app-error";
import { defaultActions, type FileAction, fileActions } from "./actions";
import { isInside, issueOfFolderPath, MAX_PATH_BYTES } from "./folder-path";
import { tighterLimits, type UploadLimits } from "./upload-limits";

/** A path's or name's length before it is looked at more closely: a character is at least a byte. */
const pathText = z.string().max(MAX_PATH_BYTES, {
  abort: true,
  error: `must be at most ${MAX_PATH_BYTES} bytes long`,
});

/** A text in which `issueOf` finds nothing wrong. */
export const pathTextWithout = (issueOf: (text: string) => string | null) =>
  pathText.superRefine((text, context) => {
    const message = issueOf(text);
    if (message !== null) context.addIssue(message);
  });

export const folderPathSchema = pathTextWithout(issueOfFolderPath);

/** An S3 bucket's name, loosely: the policy holds the exact ones. */
export const bucketSchema = z.string().min(1).max(255);

const actionsSchema = z.array(z.enum(fileActions)).max(20);

/** characters of all file types together: the token is part of a URL */
const MAX_FILE_TYPES_LENGTH = 2_000;

const limitsSchema = z.strictObject({
  maxFileBytes: z.int().min(0).optional().describe("the largest file that may be uploaded, bytes"),
  fileTypes: z
    .array(
      z
        .string()
        .max(255, { abort: true })
        .regex(
          /^(\.[^\s/\\]+|[\w!#$&^.+-]+\/(\*|[\w!#$&^.+-]+))$/,
          "must be a media type, like image/png or image/*, or a file name's end, like .docx",
        ),
    )
    .max(100)
    .refine((types) => types.join("").length <= MAX_FILE_TYPES_LENGTH, {
      error: `must have at most ${MAX_FILE_TYPES_LENGTH} characters together`,
    })
    .optional()
    .describe("media types, like application/pdf or image/*, and ends of names, like .docx; one has to fit"),
});

/** The scope of a `files` token. Unknown members are refused: one that we ignored would look like a limit that holds. */
export const filesScopeSchema = z.strictObject({
  bucket: bucketSchema,
  /** browsing and download stay inside it */
  path: folderPathSchema.optional(),
  /** uploads stay inside it; without it, inside `path` */
  uploadFolder: folderPathSchema.optional(),
  actions: actionsSchema.optional().describe("beside browsing; download and upload unless told"),
  limits: limitsSchema.optional(),
});

export type FilesScope = z.infer<typeof filesScopeSchema>;

/** What an embed client's `allowed_scopes` has under `files`. docs/contract.md#tables */
export const filesPolicySchema = z.object({
  buckets: z.array(z.string()),
  paths: z.array(z.string()).optional(),
  uploadFolders: z.array(z.string()).optional(),
  actions: actionsSchema.optional(),
  limits: limitsSchema.optional(),
});

export type FilesPolicy = z.infer<typeof filesPolicySchema>;

/** The files policy in `allowed_scopes`, or null when there is none that can be read: then nothing is allowed. */
export function readFilesPolicy(allowedScopes: unknown): FilesPolicy | null {
  return z.object({ files: filesPolicySchema }).safeParse(allowedScopes).data?.files ?? null;
}

/**
 * The scope a token gets when `requested` is asked for under `policy`: never wider than that.
 * A `path` or `uploadFolder` that is not asked for stays away where the policy has no such list, and is filled in where the
 * list has one entry. `actions` and `limits` are in it where they differ from the default. docs/contract.md#embed-tokens
 * @throws AppError `scope_not_allowed`
 */
export function decideFilesScope(requested: FilesScope, policy: FilesPolicy): FilesScope {
  if (!policy.buckets.includes(requested.bucket)) {
    throw new AppError("scope_not_allowed", "This API key does not reach that bucket (scope.bucket).");
  }
  return {
    bucket: requested.bucket,
    path: decideFolder("path", requested.path, policy.paths),
    uploadFolder: decideFolder("uploadFolder", requested.uploadFolder, policy.uploadFolders),
    actions: decideActions(requested.actions, policy.actions),
    limits: decideLimits(requested.limits, policy.limits),
  };
}

/** Undefined where it is the default. */
function decideActions(
  requested: readonly FileAction[] | undefined,
  allowed: readonly FileAction[] = defaultActions,
): FileAction[] | undefined {
  const refused = requested?.find((action) => !allowed.includes(action));
  if (refused !== undefined) {
    throw new AppError("scope_not_allowed", `This API key may not allow ${refused} (scope.actions).`);
  }
  const wanted = requested ?? defaultActions.filter((action) => allowed.includes(action));
  const actions = fileActions.filter((action) => wanted.includes(action));
  return actions.join() === defaultActions.join() ? undefined : actions;
}

/** Undefined where nothing is limited. */
function decideLimits(requested?: UploadLimits, allowed?: UploadLimits): UploadLimits | undefined {
  const limits = tighterLimits(requested, allowed);
  // Two lists may have more in common than a token can hold: its scope has to be one again.
  if (!limitsSchema.safeParse(limits).success) {
    throw new AppError(
      "scope_not_allowed",
      "Too many file types fit both this API key's and yours: name fewer (scope.limits).",
    );
  }
  return limits.maxFileBytes === undefined && limits.fileTypes === undefined ? undefined : limits;
}

function decideFolder(
  member: "path" | "uploadFolder",
  requested: string | undefined,
  allowed: readonly string[] | undefined,
): string | undefined {
  if (allowed === undefined) return requested;
  // An entry out of form allows nothing: repaired, it might allow what nobody meant.
  const folders = allowed.filter((folder) => issueOfFolderPath(folder) === null);
  if (requested !== undefined) {
    if (folders.some((folder) => isInside(requested, folder))) return requested;
    throw new AppError("scope_not_allowed", `This API key does not reach that folder (scope.${member}).`);
  }
  const [only] = folders;
  if (only !== undefined && allowed.length === 1) return only;
  if (folders.length === 0) {
    throw new AppError("scope_not_allowed", `This API key's policy allows no folder for scope.${member}.`);
  }
  throw new AppError(
    "scope_not_allowed",
    `This API key may use several folders: name one as scope.${member} (${folders.join(", ")}).`,
  );
}
