import type { History, Verdict } from "../drill";
import { failure, unless } from "./failure";

/** Times are milliseconds since 1970. ETags by keys. */
export type CatalogueOperation =
  | {
      what: "changed";
      by: "service" | "client" | "lifecycle";
      key: string;
      /** ETag of what the key has held since; null: nothing */
      etag: string | null;
      began: number;
      ended: number;
      /** whether the service did it in one attempt, or a notification of it was delivered */
      isTold: boolean;
    }
  | { what: "answered"; asOf: number; ended: number; rows: Record<string, string> }
  | { what: "app killed"; changes: number }
  | { what: "database away" }
  | { what: "database back" }
  | { what: "changed in the store"; request: string };

type Change = Extract<CatalogueOperation, { what: "changed" }>;

export interface CatalogueFound {
  wantedChanges: number;
  wantedKills: number;
  /** keys at which the catalogue differed from the bucket before the last scan, and after it */
  before: string[];
  after: string[];
  /** keys about which the store was still to be asked in the end */
  waiting: number;
  objects: number;
}

/**
 * An answer that says `asOf` knows everything that had happened until then. What was told is there without another scan. After one scan, the
 * catalogue is equal to its bucket.
 */
export function checkCatalogue({ operations, found }: History<CatalogueOperation, CatalogueFound>): Verdict {
  const changes = operations.filter((operation) => operation.what === "changed");
  const answers = operations.filter((operation) => operation.what === "answered");
  const kills = operations.filter(({ what }) => what === "app killed").length;
  const ofKey = new Map<string, Change[]>();
  for (const change of [...changes].sort((one, other) => one.began - other.began)) {
    const known = ofKey.get(change.key);
    if (known === undefined) ofKey.set(change.key, [change]);
    else known.push(change);
  }
  const outdated = answers.flatMap(({ asOf, ended, rows }) =>
    [...ofKey].flatMap(([key, all]) => {
      const etag = rows[key] ?? null;
      return couldBe(all, etag, asOf, ended)
        ? []
        : `${key} in the answer as of ${new Date(asOf).toISOString()}`;
    }),
  );
  const forgotten = found.before.filter((key) => ofKey.get(key)?.at(-1)?.isTold !== false);
  const oldest = Math.max(0, ...answers.map(({ asOf, ended }) => ended - asOf));
  return {
    figures: `${changes.length} changes, ${answers.length} answers up to ${(oldest / 1_000).toFixed(1)} s old; ${found.before.length} keys repaired by the last scan of ${found.objects} objects`,
    failures: [
      ...failure(outdated, "keys were older than their answer said"),
      ...failure(forgotten, "keys were told, and are not in the catalogue"),
      ...failure(found.after, "keys differ after the scan"),
      ...unless(found.waiting === 0, `${found.waiting} keys wait for ever`),
      ...unless(answers.length > 0, "the catalogue has answered nothing"),
      ...unless(
        changes.length >= found.wantedChanges,
        `${changes.length} changes were made instead of ${found.wantedChanges}`,
      ),
      ...unless(
        kills === found.wantedKills,
        `the app was killed ${kills} times instead of ${found.wantedKills}`,
      ),
    ],
  };
}

/**
 * Whether a key may have held this at some time between `asOf` and the end of the answer.
 * @param changes of the key, one after the other
 */
function couldBe(changes: readonly Change[], etag: string | null, asOf: number, ended: number): boolean {
  const last = changes.findLastIndex((change) => change.ended < asOf);
  if ((changes[last]?.etag ?? null) === etag) return true;
  return changes.slice(last + 1).some((change) => change.began <= ended && change.etag === etag);
}
