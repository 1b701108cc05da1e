import type { ServiceTools } from "../../../embed/service";
import type { ObjectVersion } from "../../../providers/listings.server";
import { logWarning } from "../../../shared/log.server";
import { groupByKey } from "../place/walk-versions";
import { findRemovals } from "./history.sql.server";

/** A move deletes its source right after the copy, and its event is recorded at the end. So the two times differ little. */
const MAX_DIFFERENCE_MS = 120_000;
/** The store's clock and ours may differ by this much, and some stores' times have no fractions of a second. */
const CLOCK_TOLERANCE_MS = 5_000;
/** A deleted file: its newest delete marker, and the newest version with content. */
export interface Deletion {
  marker: ObjectVersion;
  object: ObjectVersion;
}

/**
 * Finds out which delete markers moves have left behind, by the recorded moves and deletions. If the database is down, none is found.
 * @returns a function that tells whether a move made the delete marker
 */
export async function findMoves(
  { companyId, bucket, deletions }: { companyId: string; bucket: string; deletions: readonly Deletion[] },
  { database, context }: Pick<ServiceTools, "database" | "context">,
): Promise<(deletion: Deletion) => boolean> {
  const times = deletions.map(({ marker }) => marker.lastModified.getTime());
  if (times.length === 0) return () => false;
  const place = { companyId, bucket, keys: deletions.map(({ marker }) => marker.key) };
  const since = new Date(Math.min(...times) - CLOCK_TOLERANCE_MS);
  const until = new Date(Math.max(...times) + MAX_DIFFERENCE_MS);
  const rows = await findRemovals(database, place, { since, until }).catch((error: unknown) => {
    logWarning(`Could not look up which files were moved. ${error}`, context);
    return [];
  });
  const byKey = groupByKey(rows);
  return ({ marker, object }) => {
    const ofKey = byKey.get(marker.key) ?? [];
    if (ofKey.some(({ version }) => version === marker.versionId)) return false;
    // A move from before the marker, or from before the content that it hides, made another marker: the file was moved back meanwhile.
    const since = Math.max(marker.lastModified.getTime(), object.lastModified.getTime()) - CLOCK_TOLERANCE_MS;
    const until = marker.lastModified.getTime() + MAX_DIFFERENCE_MS;
    return ofKey.some(({ version, occurredAt }) => {
      const time = occurredAt.getTime();
      return version === null && time >= since && time <= until;
    });
  };
}
