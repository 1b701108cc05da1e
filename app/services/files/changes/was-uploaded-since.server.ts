import { isEventId } from "../../../events/events.server";
import type { Database } from "../../../providers/database.server";
import { earliestSince } from "../../../providers/listings.server";
import {
  keptVersion,
  type ObjectDescription,
  type ObjectName,
} from "../../../providers/object-changes.server";

/** $1: the mark of an object. $2: its bucket. $3: its key. $4: a time. $5: its version, if it has one. */
const LATER_UPLOAD = `
  SELECT FROM events WHERE id = $1::uuid AND bucket = $2 AND key = $3 AND type = 'file.uploaded' AND occurred_at >= $4::timestamp
    AND coalesce(data->>'version', $5, '') = coalesce($5, '')
  UNION ALL SELECT FROM pending_events WHERE id = $1::uuid AND bucket = $2 AND key = $3 AND NOT EXISTS (SELECT FROM events WHERE id = $1::uuid)`;

/**
 * Whether an object was uploaded to its key since a time, or may have been and is not recorded yet. A copy has the mark of its source, which was
 * uploaded to another key.
 * @param since unix seconds
 */
export async function wasUploadedSince(
  { bucket, key, uploadMark, versionId }: ObjectName & Pick<ObjectDescription, "uploadMark" | "versionId">,
  since: number,
  database: Pick<Database, "$driverQuery">,
): Promise<boolean> {
  if (uploadMark === undefined || !isEventId(uploadMark)) return false;
  const upload = [uploadMark, bucket, key, earliestSince(since), keptVersion(versionId) ?? null];
  return (await database.$driverQuery(LATER_UPLOAD, upload)).length > 0;
}
