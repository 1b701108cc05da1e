import type { ReplicasFigures } from "../../../tests/support/app/replicas";
import type { History, Verdict } from "../drill";
import { failure, unless } from "./failure";
import { judgeNotDone, type NotDone } from "./not-done";

const MIN_REQUESTS = 500;
/** With round robin each replica serves requests. */
const MIN_REQUESTS_PER_REPLICA = 100;

export type ReplicasFound = ReplicasFigures | NotDone;

/** Callers notice nothing, except those whose key was revoked. */
export function checkReplicas({ found }: History<never, ReplicasFound>): Verdict {
  return "notDone" in found ? judgeNotDone(found) : judgeReplicas(found);
}

export function judgeReplicas(figures: ReplicasFigures): Verdict {
  const { requests, wrong, retried, mostTries, afterRevocation, perReplica, judgedByProxy } = figures;
  return {
    figures: `${requests} requests   ${wrong.length} wrong   ${retried} retried, at most ${mostTries - 1} time each   ${afterRevocation.length} not refused after the key was revoked`,
    failures: [
      ...unless(requests > MIN_REQUESTS, `only ${requests} requests were sent`),
      ...failure(
        perReplica.filter((count) => count <= MIN_REQUESTS_PER_REPLICA),
        "replicas served too few requests",
      ),
      ...failure(wrong, "requests got a wrong status"),
      ...unless(mostTries <= 2, `a request went to ${mostTries} replicas`),
      ...failure(judgedByProxy, "requests were refused by nginx instead of the service"),
      ...failure(afterRevocation, "requests with a revoked key were not refused"),
    ],
  };
}
