import type { FilesError } from "platform-embed-element/client";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { IconName } from "../../../embed/components/icons";
import { State, type StateTone } from "../../../embed/components/state";
import type { FrameSession } from "../../../embed/frame/use-session";
import { type Translate, useLanguage } from "./language";
import { problemCode } from "./problem-code";
import { ProblemDetails, useAdvice } from "./problem-details";

/** Problems of the whole screen. The others concern single files. */
type ScreenProblem =
  | "offline"
  | "unreachable"
  | "unavailable"
  | "denied"
  | "not_found"
  | "session_ended"
  | "failed";

const looks: Record<ScreenProblem, { icon: IconName; tone?: StateTone }> = {
  offline: { icon: "offline", tone: "warning" },
  unreachable: { icon: "offline", tone: "warning" },
  unavailable: { icon: "cloud", tone: "warning" },
  denied: { icon: "lock" },
  not_found: { icon: "folder" },
  session_ended: { icon: "clock" },
  failed: { icon: "warning", tone: "danger" },
};

interface ProblemStateProps {
  problem: FilesError;
  /** the folder is being listed again */
  isBusy: boolean;
  onRetry(): void;
  /** when a temporary problem may be over */
  onRecovery(): void;
  /** to the folder above; null at the root */
  onUp: (() => void) | null;
}

/** Title and text of a state. */
export const stateWords = (
  t: Translate,
  name:
    | ScreenProblem
    | "folder_not_found"
    | "empty"
    | "emptyUpload"
    | "searching"
    | "searchCut"
    | "noneFit"
    | "notRenewed",
) => ({
  title: t(`states.${name}.title`),
  text: t(`states.${name}.text`),
});

/** The problem, or `failed` if the screen has no message for it. */
export function screenProblem(problem: FilesError): ScreenProblem {
  const code = problemCode(problem);
  return code in looks ? (code as ScreenProblem) : "failed";
}

/** Why the folder cannot be shown, with retry. */
export function ProblemState({ problem, isBusy, onRetry, onRecovery, onUp }: ProblemStateProps) {
  const { t, formats } = useLanguage();
  const retryIn = useRecovery(problem, onRecovery);
  const code = screenProblem(problem);
  const advice = useAdvice(problem);
  const final = code === "session_ended" || code === "denied";
  return (
    <State
      {...looks[code]}
      {...stateWords(t, code)}
      alert
      problem={problemCode(problem)}
      details={(problem.requestId || advice) && <ProblemDetails problem={problem} />}
    >
      {!final && (
        // Not `disabled`: the button would lose the focus.
        <button type="button" className="button" aria-disabled={isBusy} onClick={onRetry}>
          {isBusy ? t("loading") : retryIn === null ? t("retry") : t("retryNow")}
        </button>
      )}
      {onUp && (code === "denied" || code === "not_found") && (
        <button type="button" className="button" onClick={onUp}>
          {t("up")}
        </button>
      )}
      {!isBusy && retryIn !== null && (
        <span className="embed-state__aside">{t("retryIn", { duration: formats.duration(retryIn) })}</span>
      )}
    </State>
  );
}

/** Covers the list when the token has expired and was not renewed. */
export function PauseState({ state, session }: Pick<FrameSession, "state" | "session">) {
  const { t } = useLanguage();
  if (state.status !== "not-renewed" || !state.expired) return null;
  const { title, text } = stateWords(t, "notRenewed");
  // The page around the frame may never send another token: then only loading it again helps.
  const nextStep = state.wasLeft ? stateWords(t, "session_ended").text : text;
  return (
    <div className="main__cover">
      <State icon="clock" tone="accent" title={title} text={nextStep} alert>
        <button type="button" className="button button--primary" onClick={() => session.renew()}>
          {t("retry")}
        </button>
      </State>
    </div>
  );
}

/** Replaces the whole screen when the frame is not open (`FrameSession.isOpen`). */
export function ClosedState({ state, session }: Pick<FrameSession, "state" | "session">) {
  if (state.status === "ended") return <EndedState />;
  return (
    <main className="main" aria-busy={state.status !== "not-renewed"}>
      <PauseState state={state} session={session} />
    </main>
  );
}

/** Without a session nothing works. */
function EndedState() {
  const { t } = useLanguage();
  return (
    <main className="main">
      <State icon="clock" {...stateWords(t, "session_ended")} heading="h1" alert>
        {/* `<platform-embed>` asks for a new token, and the frame opens the same folder again. */}
        <button type="button" className="button button--primary" onClick={() => window.location.reload()}>
          {t("reload")}
        </button>
      </State>
    </main>
  );
}

/** A placeholder while the list loads. @param children the headings of its columns */
export function Skeleton({ children }: { children?: ReactNode }) {
  const { t } = useLanguage();
  return (
    <div className="skeleton">
      <span className="visually-hidden">{t("loading")}</span>
      {children}
      {[1, 2, 3, 4, 5, 6, 7].map((row) => (
        <div key={row} className="skeleton__row" aria-hidden="true" />
      ))}
    </div>
  );
}

/** Delay when the server sends no Retry-After; doubled each time up to the maximum. */
const FIRST_WAIT_SECONDS = 3;
const MAX_WAIT_SECONDS = 30;

/** Retries when the browser is online again, if it was offline. */
export function useBackOnline(problem: FilesError, retry: () => void): void {
  const latest = useRef(retry);
  latest.current = retry;
  const isOffline = problem.code === "offline";

  useEffect(() => {
    if (!isOffline) return;
    const tryNow = () => latest.current();
    window.addEventListener("online", tryNow);
    return () => window.removeEventListener("online", tryNow);
  }, [isOffline]);
}

/**
 * Retries automatically after a temporary problem: when the browser is online again, or after Retry-After.
 * @returns the seconds until then, or null
 */
function useRecovery(problem: FilesError, retry: () => void): number | null {
  const [left, setLeft] = useState<number | null>(null);
  const attempts = useRef(0);
  const latest = useRef(retry);
  latest.current = retry;
  useBackOnline(problem, retry);

  useEffect(() => {
    setLeft(null);
    if (problem.code === "offline" || !problem.isTemporary) return;
    const backOff = Math.min(FIRST_WAIT_SECONDS * 2 ** attempts.current++, MAX_WAIT_SECONDS);
    const due = performance.now() + Math.max(problem.retryAfter ?? backOff, 1) * 1000;
    const tick = () => {
      const seconds = Math.ceil((due - performance.now()) / 1000);
      setLeft(Math.max(seconds, 0));
      if (seconds > 0) return;
      clearInterval(timer);
      latest.current();
    };
    const timer = setInterval(tick, 250);
    tick();
    return () => clearInterval(timer);
  }, [problem]);

  return left;
}
