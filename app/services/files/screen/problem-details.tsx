import type { FilesError } from "platform-embed-element/client";
import { createContext, useContext } from "react";
import { type Translate, useLanguage, useVisibleName } from "./language";
import { problemCode } from "./problem-code";

/** The message for a problem, other than an upload's. */
export function problemText(t: Translate, problem: Pick<FilesError, "code" | "status">): string {
  const code = problemCode(problem);
  return t(`problems.${isSaid(code) ? code : "failed"}`);
}

const said = [
  ...(["offline", "unreachable", "unavailable", "denied", "not_found"] as const),
  ...(["session_ended", "cors_blocked", "store_refused", "bad_name"] as const),
  ...(["being_checked", "blocked", "not_addressable"] as const),
];
/** Whether there is a message for it. Other codes concern single files. */
export const isSaid = (code: string): code is (typeof said)[number] => (said as string[]).includes(code);

/** Files that are listed by name; others are only counted. */
const MAX_FAILED_FILES = 20;

/** The files that could not be changed or downloaded, and why. */
export function FailedFiles({ files }: { files: readonly { id: string; name: string; why: string }[] }) {
  const { t } = useLanguage();
  const visibleName = useVisibleName();
  if (files.length === 0) return null;
  return (
    <ul className="change-failures">
      {files.slice(0, MAX_FAILED_FILES).map(({ id, name, why }) => (
        <li key={id}>
          <bdi>{visibleName(name)}</bdi> {why}
        </li>
      ))}
      {files.length > MAX_FAILED_FILES && (
        <li>{t("changes.andMore", { count: files.length - MAX_FAILED_FILES })}</li>
      )}
    </ul>
  );
}

/** The server runs on a developer's machine: what it says to developers is shown. */
export const DevelopmentContext = createContext(false);

/** What a developer has to do; null on other machines. */
export function useAdvice({ code, message }: FilesError): string | null {
  const development = useContext(DevelopmentContext);
  // `failed` has a message of the browser, and `refused` one of the embedding page.
  const isAdvice = message !== code && code !== "failed" && code !== "refused";
  return development && isAdvice ? message : null;
}

/** The request id, which a person can pass on, and on a developer's machine, advice on the cause. */
export function ProblemDetails({ problem }: { problem: FilesError }) {
  const { t } = useLanguage();
  const { requestId } = problem;
  const advice = useAdvice(problem);
  return (
    <>
      {requestId && <span className="problem-id">{t("requestId", { id: requestId })}</span>}
      {advice && <span className="problem-advice">{advice}</span>}
    </>
  );
}
