import type { StackInfo } from "../../local/stack-info";
import { drillReplicas, hasNginx } from "../support/replicas";
import type { DrillResult } from "./result";

/** Three replicas behind nginx; where there is none, a row says so. */
export async function* drillReplicasIfPossible(stack: StackInfo): AsyncGenerator<DrillResult> {
  const drill = "three replicas behind nginx";
  if (!hasNginx()) {
    yield { drill, figures: "not done: there is no nginx on this machine", failures: [] };
    return;
  }
  const { requests, wrong, retried, mostTries, afterRevocation } = await drillReplicas(stack);
  yield {
    drill,
    figures: `${requests} requests   ${wrong.length} wrong   ${retried} retried, at most ${mostTries - 1} time each   ${afterRevocation.length} not refused after the key was revoked`,
    failures: [
      ...(wrong.length === 0 ? [] : [`wrong statuses: ${[...new Set(wrong)].join(", ")}`]),
      ...(mostTries <= 2 ? [] : [`a request went to ${mostTries} replicas`]),
      ...(afterRevocation.length === 0
        ? []
        : [`a revoked key was not refused, but got ${afterRevocation.join(", ")}`]),
    ],
  };
}
