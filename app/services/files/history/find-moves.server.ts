import type { ServiceTools } from "../../../embed/service";
import type { ObjectVersion } from "../../../providers/listings.server";
import { logWarning } from "../../../shared/log.server";

/** A move deletes its source right after the copy, and its event is recorded at the end. So the two times differ little. */
const MAX_DIFFERENCE_SECONDS = 120;
/** maximum number of moves that one lookup reads */
const MAX_EVENTS = 10_000;

/**
 * Finds the delete markers that moves have left behind, by the recorded moves. If the database is down, none is found.
 * @returns a function that tells whether a move made this delete marker
 */
export async function findMoves(
  { companyId, bucket, markers }: { companyId: string; bucket: string; markers: readonly ObjectVersion[] },
  { database, context }: Pick<ServiceTools, "database" | "context">,
): Promise<(marker: ObjectVersion) => boolean> {
  const times = markers.map(({ lastModified }) => lastModified.getTime());
  if (times.length === 0) return () => false;
  const near = (milliseconds: number) => new Date(milliseconds).toISOString();
  const rows = await database
    .$driverQuery<{ from: string; occurredAt: Date }>(
      `SELECT data->>'from' AS "from", occurred_at AS "occurredAt" FROM events
      WHERE "companyId" = $1 AND type = 'file.moved' AND occurred_at BETWEEN $2::timestamp AND $3::timestamp
        AND bucket = $4 AND data->>'from' = ANY($5) LIMIT ${MAX_EVENTS}`,
      [
        companyId,
        near(Math.min(...times) - MAX_DIFFERENCE_SECONDS * 1000),
        near(Math.max(...times) + MAX_DIFFERENCE_SECONDS * 1000),
        bucket,
        markers.map(({ key }) => key),
      ],
    )
    .catch((error: unknown) => {
      const { requestId } = context;
      logWarning(`Could not look up which files were moved. ${error}`, { requestId });
      return [];
    });
  const moves = new Map<string, number[]>();
  for (const { from, occurredAt } of rows) {
    moves.set(from, [...(moves.get(from) ?? []), occurredAt.getTime()]);
  }
  return ({ key, lastModified }) =>
    (moves.get(key) ?? []).some(
      (time) => Math.abs(time - lastModified.getTime()) <= MAX_DIFFERENCE_SECONDS * 1000,
    );
}
