import type { ServiceTools } from "../../../embed/service";
import type { ObjectVersion } from "../../../providers/listings.server";
import { logWarning } from "../../../shared/log.server";
import { groupByKey } from "../place/walk-versions";

/** A move deletes its source right after the copy, and its event is recorded at the end. So the two times differ little. */
const MAX_DIFFERENCE_MS = 120_000;
/** The store's clock and ours may differ by this much, and some stores' times have no fractions of a second. */
const CLOCK_TOLERANCE_MS = 5_000;
/** maximum number of events that one lookup reads */
const MAX_EVENTS = 10_000;

/** A deleted file: its newest delete marker, and the newest version with content. */
export interface Deletion {
  marker: ObjectVersion;
  object: ObjectVersion;
}

interface Row {
  /** the file that was deleted, or from which a file was moved */
  key: string;
  /** the delete marker; only moves have none */
  version: string | null;
  occurredAt: Date;
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
  const near = (milliseconds: number) => new Date(milliseconds).toISOString();
  const moved = `data->>'from'`;
  const inTime = `"companyId" = $1 AND bucket = $2 AND occurred_at BETWEEN $3::timestamp AND $4::timestamp`;
  const rows = await database
    .$driverQuery<Row>(
      `SELECT ${moved} AS key, NULL AS version, occurred_at AS "occurredAt" FROM events
      WHERE ${inTime} AND type = 'file.moved' AND ${moved} = ANY($5)
      UNION ALL
      SELECT key, data->>'version' AS version, occurred_at AS "occurredAt" FROM events
      WHERE ${inTime} AND type = 'file.deleted' AND key = ANY($5) LIMIT ${MAX_EVENTS}`,
      [
        companyId,
        bucket,
        near(Math.min(...times) - CLOCK_TOLERANCE_MS),
        near(Math.max(...times) + MAX_DIFFERENCE_MS),
        deletions.map(({ marker }) => marker.key),
      ],
    )
    .catch((error: unknown) => {
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
