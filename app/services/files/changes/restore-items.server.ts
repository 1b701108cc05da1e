import type { ServiceTools } from "../../../embed/service";
import { mapConcurrently } from "../../../shared/map-concurrently";
import {
  assertActionInScope,
  assertBucketInScope,
  assertChangeableInScope,
  type FilesGrant,
} from "../scope-guards.server";
import type { Restored, RestoreRequest } from "./changes-contract.server";
import { readUndo } from "./undo-handle.server";

/** Maximum number of concurrent requests to the store. */
const MAX_CONCURRENT_REQUESTS = 16;

/**
 * Removes the delete markers of a deletion, which restores what it deleted. Repeating it does no harm.
 * @throws AppError `scope_not_allowed`, `invalid_request`, and those of the store
 */
export async function restoreItems(
  { bucket, undo }: RestoreRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<Restored> {
  assertActionInScope("delete", grant.scope);
  assertBucketInScope(bucket, grant.scope);
  const markers = readUndo(undo, bucket, grant, tools);
  for (const { key } of markers) assertChangeableInScope(`/${key}`, grant.scope);
  await mapConcurrently(markers, MAX_CONCURRENT_REQUESTS, ({ key, version }) =>
    tools.objectStore.removeObject({ bucket, key, version }, tools.request),
  );
  return { restored: markers.length, cursor: null };
}
