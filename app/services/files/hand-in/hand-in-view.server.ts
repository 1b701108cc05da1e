import type { UploadLimits } from "../../../../embed-element/shared/upload-limits";
import type { FrameProps } from "../../../embed/frame/frame-props";
import type { ServicePage } from "../../../embed/service";
import { AppError } from "../../../shared/app-error";
import type { FilesScope } from "../place/scope.server";
import { isHandInPage } from "../place/scope-guards.server";

/** The props of the hand-in page, from the server. */
export interface HandInContent {
  bucket: string;
  /** where the files go */
  folderPath: string;
  limits: UploadLimits;
}

export type HandInProps = FrameProps & HandInContent;

/** The page for handing files in. It asks the store for nothing. */
export const handInView: ServicePage<FilesScope, HandInContent> = {
  key: "hand-in",
  async load({ scope: { bucket, path = "/", uploadFolder = path, limits = {} } }) {
    return { bucket, folderPath: uploadFolder, limits };
  },
};

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
