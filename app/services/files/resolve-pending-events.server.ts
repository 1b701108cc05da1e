import { NIL } from "uuid";
import { NOW } from "../../providers/database.server";
import { AppError } from "../../shared/app-error";
import { mapConcurrently } from "../../shared/map-concurrently";
import { findOutcome } from "./find-outcome.server";
import { ABANDONED_AFTER_HOURS, isAbandoned, type PendingEvent, type ResolveTools } from "./pending-event";
import { CHECKED, resolveUpload } from "./uploads/resolve-upload.server";

/** No request lives this long: a change that is still pending then was interrupted. */
export const MIN_AGE_MINUTES = 15;
const MAX_CONCURRENT_LOOKUPS = 8;
const BATCH_EVENTS = 200;

/** Numbers of pending changes. */
export interface ResolvedEvents {
  made: number;
  /** among those made: of moves within a bucket without versions, of which only the missing source is left */
  assumed: number;
  notMade: number;
  /** They have their events already: a repeated request has left the row, or the URL of an upload can no longer be used. */
  recorded: number;
  /** left, because they may still happen */
  open: number;
  /** uploads that are recorded; left, because their URLs may be used again */
  repeatable: number;
  /** left, because they are younger than MIN_AGE_MINUTES */
  recent: number;
}

/** In SQL: `pending` is a row of `begun_events`. */
const IS_RECORDED = "EXISTS (SELECT FROM events WHERE events.id = pending.id)";
const AGE = `${NOW} - begun_at`;

/** $1: minutes. $2: hours. $3: the last id of the batch before. $4: uploads, or all other changes */
const NEXT_BATCH = `
  SELECT id, type, extract(epoch FROM begun_at)::float8 AS "pendingSince", "companyId", bucket, key, data, ${IS_RECORDED} AS "isRecorded"
  FROM begun_events AS pending
  WHERE ${AGE} > make_interval(mins => $1) AND (NOT data ? '${CHECKED}' OR ${AGE} > make_interval(hours => $2))
    AND id > $3 AND (type = 'file.uploaded') = $4
  ORDER BY id LIMIT ${BATCH_EVENTS}`;

const COUNT_RECENT = `
  SELECT count(*)::int AS recent FROM begun_events AS pending WHERE ${AGE} <= make_interval(mins => $1) AND NOT ${IS_RECORDED}`;

/**
 * Asks the store what became of changes that are still pending because a process was killed or the database was down, and whether URLs of
 * uploads were used again.
 * @throws AppError those of the store
 */
export async function resolvePendingEvents(tools: ResolveTools, stop: AbortSignal): Promise<ResolvedEvents> {
  const { database, events } = tools;
  const count = { made: 0, assumed: 0, notMade: 0, recorded: 0, open: 0, repeatable: 0 };
  // Uploads come last: whether a copy or an upload has put an object at a key shows when no change of the key is pending.
  for (const isUpload of [false, true]) {
    let after: string = NIL;
    while (!stop.aborted) {
      const values = [MIN_AGE_MINUTES, ABANDONED_AFTER_HOURS, after, isUpload];
      const batch = await database.$driverQuery<PendingEvent>(NEXT_BATCH, values);
      const last = batch.at(-1);
      if (last === undefined) break;
      after = last.id;
      await mapConcurrently(batch, MAX_CONCURRENT_LOOKUPS, async (pending) => {
        const outcome = await resolve(pending, tools);
        if (outcome === "assumed") count.made += 1;
        count[outcome] += 1;
      });
    }
    await events.flush();
  }
  const [{ recent = 0 } = {}] = await database.$driverQuery<{ recent: number }>(COUNT_RECENT, [
    MIN_AGE_MINUTES,
  ]);
  return { ...count, recent };
}

/** Writes the event of a change, or removes its row, or leaves it. */
async function resolve(
  pending: PendingEvent,
  tools: ResolveTools,
): Promise<Exclude<keyof ResolvedEvents, "recent">> {
  try {
    return pending.type === "file.uploaded"
      ? await resolveUpload(pending, tools)
      : await resolveChange(pending, tools);
  } catch (error) {
    // A bucket that is gone, or that we may no longer read, will not tell. Others may.
    const isPermanent = error instanceof AppError && error.code !== "unavailable";
    if (!isPermanent) throw error;
    if (!isAbandoned(pending)) return "open";
    await tools.events.discardPending(pending.id);
    return "notMade";
  }
}

async function resolveChange(
  pending: PendingEvent,
  tools: ResolveTools,
): Promise<"made" | "assumed" | "notMade" | "recorded"> {
  const { id, bucket, key, companyId } = pending;
  const finding = await findOutcome(pending, tools);
  if (typeof finding === "string") {
    await tools.events.discardPending(id);
    return finding === "recorded" ? finding : "notMade";
  }
  const occurredAt = new Date((finding.seconds ?? pending.pendingSince) * 1000);
  const { type, data } = finding;
  await tools.events.record({ id, type, bucket, key, companyId, data, occurredAt });
  return data.assumed ? "assumed" : "made";
}
