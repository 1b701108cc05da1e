import type { History, Verdict } from "../drill";
import type { ChangeOperation } from "./changes";
import { exactlyOnce, failure, unless } from "./failure";

export interface EventsFound {
  /** changes that were made, as the store's content shows them */
  made: string[];
  wantedChanges: number;
  recorded: string[];
  /** begun and neither recorded nor discarded in the end */
  pending: string[];
  /** changes that the kills had cut off, and what `npm run cleanup` said of them */
  cutOff: { count: number; resolved: string };
  wantedKills: number;
}

/** Every change that the store shows is recorded once, and nothing else is. */
export function checkEvents({ operations, found }: History<ChangeOperation, EventsFound>): Verdict {
  return {
    figures: `${found.cutOff.count} requests were cut off by a kill. ${found.cutOff.resolved}`,
    failures: [
      ...unless(
        found.made.length === found.wantedChanges,
        `the store shows ${found.made.length} changes instead of ${found.wantedChanges}`,
      ),
      ...recordFailures(operations, found),
    ],
  };
}

export interface RecordFound
  extends Pick<EventsFound, "made" | "recorded" | "pending" | "cutOff" | "wantedKills"> {}

/** What is wrong with a record of changes. */
export function recordFailures(operations: readonly ChangeOperation[], found: RecordFound): string[] {
  const kills = operations.filter(({ what }) => what === "app killed").length;
  const failed = operations.flatMap((operation) => (operation.what === "asked" ? operation.failed : []));
  return [
    ...exactlyOnce(found.made, found.recorded, {
      missing: "changes are not recorded",
      extra: "events are invented",
      repeated: "changes are recorded more than once",
    }),
    ...failure(found.pending, "pending changes are left"),
    ...failure(failed, "were reported as failed"),
    ...unless(
      kills === found.wantedKills,
      `the app was killed ${kills} times instead of ${found.wantedKills}`,
    ),
  ];
}
