import { MAX_LIGHT_LOOKUPS, MAX_UPLOAD_DAYS } from "platform-embed-element/client";
import type { StoreTools } from "../../../embed/service";
import { isEventId, timeOfEventId } from "../../../events/events.server";
import { CLOCK_TOLERANCE_SECONDS, unixSeconds } from "../../../providers/listings.server";
import {
  keptVersion,
  type ObjectDescription,
  type ObjectName,
} from "../../../providers/object-changes.server";
import { hasCode } from "../../../shared/app-error";
import type { CallContext } from "../../../shared/request-context.server";
import { versionsOfFile } from "../place/walk-versions";

/** What a key holds or has held, with the mark of the upload that it came from. */
export interface MarkedObject extends ObjectDescription {
  uploadMark: string;
  /** by the store's clock */
  storedAt: Date;
}

/** Maximum number of versions that a heavy request asks for their marks, of all its files together: each is one request to the store. */
const MAX_VERSIONS = 200;

/** How many more versions may be asked for their marks. */
export interface VersionsLeft {
  left: number;
}

/** @param files how many the request names: with few it does not count as heavy, so it looks at the newest versions only */
export const versionsOfRequest = (files: number): VersionsLeft => ({
  left: files > MAX_LIGHT_LOOKUPS ? MAX_VERSIONS : MAX_LIGHT_LOOKUPS,
});

/**
 * Finds uploads among the versions of a file: another upload may have replaced one, and a delete marker may hide it. A bucket without versions
 * has the current object only.
 * @param since unix seconds: older versions are left out
 * @param options `recorded`: ids of versions that are left out; `versions`: shared by all files of a request
 * @returns newest first. Empty if the objects or the versions may not be read
 * @throws AppError those of the store that may be temporary
 */
export async function* findUploads(
  object: ObjectName,
  since: number,
  { objectStore, context }: Pick<StoreTools, "objectStore"> & { context?: CallContext },
  { recorded, versions }: { recorded?: ReadonlySet<string>; versions: VersionsLeft },
): AsyncGenerator<MarkedObject> {
  try {
    for await (const { versionId, isMarker, lastModified } of versionsOfFile(object, {
      objectStore,
      context,
    })) {
      if (unixSeconds(lastModified) < since - CLOCK_TOLERANCE_SECONDS || versions.left <= 0) return;
      if (isMarker || recorded?.has(versionId)) continue;
      versions.left -= 1;
      const found = await objectStore.describeObject({ ...object, versionId }, context);
      if (found?.uploadMark !== undefined)
        yield { ...found, uploadMark: found.uploadMark, storedAt: lastModified };
    }
  } catch (error) {
    if (!hasCode(error, "provider_failed")) throw error;
  }
}

/**
 * The mark of an upload that we signed: the id of its event. Old uploads are left out: their events may have been deleted, and would be
 * recorded again.
 */
export function eventMarkOf(found: ObjectDescription | null): string | undefined {
  const mark = found?.uploadMark;
  if (mark === undefined || !isEventId(mark)) return undefined;
  const isOld = Date.now() - timeOfEventId(mark) > MAX_UPLOAD_DAYS * 24 * 3600 * 1000;
  return isOld ? undefined : mark;
}

/** What an event tells of an upload that the store holds. */
export function dataOfUpload({
  size,
  etag,
  checksum,
  contentType,
  versionId,
}: Pick<ObjectDescription, "size" | "etag" | "checksum" | "contentType" | "versionId">) {
  return { size, etag, checksum, contentType, version: keptVersion(versionId) };
}
