import type { Messages } from "../../../locales/messages";
import type { StorageProblem } from "../storage-problem";
import { useLanguage } from "./language";

/** Why something failed that is no upload: limits are about those. */
export function problemText({ problems }: Messages, { code }: StorageProblem): string {
  return code in problems ? problems[code as keyof typeof problems] : problems.failed;
}

/** What can be passed on to whoever runs the page: the request id; and on a developer's machine, what there is to mend. */
export function ProblemDetails({ problem }: { problem: StorageProblem }) {
  const { messages } = useLanguage();
  const { requestId, advice } = problem.details;
  return (
    <>
      {requestId && <span className="problem-id">{messages.requestId(requestId)}</span>}
      {advice && <span className="problem-advice">{advice}</span>}
    </>
  );
}
