import { tokenExpired } from "../../embed/embed-token.server";
import type { FilesGrant } from "./scope-guards.server";

/** How long a presigned URL is valid; no longer than its token. */
const MAX_PRESIGNED_SECONDS = 300;

/** How long a URL that is presigned now is valid. @throws AppError `token_expired` when the token expired during the request */
export function presignedSeconds(grant: FilesGrant, nowSeconds: number): number {
  const seconds = Math.min(MAX_PRESIGNED_SECONDS, grant.expiresAt - nowSeconds);
  if (seconds < 1) throw tokenExpired();
  return seconds;
}
