import type { ServiceTools } from "../../../embed/service";
import { mapConcurrently } from "../../../map-concurrently";
import {
  assertActionInScope,
  assertBucketInScope,
  assertChangeableInScope,
  type FilesGrant,
} from "../scope-guards.server";
import type { Restored, RestoreRequest } from "./changes-contract.server";
import { readUndo } from "./undo-handle.server";

const AT_ONCE = 16;

/**
 * Takes away the markers that a deletion has left, so that what it deleted is there again; repeated, it does no harm.
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
  await mapConcurrently(markers, AT_ONCE, ({ key, version }) =>
    tools.objectStore.removeObject({ bucket, key, version }, tools.request),
  );
  return { restored: markers.length, cursor: null };
}
