import { isEventId } from "../../../events/events.server";
import type { Database } from "../../../providers/database.server";
import { earliestSince } from "../../../providers/listings.server";
import {
  keptVersion,
  type ObjectDescription,
  type ObjectName,
} from "../../../providers/object-changes.server";
import { hasUpload } from "./changes.sql.server";

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
  const upload = { id: uploadMark, bucket, key, version: keptVersion(versionId) ?? null };
  return hasUpload(database, upload, earliestSince(since));
}
