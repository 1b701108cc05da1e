import type { History, Verdict } from "../drill";
import type { ChangeOperation } from "./changes";
import { type RecordFound, recordFailures } from "./events";
import { failure } from "./failure";

/** The texts of the versions of each file, newest first. */
export type Versions = Record<string, string[]>;

export interface HistoryFound extends RecordFound {
  expected: Versions;
  versions: Versions;
  /** keys that have a delete marker */
  deleteMarkers: string[];
}

/** Every file has exactly the versions that it should have, byte for byte, and every change is recorded once. */
export function checkHistory({ operations, found }: History<ChangeOperation, HistoryFound>): Verdict {
  const { expected, versions, deleteMarkers, cutOff } = found;
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(versions)])];
  const wrong = keys.filter(
    (key) => JSON.stringify(expected[key] ?? []) !== JSON.stringify(versions[key] ?? []),
  );
  return {
    figures: `${cutOff.count} requests were cut off by a kill. ${cutOff.resolved}`,
    failures: [
      ...failure(wrong, "files have lost a version, or have one too many"),
      ...failure(deleteMarkers, "delete markers are left"),
      ...recordFailures(operations, found),
    ],
  };
}
