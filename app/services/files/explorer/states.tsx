import type { ReactNode } from "react";
import type { SessionState } from "../../../embed/frame/token-session";
import { Icon, type Sign } from "./icons";
import { useLanguage } from "./language";
import { ProblemDetails } from "./problem-details";
import type { ProblemCode, StorageProblem } from "./storage-client";

interface StateProps {
  sign: Sign;
  tone?: "accent" | "warning" | "danger";
  title: string;
  text: string;
  /** what can be passed on */
  details?: ReactNode;
  children?: ReactNode;
}

export function State({ sign, tone, title, text, details, children }: StateProps) {
  return (
    <section className="embed-state" data-tone={tone}>
      <span className="embed-state__icon">
        <Icon sign={sign} />
      </span>
      <h2 className="embed-state__title">{title}</h2>
      <p className="embed-state__text">{text}</p>
      {children && <div className="embed-state__actions">{children}</div>}
      {details && <p className="embed-state__code">{details}</p>}
    </section>
  );
}

/** The others are about one file. */
type ScreenProblem = Exclude<ProblemCode, "cors_blocked" | "too_large" | "bad_name" | "store_refused">;

const looks: Record<ScreenProblem, { sign: Sign; tone?: StateProps["tone"] }> = {
  offline: { sign: "offline", tone: "warning" },
  unreachable: { sign: "offline", tone: "warning" },
  unavailable: { sign: "cloud", tone: "warning" },
  denied: { sign: "lock" },
  not_found: { sign: "folder" },
  session_ended: { sign: "clock" },
  failed: { sign: "warning", tone: "danger" },
};

interface ProblemStateProps {
  problem: StorageProblem;
  busy: boolean;
  /** seconds until it is tried again by itself; null when it is not */
  retryIn: number | null;
  onRetry(): void;
  /** to the folder above; null at the root */
  onUp: (() => void) | null;
}

/** Why the folder cannot be shown, and what happens next. */
export function ProblemState({ problem, busy, retryIn, onRetry, onUp }: ProblemStateProps) {
  const { copy, formats } = useLanguage();
  const code: ScreenProblem = Object.hasOwn(looks, problem.code) ? (problem.code as ScreenProblem) : "failed";
  const words = copy.states[code];
  const { requestId, advice } = problem.details;
  const final = code === "session_ended" || code === "denied";
  return (
    <State
      {...looks[code]}
      title={words.title}
      text={words.text}
      details={(requestId || advice) && <ProblemDetails problem={problem} />}
    >
      {!final && (
        <button type="button" className="button" disabled={busy} onClick={onRetry}>
          {busy ? copy.loading : retryIn === null ? copy.retry : copy.retryNow}
        </button>
      )}
      {onUp && (code === "denied" || code === "not_found") && (
        <button type="button" className="button" onClick={onUp}>
          {copy.up}
        </button>
      )}
      {!busy && retryIn !== null && (
        <span className="embed-state__aside">{copy.retryIn(formats.number(retryIn))}</span>
      )}
    </State>
  );
}

/** Shown over the list when the token no longer serves and none is coming; the list is kept underneath. */
export function PauseState({ state, onRetry }: { state: SessionState; onRetry(): void }) {
  const { copy } = useLanguage();
  if (state.status === "ended") return <State sign="clock" {...copy.states.session_ended} />;
  return (
    <State sign="clock" tone="accent" {...copy.states.unanswered}>
      <button type="button" className="button button--primary" onClick={onRetry}>
        {copy.retry}
      </button>
    </State>
  );
}

/** The shape of the list while it is on its way. */
export function Skeleton() {
  const { copy } = useLanguage();
  return (
    <div className="skeleton">
      <span className="visually-hidden">{copy.loading}</span>
      {[1, 2, 3, 4, 5, 6, 7].map((row) => (
        <div key={row} className="skeleton__row" aria-hidden="true" />
      ))}
    </div>
  );
}
