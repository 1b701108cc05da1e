import { prefixOf } from "platform-embed-element/client";
import type { ServiceTools } from "../../../embed/service";
import type { ChangeTimes, ChangeTimesRequest } from "../place/contract/history-contract.server";
import type { FilesGrant } from "../place/scope-guards.server";
import { continueListing } from "./history-cursor.server";
import { folderInHistory } from "./history-guards.server";

/** The time limit of one request, milliseconds. */
const MAX_MS = 2_000;
/** A response with this many times ends; it has at most one page of versions more. */
const MAX_TIMES = 1_000;
const MINUTE_MS = 60_000;

/**
 * Lists the minutes in which something was stored or deleted in a folder and its subfolders, by the times of its versions. One request
 * takes about two seconds; the cursor continues, and may return minutes once more.
 * @throws AppError `scope_not_allowed`, `invalid_request`, and those of the store
 */
export async function listChangeTimes(
  { bucket, from, to, cursor, ...body }: Omit<ChangeTimesRequest, "token">,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<ChangeTimes> {
  const prefix = prefixOf(folderInHistory({ bucket, ...body }, grant.scope));
  const listing = continueListing({ of: `changes ${from} ${to}`, bucket, prefix, cursor }, grant, tools);
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const { objectStore, context } = tools;
  const minutes = new Set<number>();
  const deadline = performance.now() + MAX_MS;
  let { after } = listing;
  do {
    const { versions, next } = await objectStore.listVersions({ bucket, prefix, after }, context);
    for (const { lastModified } of versions) {
      const time = lastModified.getTime();
      if (time >= start && time < end) minutes.add(Math.floor(time / MINUTE_MS));
    }
    after = next ?? undefined;
  } while (after !== undefined && performance.now() < deadline && minutes.size < MAX_TIMES);
  const times = [...minutes].sort((a, b) => a - b);
  return {
    times: times.map((minute) => new Date(minute * MINUTE_MS).toISOString()),
    cursor: listing.cursorAt(after),
  };
}
