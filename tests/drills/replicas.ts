import type { StackInfo } from "../../local/stack-info";
import { drillReplicas, hasNginx } from "../support/app/replicas";
import { isCi } from "../support/machine/installed";
import type { DrillResult } from "./result";

/** Runs the drill of three replicas behind nginx. If nginx is not installed, the result says so; in CI that is a failure. */
export async function* drillReplicasIfPossible(stack: StackInfo): AsyncGenerator<DrillResult> {
  const drill = "three replicas behind nginx";
  if (!hasNginx()) {
    const missing = "nginx is not installed";
    yield { drill, figures: `not done: ${missing}`, failures: isCi ? [missing] : [] };
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
