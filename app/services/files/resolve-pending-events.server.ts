import { NIL } from "uuid";
import { AppError, hasCode } from "../../shared/app-error";
import { mapConcurrently } from "../../shared/map-concurrently";
import { findOutcome } from "./find-outcome.server";
import {
  countRecent,
  findBusiest,
  nextPending,
  pendingKinds,
  stillPending,
} from "./pending-events.sql.server";
import { isAbandoned, type PendingEvent, type ResolveTools } from "./place/pending-event";
import { resolveUpload } from "./uploads/resolve-upload.server";

const MAX_CONCURRENT_LOOKUPS = 8;
const BATCH_EVENTS = 200;
/** How long a pending change waits for others of the same files: longer than looking one up, and not for a large folder. */
const MAX_WAIT_MS = 3_000;

/** Numbers of pending changes. */
export interface ResolvedEvents {
  made: number;
  /** among those made: of moves within a bucket without versions, of which only the missing source is left */
  assumed: number;
  notMade: number;
  /** They have their events already: a repeated request has left the row, or the URL of an upload can no longer be used. */
  recorded: number;
  /** left, because they may still happen, or a request is changing the same file */
  open: number;
  /** uploads that are recorded; left, because their URLs may be used again */
  repeatable: number;
  /** left, because they are younger than MIN_AGE_MINUTES */
  recent: number;
}

/**
 * Asks the store what became of changes that are still pending because a process was killed or the database was down, and whether URLs of
 * uploads were used again.
 * @throws AppError those of the store
 */
export async function resolvePendingEvents(tools: ResolveTools, stop: AbortSignal): Promise<ResolvedEvents> {
  const { database, events } = tools;
  const count = { made: 0, assumed: 0, notMade: 0, recorded: 0, open: 0, repeatable: 0 };
  // Uploads come last: whether a copy or an upload has put an object at a key shows when no change of the key is pending. Nobody waits for hours
  // because somebody else has begun hundreds of thousands.
  const busiest = await findBusiest(database);
  for (const kind of pendingKinds) {
    let after: string = NIL;
    while (!stop.aborted) {
      const batch = await nextPending(database, kind, busiest, after, BATCH_EVENTS);
      const last = batch.at(-1);
      if (last === undefined) break;
      after = last.id;
      await mapConcurrently(batch, MAX_CONCURRENT_LOOKUPS, async (found) => {
        const outcome = await whileUnchanged(found, tools, async () => {
          // A request, or another cleanup, may have ended it since.
          const pending = await stillPending(database, kind, found.id);
          return pending && resolve(pending, tools);
        });
        if (outcome === undefined) return;
        if (outcome === "assumed") count.made += 1;
        count[outcome] += 1;
      });
    }
    await events.flush();
  }
  return { ...count, recent: await countRecent(database) };
}

/**
 * Runs `work` while nobody changes the files of a pending change. A request that repeats it has taken its row over, and may be half done.
 * @returns `open` if somebody is changing one of them
 */
async function whileUnchanged<Result>(
  { bucket, key, data: { from } }: PendingEvent,
  { claims }: ResolveTools,
  work: () => Promise<Result>,
): Promise<Result | "open"> {
  const objects = [key, ...(from === undefined ? [] : [from])].map((name) => ({ bucket, key: name }));
  let isClaimed = false;
  try {
    return await claims.during(objects, { deadline: performance.now() + MAX_WAIT_MS }, () => {
      isClaimed = true;
      return work();
    });
  } catch (error) {
    if (!isClaimed && hasCode(error, "upload_conflict")) return "open";
    throw error;
  }
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
