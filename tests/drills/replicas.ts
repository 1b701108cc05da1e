import type { StackInfo } from "../../local/stack-info";
import { drillReplicas, hasNginx, type ReplicasFigures } from "../support/app/replicas";
import { isCi } from "../support/machine/installed";
import { failure, unless } from "./checkers/failure";
import type { History, Verdict } from "./drill";

/** What was measured; or why it was not, and whether that is a failure. */
type ReplicasFound = ReplicasFigures | { notDone: string; isFailure: boolean };

/** Runs the drill of three replicas behind nginx. If nginx is not installed, the history says so; in CI that is a failure. */
export async function* drillReplicasIfPossible(
  stack: StackInfo,
): AsyncGenerator<History<never, ReplicasFound>> {
  const found = hasNginx()
    ? await drillReplicas(stack)
    : { notDone: "nginx is not installed", isFailure: isCi };
  yield { title: "three replicas behind nginx", operations: [], found };
}

/** Callers notice nothing, except those whose key was revoked. */
export function checkReplicas({ found }: History<never, ReplicasFound>): Verdict {
  if ("notDone" in found)
    return {
      figures: `not done: ${found.notDone}`,
      failures: found.isFailure ? [found.notDone] : [],
    };
  const { requests, wrong, retried, mostTries, afterRevocation } = found;
  return {
    figures: `${requests} requests   ${wrong.length} wrong   ${retried} retried, at most ${mostTries - 1} time each   ${afterRevocation.length} not refused after the key was revoked`,
    failures: [
      ...failure(wrong, "requests got a wrong status"),
      ...unless(mostTries <= 2, `a request went to ${mostTries} replicas`),
      ...failure(afterRevocation, "requests with a revoked key were not refused"),
    ],
  };
}
