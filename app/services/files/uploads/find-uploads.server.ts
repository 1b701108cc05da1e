import type { StoreTools } from "../../../embed/service";
import { unixSeconds } from "../../../providers/listings.server";
import {
  NULL_VERSION,
  type ObjectDescription,
  type ObjectName,
} from "../../../providers/object-changes.server";
import { hasCode } from "../../../shared/app-error";
import type { CallContext } from "../../../shared/request-context.server";
import { versionsOfFile } from "../history/walk-versions";

/** What a key holds or has held, with the mark of the upload that it came from. */
export interface MarkedObject extends ObjectDescription {
  uploadMark: string;
  /** by the store's clock */
  storedAt: Date;
}

/** Times of objects have no fractions of a second, and the store's clock may differ from ours. */
const CLOCK_TOLERANCE_SECONDS = 5;
/** Maximum number of versions of one file that are asked for their marks: each is one request. */
const MAX_VERSIONS = 200;

/**
 * Finds uploads among the versions of a file: another upload may have replaced one, and a delete marker may hide it. A bucket without versions
 * has the current object only.
 * @param since unix seconds: older versions are left out
 * @returns newest first. Empty if the objects or the versions may not be read
 * @throws AppError those of the store that may be temporary
 */
export async function* findUploads(
  object: ObjectName,
  since: number,
  { objectStore, context }: Pick<StoreTools, "objectStore"> & { context?: CallContext },
): AsyncGenerator<MarkedObject> {
  let asked = 0;
  try {
    for await (const { versionId, isMarker, lastModified } of versionsOfFile(object, {
      objectStore,
      context,
    })) {
      if (unixSeconds(lastModified) < since - CLOCK_TOLERANCE_SECONDS || asked === MAX_VERSIONS) return;
      if (isMarker) continue;
      asked += 1;
      const found = await objectStore.describeObject({ ...object, versionId }, context);
      if (found?.uploadMark !== undefined)
        yield { ...found, uploadMark: found.uploadMark, storedAt: lastModified };
    }
  } catch (error) {
    if (!hasCode(error, "provider_failed")) throw error;
  }
}

/** What an event tells of an upload that the store holds. */
export function dataOfUpload({ size, etag, checksum, contentType, versionId }: ObjectDescription) {
  // Every object of a bucket without versions has this id, or none.
  const version = versionId === NULL_VERSION ? undefined : versionId;
  return { size, etag, checksum, contentType, version };
}
