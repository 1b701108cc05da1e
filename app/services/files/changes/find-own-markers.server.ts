import type { ServiceTools } from "../../../embed/service";
import type { Author } from "../../../events/event";
import { storableText } from "../../../shared/storable-text";
import { selectOwnMarkers } from "./changes.sql.server";

/** A delete marker; without `marker`, it is the version of an object. */
interface Marker {
  key: string;
  marker: string | undefined;
}

/**
 * Finds out which delete markers the author's deletions have made: those of the same API key and visitor. Others are somebody else's, or a
 * move's, however young they are.
 * @returns a function that tells whether a marker is the author's
 * @throws AppError `unavailable`
 */
export async function findOwnMarkers(
  bucket: string,
  versions: readonly Marker[],
  author: Author,
  { database }: Pick<ServiceTools, "database">,
): Promise<(version: Marker) => boolean> {
  const markers = versions.flatMap(({ key, marker }) =>
    marker === undefined ? [] : { key: storableText(key), marker },
  );
  if (markers.length === 0) return () => false;
  const own = await selectOwnMarkers(database, bucket, markers, author);
  return ({ key, marker }) => own.some((one) => one.key === storableText(key) && one.marker === marker);
}
