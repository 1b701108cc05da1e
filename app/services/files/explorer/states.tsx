import type { ReactNode } from "react";
import type { FrameSession } from "../../../embed/frame/use-session";
import type { ProblemCode, StorageProblem } from "../storage-problem";
import type { Folder } from "./folder/use-folder";
import { useRecovery } from "./folder/use-recovery";
import { Icon, type IconName } from "./icons";
import { type Translate, useLanguage } from "./language";
import { ProblemDetails } from "./problem-details";

interface StateProps {
  icon: IconName;
  tone?: "accent" | "warning" | "danger";
  title: string;
  text: string;
  /** what can be passed on */
  details?: ReactNode;
  /** it came unasked: a screen reader says it at once */
  alert?: boolean;
  children?: ReactNode;
}

export function State({ icon, tone, title, text, details, alert, children }: StateProps) {
  return (
    <section className="embed-state" data-tone={tone}>
      <span className="embed-state__icon">
        <Icon name={icon} />
      </span>
      <div className="embed-state__words" role={alert ? "alert" : undefined}>
        <h2 className="embed-state__title">{title}</h2>
        <p className="embed-state__text">{text}</p>
      </div>
      {children && <div className="embed-state__actions">{children}</div>}
      {details && <p className="embed-state__code">{details}</p>}
    </section>
  );
}

/** The others are about one file. */
type ScreenProblem = Extract<
  ProblemCode,
  "offline" | "unreachable" | "unavailable" | "denied" | "not_found" | "session_ended" | "failed"
>;

const looks: Record<ScreenProblem, { icon: IconName; tone?: StateProps["tone"] }> = {
  offline: { icon: "offline", tone: "warning" },
  unreachable: { icon: "offline", tone: "warning" },
  unavailable: { icon: "cloud", tone: "warning" },
  denied: { icon: "lock" },
  not_found: { icon: "folder" },
  session_ended: { icon: "clock" },
  failed: { icon: "warning", tone: "danger" },
};

interface ProblemStateProps {
  folder: Folder;
  problem: StorageProblem;
  onRetry(): void;
  /** to the folder above; null at the root */
  onUp: (() => void) | null;
}

/** What a state says. */
export const stateWords = (
  t: Translate,
  name: ScreenProblem | "empty" | "emptyUpload" | "searching" | "searchCut" | "notRenewed",
) => ({
  title: t(`states.${name}.title`),
  text: t(`states.${name}.text`),
});

/** The problem as the screen has words for it. */
export function screenProblem({ code }: StorageProblem): ScreenProblem {
  return code in looks ? (code as ScreenProblem) : "failed";
}

/** Why the folder cannot be shown, and what happens next. */
export function ProblemState({ folder, problem, onRetry, onUp }: ProblemStateProps) {
  const { t, formats } = useLanguage();
  const retryIn = useRecovery(problem, folder.refresh);
  const busy = folder.phase === "refreshing";
  const code = screenProblem(problem);
  const { requestId, advice } = problem.details;
  const final = code === "session_ended" || code === "denied";
  return (
    <State
      {...looks[code]}
      {...stateWords(t, code)}
      alert
      details={(requestId || advice) && <ProblemDetails problem={problem} />}
    >
      {!final && (
        // Not `disabled`: that would drop the focus, also when it is tried again by itself.
        <button type="button" className="button" aria-disabled={busy} onClick={onRetry}>
          {busy ? t("loading") : retryIn === null ? t("retry") : t("retryNow")}
        </button>
      )}
      {onUp && (code === "denied" || code === "not_found") && (
        <button type="button" className="button" onClick={onUp}>
          {t("up")}
        </button>
      )}
      {!busy && retryIn !== null && (
        <span className="embed-state__aside">{t("retryIn", { duration: formats.duration(retryIn) })}</span>
      )}
    </State>
  );
}

/** Shown over the list when the token has expired and none is coming; the list is kept underneath. */
export function PauseState({ state, session }: FrameSession) {
  const { t } = useLanguage();
  const ended = state.status === "ended";
  if (!ended && !(state.status === "not-renewed" && state.expired)) return null;
  return (
    <div className="main__cover">
      {ended ? (
        <State icon="clock" {...stateWords(t, "session_ended")} alert />
      ) : (
        <State icon="clock" tone="accent" {...stateWords(t, "notRenewed")} alert>
          <button type="button" className="button button--primary" onClick={() => session.renew()}>
            {t("retry")}
          </button>
        </State>
      )}
    </div>
  );
}

/** The shape of the list while it is on its way. */
export function Skeleton() {
  const { t } = useLanguage();
  return (
    <div className="skeleton">
      <span className="visually-hidden">{t("loading")}</span>
      {[1, 2, 3, 4, 5, 6, 7].map((row) => (
        <div key={row} className="skeleton__row" aria-hidden="true" />
      ))}
    </div>
  );
}
