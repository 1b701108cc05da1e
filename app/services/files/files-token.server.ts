import { AppError } from "../../app-error";
import { verifyEmbedToken } from "../../embed/embed-token.server";
import { isBelow, isInside } from "./folder-path";
import { type FilesScope, filesScopeSchema } from "./scope.server";

/** What a `files` token allows: its scope, and until when. */
export interface FilesGrant {
  scope: FilesScope;
  /** unix seconds */
  expiresAt: number;
}

/** What the storage endpoints need to judge a token. */
export interface TokenSettings {
  signingSecrets: readonly string[];
  /** unix seconds */
  nowSeconds: number;
}

/**
 * What `token` allows. Specification, "Presign upload", validation.
 * @throws AppError `invalid_token`, `token_expired`; `scope_not_allowed` when the token is for another service
 */
export function readFilesToken(token: string, settings: TokenSettings): FilesGrant {
  const payload = verifyEmbedToken(token, settings.signingSecrets, settings.nowSeconds);
  if (payload.svc !== "files") {
    throw new AppError("scope_not_allowed", "This token is for another service than files.");
  }
  const scope = filesScopeSchema.safeParse(payload.scope);
  if (!scope.success) throw new AppError("invalid_token", "The embed token is not valid.");
  return { scope: scope.data, expiresAt: payload.exp };
}

/** @throws AppError `scope_not_allowed` */
export function assertBucketInScope(bucket: string, scope: FilesScope): void {
  if (bucket !== scope.bucket) outsideScope("That bucket is outside what this token reaches.");
}

/** For browsing: a folder inside the token's `path`. @throws AppError `scope_not_allowed` */
export function assertFolderInScope(folderPath: string, scope: FilesScope): void {
  if (!isInside(folderPath, scope.path ?? "/")) outsideScope("That path is outside what this token reaches.");
}

/** For download: a file below the token's `path`. @throws AppError `scope_not_allowed` */
export function assertFileInScope(path: string, scope: FilesScope): void {
  if (!isBelow(path, scope.path ?? "/")) outsideScope("That path is outside what this token reaches.");
}

/** For uploads: inside the token's `uploadFolder` if it has one, else its `path`. @throws AppError `scope_not_allowed` */
export function assertUploadFolderInScope(folderPath: string, scope: FilesScope): void {
  if (!isInside(folderPath, scope.uploadFolder ?? scope.path ?? "/")) {
    outsideScope("That folder is outside where this token may upload.");
  }
}

function outsideScope(message: string): never {
  throw new AppError("scope_not_allowed", message);
}
