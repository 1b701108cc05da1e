import { AppError } from "../../../shared/app-error";
import type { FilesScope } from "../scope.server";
import { isHandInPage } from "../scope-guards.server";

/** What the token of a hand-in page may call. Every other operation is refused, also one that is added later. */
const handInOperations: readonly string[] = [
  "presignUpload",
  "confirmUploads",
  "createMultipartUpload",
  "signUploadParts",
  "listUploadParts",
  "completeMultipartUpload",
  "abortMultipartUpload",
  "takeBackUpload",
  // Tells whether the store can be reached, and nothing of what it holds.
  "diagnoseStorage",
];

/** @throws AppError `scope_not_allowed` */
export function assertOperationInScope(operationId: string, scope: FilesScope): void {
  if (!isHandInPage(scope) || handInOperations.includes(operationId)) return;
  throw new AppError(
    "scope_not_allowed",
    "This token is for handing files in, and for nothing else (scope.view).",
  );
}
