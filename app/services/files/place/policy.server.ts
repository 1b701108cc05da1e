/* The policy of an API key for files: what its tokens may be allowed, and the scope of each token that follows from it. */
import { isInside, issueOfFolderPath, withoutFinalSlash } from "platform-embed-element/client";
import { z } from "zod";
import { tighterLimits, type UploadLimits } from "../../../../embed-element/shared/upload-limits";
import { AppError } from "../../../shared/app-error";
import { defaultActions, type ScopeAction, scopeActions } from "./actions";
import {
  actionsSchema,
  type FilesScope,
  isSameTag,
  limitsSchema,
  type RequiredTag,
  requiredTagSchema,
} from "./scope.server";

/** The folders of a policy, as people write them. An invalid one allows nothing. */
export const policyFoldersSchema = z.array(z.string().transform(withoutFinalSlash));

/**
 * The value of `files` in an embed client's `allowed_scopes`. Another member would look like a limit that applies, so a policy that has one
 * allows nothing. docs/contract.md#tables
 */
export const filesPolicySchema = z.strictObject({
  buckets: z.array(z.string()),
  paths: policyFoldersSchema.optional(),
  uploadFolders: policyFoldersSchema.optional(),
  actions: actionsSchema.optional(),
  limits: limitsSchema.optional(),
  view: z.literal("hand-in").optional(),
  requireTag: requiredTagSchema.optional(),
});

export type FilesPolicy = z.infer<typeof filesPolicySchema>;

/** The files policy in `allowed_scopes`; null if there is none or it is invalid, and then nothing is allowed. */
export function readFilesPolicy(allowedScopes: unknown): FilesPolicy | null {
  return z.object({ files: filesPolicySchema }).safeParse(allowedScopes).data?.files ?? null;
}

/**
 * The scope of a token that is requested under `policy`; never wider than the policy. A `path` or `uploadFolder` that
 * was not requested stays unset if the policy has no such list, and is set if its list has one entry. `actions`,
 * `limits` and `view` are set if they differ from the default. A policy says nothing of the `title`. `requireTag` is the policy's, whether it was requested or not.
 * docs/contract.md#scope-of-files
 * @throws AppError `scope_not_allowed`
 */
export function decideFilesScope(requested: FilesScope, policy: FilesPolicy): FilesScope {
  if (!policy.buckets.includes(requested.bucket)) {
    throw notAllowed("This API key does not reach that bucket (scope.bucket).");
  }
  const view = decideView(requested.view, policy.view);
  return {
    bucket: requested.bucket,
    path: decideFolder("path", requested.path, policy.paths),
    uploadFolder: decideUploadFolder(requested.uploadFolder, policy),
    title: requested.title,
    actions:
      view === "hand-in"
        ? decideHandInActions(requested.actions, policy.actions)
        : decideActions(requested.actions, policy.actions),
    limits: decideLimits(requested.limits, policy.limits),
    view,
    requireTag: decideRequiredTag(requested.requireTag, policy.requireTag),
  };
}

/** Two different tags cannot both be required, so another one than the policy's is refused. */
function decideRequiredTag(
  requested: RequiredTag | undefined,
  required: RequiredTag | undefined,
): RequiredTag | undefined {
  if (requested === undefined || required === undefined || isSameTag(requested, required))
    return required ?? requested;
  throw notAllowed("This API key requires another tag (scope.requireTag).");
}

/**
 * Decides the token's upload folder:
 *
 * - If the policy has `uploadFolders`, it must be in one of these. If there is only one, it need not be requested.
 * - Otherwise, if the request names a folder, that must be in one of `paths`, if the policy has any.
 * - Otherwise it is unset, and the token's `path` limits uploads.
 */
function decideUploadFolder(
  requested: string | undefined,
  { paths, uploadFolders }: FilesPolicy,
): string | undefined {
  if (uploadFolders !== undefined) return decideFolder("uploadFolder", requested, uploadFolders);
  return requested === undefined ? undefined : decideFolder("uploadFolder", requested, paths);
}

/** Undefined for the explorer. @param allowed a policy may allow hand-in pages only */
function decideView(requested: FilesScope["view"], allowed: FilesPolicy["view"]): "hand-in" | undefined {
  if (requested === "explorer" && allowed === "hand-in") {
    throw notAllowed("This API key is for hand-in pages only (scope.view).");
  }
  return requested === "hand-in" || allowed === "hand-in" ? "hand-in" : undefined;
}

/** Handing in is uploading, and nothing else. */
function decideHandInActions(
  requested: readonly ScopeAction[] = ["upload"],
  allowed: readonly ScopeAction[] = defaultActions,
): ScopeAction[] {
  const other = requested.find((action) => action !== "upload");
  if (other !== undefined || requested.length === 0) {
    const instead = other === undefined ? "" : `, not ${other}`;
    throw notAllowed(
      `A hand-in page allows upload${instead} (scope.view is hand-in; leave out scope.actions).`,
    );
  }
  if (!allowed.includes("upload")) {
    throw notAllowed("This API key may not allow upload (scope.actions).");
  }
  return ["upload"];
}

/** Undefined for the default. */
function decideActions(
  requested: readonly ScopeAction[] | undefined,
  allowed: readonly ScopeAction[] = defaultActions,
): ScopeAction[] | undefined {
  const refused = requested?.find((action) => !allowed.includes(action));
  if (refused !== undefined) {
    throw notAllowed(`This API key may not allow ${refused} (scope.actions).`);
  }
  const wanted = requested ?? defaultActions.filter((action) => allowed.includes(action));
  const actions = scopeActions.filter((action) => wanted.includes(action));
  return actions.join() === defaultActions.join() ? undefined : actions;
}

/** Undefined for no limits. */
function decideLimits(requested?: UploadLimits, allowed?: UploadLimits): UploadLimits | undefined {
  const limits = tighterLimits(requested, allowed);
  // The intersection of two lists may be too long for a token.
  if (!limitsSchema.safeParse(limits).success) {
    throw notAllowed(
      "Too many file types match both this API key's list and yours: name fewer (scope.limits).",
    );
  }
  return Object.values(limits).every((limit) => limit === undefined) ? undefined : limits;
}

/** The folder of a token, within the policy's list. @throws AppError `scope_not_allowed` */
export function decideFolder(
  member: "path" | "uploadFolder",
  requested: string | undefined,
  allowed: readonly string[] | undefined,
): string | undefined {
  if (allowed === undefined) return requested;
  const entries = [...new Set(allowed)];
  // A malformed entry allows nothing: if it were repaired, it could allow more than was meant.
  const folders = entries.filter((folder) => issueOfFolderPath(folder) === null);
  if (requested !== undefined) {
    if (folders.some((folder) => isInside(requested, folder))) return requested;
    throw notAllowed(`This API key does not reach that folder (scope.${member}).`);
  }
  const [only] = folders;
  if (only !== undefined && entries.length === 1) return only;
  if (folders.length === 0) {
    throw notAllowed(`This API key's policy allows no folder for scope.${member}.`);
  }
  throw notAllowed(
    `This API key may use several folders: name one as scope.${member} (${folders.join(", ")}).`,
  );
}

function notAllowed(message: string): AppError {
  return new AppError("scope_not_allowed", message);
}
