import type { StorageProblem } from "../storage-problem";
import { type Translate, useLanguage } from "./language";

/** The message for a problem, other than an upload's. */
export function problemText(t: Translate, code: string): string {
  return t(`problems.${isSaid(code) ? code : "failed"}`);
}

const said = [
  ...(["offline", "unreachable", "unavailable", "denied", "not_found"] as const),
  ...(["session_ended", "cors_blocked", "store_refused", "bad_name"] as const),
  ...(["being_checked", "blocked"] as const),
];
/** Whether there is a message for it. Other codes concern single files. */
export const isSaid = (code: string): code is (typeof said)[number] => (said as string[]).includes(code);

/** The request id, which a person can pass on, and on a developer's machine, advice on the cause. */
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
