import type { StorageProblem } from "../storage-problem";
import { type Translate, useLanguage } from "./language";

/** Why something failed that is no upload: limits are about those. */
export function problemText(t: Translate, code: string): string {
  return t(`problems.${isSaid(code) ? code : "failed"}`);
}

const said = [
  ...(["offline", "unreachable", "unavailable", "denied", "not_found"] as const),
  ...(["session_ended", "cors_blocked", "store_refused", "bad_name"] as const),
];
/** Whether there are words for it; those for all others are about a file. */
export const isSaid = (code: string): code is (typeof said)[number] => (said as string[]).includes(code);

/** What can be passed on to whoever runs the page: the request id; and on a developer's machine, what there is to mend. */
export function ProblemDetails({ problem }: { problem: StorageProblem }) {
  const { t } = useLanguage();
  const { requestId, advice } = problem.details;
  return (
    <>
      {requestId && <span className="problem-id">{t("requestId", { id: requestId })}</span>}
      {advice && <span className="problem-advice">{advice}</span>}
    </>
  );
}
