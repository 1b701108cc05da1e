import { isBelow, isInside } from "platform-embed-element/client";
import { brokenLimit } from "../../../../embed-element/shared/upload-limits";
import { tokenExpired } from "../../../embed/embed-token.server";
import type { Grant, ServiceTools } from "../../../embed/service";
import { AppError, invalidRequest } from "../../../shared/app-error";
import { defaultActions, mayReplace, type ScopeAction } from "./actions";
import type { PresignUploadRequest } from "./contract/uploads-contract.server";
import type { FilesScope } from "./scope.server";
import { belongsToOtherType } from "./type-by-name.server";

export type FilesGrant = Grant<FilesScope>;

/** Who makes a request: the API key and, if the integrator has named one, the visitor. */
export function senderOf({ clientId, visitor }: FilesGrant): string {
  return JSON.stringify([clientId, visitor?.id ?? null]);
}

/** Whether the token is for a hand-in page, which shows nothing of what is stored (`hand-in/`). */
export const isHandInPage = ({ view }: FilesScope): boolean => view === "hand-in";

/** @throws AppError `scope_not_allowed` */
export function assertBucketInScope(bucket: string, scope: FilesScope): void {
  if (bucket !== scope.bucket) outsideScope("That bucket is outside what this token reaches.");
}

/** For browsing. @throws AppError `scope_not_allowed` */
export function assertFolderInScope(folderPath: string, scope: FilesScope): void {
  if (!isInside(folderPath, scope.path ?? "/")) outsideScope("That path is outside what this token reaches.");
}

/**
 * The folder that a request for browsing names; the token's own folder by default.
 * @throws AppError `scope_not_allowed`
 */
export function folderInScope(
  request: { bucket: string; folderPath?: string | undefined },
  scope: FilesScope,
): string {
  const folderPath = request.folderPath ?? scope.path ?? "/";
  assertBucketInScope(request.bucket, scope);
  assertFolderInScope(folderPath, scope);
  return folderPath;
}

/** For downloading. @throws AppError `scope_not_allowed` */
export function assertFileInScope(path: string, scope: FilesScope): void {
  if (!isBelow(path, scope.path ?? "/")) outsideScope("That path is outside what this token reaches.");
}

/** For uploading: within the token's `uploadFolder` if it has one, otherwise within its `path`. @throws AppError `scope_not_allowed` */
export function assertUploadFolderInScope(folderPath: string, scope: FilesScope): void {
  if (!isInside(folderPath, scope.uploadFolder ?? scope.path ?? "/")) {
    outsideScope("That folder is outside where this token may upload.");
  }
}

/**
 * For moving and deleting: below the folder that the token may browse, and below the one that it may upload to. What a token may not see,
 * it can neither carry to where it may, nor learn of by removing it.
 * @throws AppError `scope_not_allowed`
 */
export function assertChangeableInScope(path: string, scope: FilesScope): void {
  assertFileInScope(path, scope);
  assertBelowUploadFolder(path, scope);
}

/** For removing what the token itself has created, perhaps where it may not browse. @throws AppError `scope_not_allowed` */
export function assertBelowUploadFolder(path: string, scope: FilesScope): void {
  if (!isBelow(path, scope.uploadFolder ?? scope.path ?? "/")) {
    outsideScope("That path is outside where this token may change anything.");
  }
}

export function allows(action: ScopeAction, { actions = [...defaultActions] }: FilesScope): boolean {
  return actions.includes(action);
}

/** @throws AppError `scope_not_allowed` */
export function assertActionInScope(action: ScopeAction, scope: FilesScope): void {
  if (!allows(action, scope)) outsideScope(`This token does not allow ${action} (scope.actions).`);
}

/**
 * Creating a folder takes `organize`, or `upload`: uploading a folder creates its empty subfolders.
 * @throws AppError `scope_not_allowed`
 */
export function assertMayCreateFolders(scope: FilesScope): void {
  if (!scope.actions?.includes("organize")) assertActionInScope("upload", scope);
}

/** Replacing a file takes `upload` or `delete`. @throws AppError `scope_not_allowed` */
export function assertMayReplace({ actions = [...defaultActions] }: FilesScope): void {
  if (!mayReplace(actions))
    outsideScope("This token does not allow replacing files (scope.actions needs upload or delete).");
}

/**
 * Whether the token may upload this file.
 * @throws AppError `scope_not_allowed`, `too_large`, `type_not_allowed`; `invalid_request` without the size that a limit needs
 */
export function assertMayUpload(
  file: Pick<PresignUploadRequest, "bucket" | "folderPath" | "fileName" | "contentType" | "size">,
  { scope }: FilesGrant,
): void {
  assertActionInScope("upload", scope);
  assertBucketInScope(file.bucket, scope);
  assertUploadFolderInScope(file.folderPath, scope);
  const { fileName: name, contentType, size } = file;
  const { limits = {} } = scope;
  const { maxFileBytes, maxTotalBytes, fileTypes } = limits;
  if ((maxFileBytes ?? maxTotalBytes) !== undefined && size === undefined) {
    const message = "is required, because this token limits the size of files";
    throw invalidRequest([{ path: "size", message }]);
  }
  if (brokenLimit({ maxFileBytes }, { name, contentType, size: size ?? 0 }) !== null) {
    const message = `Files of up to ${maxFileBytes} bytes may be uploaded with this token.`;
    throw new AppError("too_large", message);
  }
  assertTypeAllowed(fileTypes, { name, contentType });
}

/** @throws AppError `type_not_allowed` if neither the declared type nor the name fits, or if the name belongs to another type */
export function assertTypeAllowed(
  fileTypes: string[] | undefined,
  file: { name: string; contentType: string },
): void {
  if (brokenLimit({ fileTypes }, { ...file, size: 0 }) !== null || belongsToOtherType(fileTypes, file))
    throw typeNotAllowed(fileTypes);
}

function typeNotAllowed(fileTypes: readonly string[] = []): AppError {
  const named = fileTypes.slice(0, 20).join(", ") || "none";
  return new AppError("type_not_allowed", `Only these types may be uploaded with this token: ${named}.`);
}

/** How long a presigned URL is valid; no longer than its token, and than the credentials that sign it. */
const MAX_PRESIGNED_SECONDS = 300;

/**
 * How long a URL that is presigned now is valid.
 * @throws AppError `token_expired` when the token expired during the request, and `unavailable` when there are no valid credentials
 */
export async function presignedSeconds(
  grant: FilesGrant,
  { nowSeconds, objectStore }: Pick<ServiceTools, "nowSeconds" | "objectStore">,
): Promise<number> {
  const seconds = Math.min(MAX_PRESIGNED_SECONDS, grant.expiresAt - nowSeconds);
  if (seconds < 1) throw tokenExpired();
  return Math.min(seconds, await objectStore.maxPresignedSeconds());
}

function outsideScope(message: string): never {
  throw new AppError("scope_not_allowed", message);
}
