/* Room under a quota (`limits.maxTotalBytes`): whatever stores further bytes takes it first. app/catalogue/usage/README.md */
import { folderPathOf, issueOfFolderPath, prefixOf } from "platform-embed-element/client";
import { type Area, isAreaWithin } from "../../../catalogue/usage/area";
import { type Quota, QuotaExceeded, type QuotaUsage } from "../../../catalogue/usage/quotas.server";
import type { ServiceTools } from "../../../embed/service";
import { eventIdFrom } from "../../../events/events.server";
import { hasCode } from "../../../shared/app-error";
import { type FilesPolicy, readFilesPolicy } from "./policy.server";
import { readAllowedScopes } from "./room.sql.server";
import type { FilesScope } from "./scope.server";
import { type FilesGrant, isHandInPage } from "./scope-guards.server";

/** The folders that a scope or a policy names together: those that visitors browse, and those that they upload to. */
const prefixesOf = (
  paths: readonly string[] | undefined,
  uploadFolders: readonly string[] | undefined,
  isHandIn: boolean,
): string[] => {
  // A hand-in page browses nothing.
  const named = isHandIn
    ? (uploadFolders ?? paths ?? ["/"])
    : [...(paths ?? ["/"]), ...(uploadFolders ?? [])];
  return named.filter((path) => issueOfFolderPath(path) === null).map(prefixOf);
};

const areaOfPolicy = ({ buckets, paths, uploadFolders, view }: FilesPolicy): Area => ({
  buckets,
  prefixes: prefixesOf(paths, uploadFolders, view === "hand-in"),
});

const listOf = (path: string | undefined) => (path === undefined ? undefined : [path]);

const areaOfScope = (scope: FilesScope): Area => ({
  buckets: [scope.bucket],
  prefixes: prefixesOf(listOf(scope.path), listOf(scope.uploadFolder), isHandInPage(scope)),
});

/**
 * The quotas that hold for a token: its own for what it reaches, and that of its API key's policy, as it is now, for what the policy names. Asks
 * nothing if the token has none: one whose policy has a quota always has one, too.
 */
export async function quotasOf(
  { scope, clientId }: FilesGrant,
  tools: Pick<ServiceTools, "database">,
): Promise<Quota[]> {
  const maxBytes = scope.limits?.maxTotalBytes;
  if (maxBytes === undefined) return [];
  const own = { area: areaOfScope(scope), maxBytes };
  const policy = readFilesPolicy(await readAllowedScopes(tools, clientId));
  if (policy?.limits?.maxTotalBytes === undefined) return [own];
  const ofPolicy = { area: areaOfPolicy(policy), maxBytes: policy.limits.maxTotalBytes };
  const isImplied = ofPolicy.maxBytes <= maxBytes && isAreaWithin(own.area, ofPolicy.area);
  return isImplied ? [ofPolicy] : [own, ofPolicy];
}

/** Percent. */
const THRESHOLDS = [80, 95];
/** Something had no room. */
const FULL = 100;

/** Records how full a quota is, once a day for each percentage. */
async function tell(
  { area: { buckets, prefixes }, maxBytes, after: usedBytes }: QuotaUsage,
  percent: number,
  { companyId, clientId }: FilesGrant,
  { events }: Pick<ServiceTools, "events">,
): Promise<void> {
  const [bucket] = buckets;
  const [key] = prefixes;
  if (bucket === undefined || key === undefined) return;
  const day = new Date(new Date().toISOString().slice(0, 10));
  const id = eventIdFrom(day, [companyId, buckets, prefixes, maxBytes, percent]);
  const data = { percent, usedBytes, maxBytes, paths: prefixes.map(folderPathOf), buckets: [...buckets] };
  await events.record({ id, type: "usage.threshold", companyId, clientId, bucket, key, data });
}

/** What is about to be stored. */
interface Stored {
  key: string;
  bytes: number;
  /** see `ReservationRequest` */
  uploadId: string;
  heldSeconds: number;
  /**
   * The key from which it is moved. It stores no further bytes and takes no room, unless something may still be stored at that key: with a URL that
   * can be used again, the key would be filled anew after each move.
   */
  movedFrom?: string | undefined;
}

/** The room that a token leaves. */
export interface Room {
  /** Takes room before anything is stored. @throws AppError `quota_exceeded`, `unavailable` */
  take(stored: Stored): Promise<void>;
  /** As `take`. @returns false in place of `quota_exceeded` */
  hasTaken(stored: Stored): Promise<boolean>;
  /** To be called when nothing more can be stored under this id. What was stored goes on counting. */
  end(uploadId: string): Promise<void>;
}

/** Undefined if there is no quota. */
export function roomOf(
  grant: FilesGrant,
  tools: Pick<ServiceTools, "database" | "quotas" | "events" | "context">,
): Room | undefined {
  if (grant.scope.limits?.maxTotalBytes === undefined) return undefined;
  const { companyId } = grant;
  const { bucket } = grant.scope;
  let known: Promise<Quota[]> | undefined;
  const take = async ({ movedFrom, ...stored }: Stored) => {
    // A folder that is created has no bytes.
    if (stored.bytes === 0) return;
    if (movedFrom !== undefined && !(await tools.quotas.isHeld({ bucket, key: movedFrom }))) return;
    known ??= quotasOf(grant, tools);
    const wanted = { companyId, bucket, ...stored, quotas: await known };
    const reserved = tools.quotas.reserve(wanted, tools.context);
    const filled = await reserved.catch(async (error: unknown) => {
      if (error instanceof QuotaExceeded)
        for (const quota of error.full) await tell(quota, FULL, grant, tools);
      throw error;
    });
    for (const quota of filled)
      for (const percent of THRESHOLDS) {
        const bytes = (quota.maxBytes * percent) / 100;
        if (quota.before < bytes && bytes <= quota.after) await tell(quota, percent, grant, tools);
      }
  };
  return {
    take,
    hasTaken: (stored) =>
      take(stored).then(
        () => true,
        (error: unknown) => {
          if (hasCode(error, "quota_exceeded")) return false;
          throw error;
        },
      ),
    end: (uploadId) => tools.quotas.end(uploadId),
  };
}

/** Bytes a second. Whoever sends more slowly may arrive when the room has been given to others. */
const SLOWEST_BYTES = 32 * 1024;
/** The URL is signed a moment before the room is taken. */
const MARGIN_SECONDS = 60;
const MAX_HELD_SECONDS = 24 * 3600;

/** How long an upload by a URL may arrive: it may begin as long as the URL is valid, and then takes its time. */
export const heldSecondsOf = (size: number, expiresInSeconds: number): number =>
  Math.min(MAX_HELD_SECONDS, expiresInSeconds + MARGIN_SECONDS + Math.ceil(size / SLOWEST_BYTES));

/** A copy by the store ends within a minute. */
export const HELD_SECONDS_OF_COPY = 600;
/** A copy in parts takes several requests, each of which holds its room anew. */
export const HELD_SECONDS_OF_LARGE_COPY = 24 * 3600;
