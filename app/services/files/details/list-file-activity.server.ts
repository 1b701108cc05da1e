import { prefixOf } from "platform-embed-element/client";
import type { z } from "zod";
import type { ServiceTools } from "../../../embed/service";
import { listVisibleEvents, type VisibleEvents } from "../../../events/visible-events.server";
import type { listFileActivitySchema } from "../place/contract/storage-contract.server";
import {
  assertActionInScope,
  assertBucketInScope,
  assertFileInScope,
  assertFolderInScope,
  type FilesGrant,
} from "../place/scope-guards.server";

/** Lists what happened to a file, or in a folder, newest first. @throws AppError `scope_not_allowed`, `invalid_request` */
export function listFileActivity(
  { bucket, key, folderPath, cursor, limit }: z.output<typeof listFileActivitySchema>,
  { scope, companyId }: FilesGrant,
  tools: ServiceTools,
): Promise<VisibleEvents> {
  assertActionInScope("activity", scope);
  assertBucketInScope(bucket, scope);
  if (key === undefined) assertFolderInScope(folderPath ?? "/", scope);
  else assertFileInScope(`/${key}`, scope);
  const reach = { companyId, bucket, prefix: prefixOf(scope.path ?? "/") };
  const filter = key === undefined ? { prefix: prefixOf(folderPath ?? "/") } : { key };
  return listVisibleEvents(filter, { cursor, limit }, reach, tools);
}
