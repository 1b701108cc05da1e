import type { History, Verdict } from "../drill";
import { failure, unless } from "./failure";

/** Times are milliseconds since 1970. ETags by keys. */
export type CatalogueOperation =
  | {
      what: "changed";
      by: "service" | "client" | "AWS CLI" | "lifecycle";
      key: string;
      /** ETag of what the key has held since; null: nothing */
      etag: string | null;
      began: number;
      ended: number;
      /** whether the service did it in one attempt, or a notification of it was delivered */
      isTold: boolean;
    }
  | {
      what: "answered";
      /** undefined: the tables were read */
      by?: "the app";
      asOf: number;
      ended: number;
      /** begins the keys of the folder whose files were asked for; undefined: all keys */
      folder?: string;
      rows: Record<string, string>;
    }
  | {
      what: "asked for access";
      key: string;
      /** by the token */
      isAllowed: boolean;
      response: number | "connection lost";
    }
  | {
      what: "app killed";
      changes: number;
      /** the request to the store at which it was killed */
      request?: string;
    }
  | { what: "database away" }
  | { what: "database back" }
  | { what: "changed in the store"; request: string };

type Change = Extract<CatalogueOperation, { what: "changed" }>;

export interface CatalogueFound {
  wantedChanges: number;
  wantedKills: number;
  hasAwsCli: boolean;
  /** keys that were changed after the app had ended, and nobody was told */
  lost: string[];
  /** keys at which the catalogue differed from the bucket before the last scan, and after it */
  before: string[];
  after: string[];
  /** keys about which the store was still to be asked in the end */
  waiting: number;
  objects: number;
}

/** Without a key: the service lists the bucket for a scan. */
export const PAGE_OF_SCAN = "GET ";
/** How long PostgreSQL is away, milliseconds. */
export const AWAY_MS = 20_000;

/**
 * An answer that says `asOf` knows everything that had happened until then. What was told is there without another scan. After one scan, the
 * catalogue is equal to its bucket.
 */
export function checkCatalogue({ operations, found }: History<CatalogueOperation, CatalogueFound>): Verdict {
  const changes = operations.filter((operation) => operation.what === "changed");
  const answers = operations.filter((operation) => operation.what === "answered");
  const kills = operations.filter((operation) => operation.what === "app killed");
  const scanKills = kills.filter(({ request }) => request === PAGE_OF_SCAN).length;
  const wantedScanKills = Math.floor(found.wantedKills / 2);
  const outages = operations.filter(({ what }) => what === "database away");
  const awayMs = outages.map(
    ({ at }) => (operations.find((one) => one.what === "database back" && one.at >= at)?.at ?? at) - at,
  );
  const ofKey = new Map<string, Change[]>();
  for (const change of [...changes].sort((one, other) => one.began - other.began)) {
    const known = ofKey.get(change.key);
    if (known === undefined) ofKey.set(change.key, [change]);
    else known.push(change);
  }
  const outdated = answers.flatMap(({ asOf, ended, folder, rows }) =>
    [...ofKey].flatMap(([key, all]) => {
      if (folder !== undefined && !isIn(folder, key)) return [];
      const etag = rows[key] ?? null;
      return couldBe(all, etag, asOf, ended)
        ? []
        : `${key} in the answer as of ${new Date(asOf).toISOString()}`;
    }),
  );
  const forgotten = found.before.filter((key) => ofKey.get(key)?.at(-1)?.isTold !== false);
  const before = new Set(found.before);
  const access = operations.filter((operation) => operation.what === "asked for access");
  const wrong = access.filter(({ isAllowed, response }) =>
    isAllowed ? isBetween(response, 400, 499) : isBetween(response, 200, 299),
  );
  const oldest = Math.max(0, ...answers.map(({ asOf, ended }) => ended - asOf));
  return {
    figures: `${changes.length} changes${found.hasAwsCli ? "" : " (none by the AWS CLI, which is not installed)"}, ${scanKills} kills of a scan, ${answers.length} answers up to ${(oldest / 1_000).toFixed(1)} s old; ${found.before.length} keys repaired by the last scan of ${found.objects} objects`,
    failures: [
      ...failure(outdated, "keys were older than their answer said"),
      ...failure(forgotten, "keys were told, and are not in the catalogue"),
      ...failure(found.after, "keys differ after the scan"),
      ...unless(found.waiting === 0, `${found.waiting} keys wait for ever`),
      ...failure(
        found.lost.filter((key) => !before.has(key)),
        "keys that nobody told of did not differ before the scan",
      ),
      ...failure(
        wrong.map(({ key, response }) => `${key}: ${response}`),
        "requests for access depended on the catalogue",
      ),
      ...unless(
        access.some(({ isAllowed, response }) => isAllowed && isBetween(response, 200, 299)) &&
          access.some(({ isAllowed, response }) => !isAllowed && response === 403),
        "access was not asked for",
      ),
      ...unless(
        answers.some(({ by }) => by === "the app"),
        "the catalogue has answered nothing",
      ),
      ...unless(
        !found.hasAwsCli || changes.some(({ by }) => by === "AWS CLI"),
        "the AWS CLI has changed nothing",
      ),
      ...unless(
        awayMs.length === 1 && awayMs.every((time) => time >= AWAY_MS),
        `PostgreSQL was away for ${awayMs.join(", ") || "no"} ms instead of once for ${AWAY_MS}`,
      ),
      ...unless(
        changes.length >= found.wantedChanges,
        `${changes.length} changes were made instead of ${found.wantedChanges}`,
      ),
      ...unless(
        kills.length === found.wantedKills,
        `the app was killed ${kills.length} times instead of ${found.wantedKills}`,
      ),
      ...unless(
        scanKills >= wantedScanKills,
        `a scan was killed ${scanKills} times instead of ${wantedScanKills}`,
      ),
    ],
  };
}

const isIn = (folder: string, key: string) =>
  key.startsWith(folder) && !key.slice(folder.length).includes("/");

const isBetween = (response: number | "connection lost", least: number, most: number) =>
  typeof response === "number" && response >= least && response <= most;

/**
 * Whether a key may have held this at some time between `asOf` and the end of the answer.
 * @param changes of the key, one after the other
 */
function couldBe(changes: readonly Change[], etag: string | null, asOf: number, ended: number): boolean {
  const last = changes.findLastIndex((change) => change.ended < asOf);
  if ((changes[last]?.etag ?? null) === etag) return true;
  return changes.slice(last + 1).some((change) => change.began <= ended && change.etag === etag);
}
