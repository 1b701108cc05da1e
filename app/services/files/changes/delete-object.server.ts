import { AppError } from "../../../app-error";
import type { ServiceTools } from "../../../embed/service";
import type { LatestVersion } from "../../../providers/tree-listings.server";
import type { DeleteMarker } from "./undo-handle.server";

/** How often an object is tried that changes meanwhile. */
const ATTEMPTS = 3;

/**
 * Deletes one object of a bucket that keeps versions, and says which marker that left: the one of an earlier attempt, where there is one. A
 * second marker on top of it would keep the object away when the first response is undone.
 * @param object `since`: unix seconds by the store's clock; what was deleted before was deleted by another
 * @param listed the newest version; undefined where it is not known
 */
export async function removeKeepingVersion(
  { bucket, key, since }: { bucket: string; key: string; since: number },
  listed: LatestVersion | undefined,
  { objectStore, request }: Pick<ServiceTools, "objectStore" | "request">,
): Promise<DeleteMarker | "absent" | "upload_conflict"> {
  let latest = listed;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    latest ??= await newest();
    if (latest === undefined) return "absent";
    if (latest.marker !== undefined) {
      return latest.deletedAt >= since ? { key, version: latest.marker } : "absent";
    }
    try {
      const { marker } = await objectStore.removeObject({ bucket, key, etag: latest.etag }, request);
      if (marker !== undefined) return { key, version: marker };
    } catch (error) {
      const code = error instanceof AppError ? error.code : undefined;
      if (code !== "name_taken" && code !== "not_found") throw error;
    }
    // It has changed, or it is gone: by an attempt whose response was lost, or by somebody else.
    latest = undefined;
  }
  return "upload_conflict";

  async function newest(): Promise<LatestVersion | undefined> {
    const page = { bucket, prefix: key, after: undefined, pageSize: 1 };
    const { entries } = await objectStore.listVersionsBelow(page, request);
    return entries.find((entry) => entry.key === key);
  }
}
