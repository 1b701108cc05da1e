import type { StackInfo } from "../../local/stack-info";
import { drillReplicas } from "../../tests/support/app/replicas";
import { isCi } from "../../tests/support/machine/installed";
import { hasNginx } from "../../tests/support/network/nginx";
import type { ReplicasFound } from "./checkers/replicas";
import type { History } from "./drill";

/** Runs the drill of three replicas behind nginx. If nginx is not installed, the history says so; in CI that is a failure. */
export async function* drillReplicasIfPossible(
  stack: StackInfo,
): AsyncGenerator<History<never, ReplicasFound>> {
  const found = hasNginx()
    ? await drillReplicas(stack)
    : { notDone: "nginx is not installed", isFailure: isCi };
  yield { title: "three replicas behind nginx", operations: [], found };
}
