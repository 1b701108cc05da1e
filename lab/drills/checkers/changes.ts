import type { Change } from "../../../tests/support/files/change-calls";
import type { History, Verdict } from "../drill";
import { failure, unless } from "./failure";

/** ETags by the objects' names in their folder */
export type Objects = Record<string, string>;

export type ChangeOperation =
  | { what: "asked"; change: Change; response: number | "connection lost"; failed: string[] }
  | { what: "changed in the store"; request: string }
  | { what: "app killed"; changes: number; request?: string }
  | { what: "seen while the app is down"; folders: Record<string, Objects> };

export interface ChangesFound {
  before: Objects;
  /** the folders in the end */
  folders: Record<string, Objects>;
  /** other objects whose keys begin alike, before and in the end */
  neighbours: { before: Objects; after: Objects };
  seconds: number;
  maxSeconds: number;
  wantedKills: number;
}

export interface MoveFound extends ChangesFound {
  folders: { from: Objects; to: Objects };
}
export interface DeletionFound extends ChangesFound {
  folders: { deleted: Objects; restored: Objects };
}

/** After every kill each object is in the old or in the new place; in the end each is in the new place only, unchanged. */
export function checkMove({ operations, found }: History<ChangeOperation, MoveFound>): Verdict {
  const { from, to } = found.folders;
  const lostMeanwhile = operations.flatMap((operation) => {
    if (operation.what !== "seen while the app is down") return [];
    const { from = {}, to = {} } = operation.folders;
    return Object.keys(found.before).filter(
      (name) => from[name] !== found.before[name] && to[name] !== found.before[name],
    );
  });
  return {
    figures: `${Object.keys(to).length} there, ${Object.keys(from).length} left behind   ${found.seconds.toFixed(0)} s`,
    failures: [
      ...failure(lostMeanwhile, "objects were in neither place after a kill"),
      ...failure(Object.keys(from), "objects were left behind"),
      ...failure(differences(found.before, to), "objects are missing, changed or extra in the new place"),
      ...commonFailures(operations, found),
    ],
  };
}

/** Everything is deleted, and then restored unchanged. */
export function checkDeletion({ operations, found }: History<ChangeOperation, DeletionFound>): Verdict {
  const { deleted, restored } = found.folders;
  return {
    figures: `${Object.keys(deleted).length} left behind, ${Object.keys(restored).length} restored   ${found.seconds.toFixed(0)} s`,
    failures: [
      ...failure(Object.keys(deleted), "objects were not deleted"),
      ...failure(differences(found.before, restored), "objects were not restored unchanged"),
      ...commonFailures(operations, found),
    ],
  };
}

/** A history says by its folders which of the two it is. */
export const checkChanges = (history: History<ChangeOperation, MoveFound | DeletionFound>): Verdict =>
  "to" in history.found.folders
    ? checkMove(history as History<ChangeOperation, MoveFound>)
    : checkDeletion(history as History<ChangeOperation, DeletionFound>);

/** The names that are missing in `after`, or have other bytes, or were not in `before`. */
const differences = (before: Objects, after: Objects): string[] => [
  ...Object.keys(before).filter((name) => before[name] !== after[name]),
  ...Object.keys(after).filter((name) => !(name in before)),
];

function commonFailures(operations: readonly ChangeOperation[], found: ChangesFound): string[] {
  const { neighbours, seconds, maxSeconds, wantedKills } = found;
  const failed = operations.flatMap((operation) => (operation.what === "asked" ? operation.failed : []));
  const kills = operations.filter(({ what }) => what === "app killed").length;
  return [
    ...failure(differences(neighbours.before, neighbours.after), "neighbours were touched"),
    ...failure(failed, "were reported as failed"),
    ...unless(kills === wantedKills, `the app was killed ${kills} times instead of ${wantedKills}`),
    ...unless(seconds <= maxSeconds, `it took ${seconds.toFixed(0)} s`),
  ];
}
