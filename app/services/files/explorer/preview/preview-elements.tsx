import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { Icon } from "../../../../embed/components/icons";
import { asProblem, StorageProblem } from "../../storage-problem";
import { FileIcon } from "../file-icon";
import { fileKind } from "../file-kind";
import { useLanguage } from "../language";
import { ProblemDetails, problemText } from "../problem-details";
import type { Refusal } from "./run-worker";

interface PreviewNoteProps {
  name: string;
  text: string;
  /** screen readers announce it at once */
  alert?: boolean;
  /** it will change by itself: screen readers announce it when they are idle */
  isStatus?: boolean;
  children?: ReactNode;
}

/** Shown instead of a preview: why there is none. */
export function PreviewNote({ name, text, alert, isStatus, children }: PreviewNoteProps) {
  const role = alert ? "alert" : isStatus ? "status" : undefined;
  return (
    <div className="preview__note">
      <FileIcon kind={fileKind(name)} />
      <p className="preview__note-name">
        <bdi>{name}</bdi>
      </p>
      <p role={role}>{text}</p>
      {children}
    </div>
  );
}

/** Why there is no preview, with a button to download the file instead. */
export function DownloadNote({ onDownload, ...note }: PreviewNoteProps & { onDownload(): void }) {
  const { t } = useLanguage();
  return (
    <PreviewNote {...note}>
      <button type="button" className="button" onClick={onDownload}>
        <Icon name="download" />
        {t("download")}
      </button>
    </PreviewNote>
  );
}

/** Why a worker does not show a file. */
export function RefusedNote({ refusal, ...note }: { refusal: Refusal; name: string; onDownload(): void }) {
  const { t } = useLanguage();
  const texts: Record<Refusal, string> = {
    "too-complex": t("preview.tooComplex"),
    protected: t("preview.protected"),
    damaged: t("preview.damaged"),
  };
  return <DownloadNote {...note} text={texts[refusal]} alert />;
}

/**
 * `attempt`: how many times the preview has been started. `retry` starts it again. `untilChecked` resolves when the malware scanner has
 * found the file safe, and rejects with a StorageProblem or the signal's reason.
 */
export const RetryPreview = createContext({
  attempt: 1,
  retry() {},
  untilChecked: (_: AbortSignal): Promise<void> => Promise.reject(new StorageProblem("being_checked")),
});

export function PreviewProblem({ name, problem }: { name: string; problem: StorageProblem }) {
  const { t } = useLanguage();
  const { attempt, retry } = useContext(RetryPreview);
  const isWaiting = useCheck(problem);
  if (isWaiting) return <PreviewNote name={name} text={t("preview.checking")} isStatus />;
  const words = problem.code === "failed" ? t("preview.failed") : problemText(t, problem.code);
  return (
    <PreviewNote name={name} text={words} alert>
      <ProblemDetails problem={problem} />
      {problem.code !== "blocked" && (
        <button type="button" className="button" onClick={retry}>
          {t("retry")}
        </button>
      )}
      {/* The preview's code may have failed to load, in a browser that remembers the failure until the frame is reloaded. */}
      {attempt > 1 && problem.code === "failed" && (
        <button type="button" className="button" onClick={() => window.location.reload()}>
          {t("reload")}
        </button>
      )}
    </PreviewNote>
  );
}

/** Starts the preview again when the file has been checked. @returns whether that is still awaited */
function useCheck({ code }: StorageProblem): boolean {
  const { retry, untilChecked } = useContext(RetryPreview);
  const isBeingChecked = code === "being_checked";
  const [isGivenUp, setGivenUp] = useState(false);
  const latest = useRef({ retry, untilChecked });
  latest.current = { retry, untilChecked };
  useEffect(() => {
    if (!isBeingChecked) return;
    const abort = new AbortController();
    latest.current.untilChecked(abort.signal).then(
      () => latest.current.retry(),
      (error) => {
        if (abort.signal.aborted) return;
        if (asProblem(error).code === "being_checked") setGivenUp(true);
        // The preview says what is wrong now.
        else latest.current.retry();
      },
    );
    return () => abort.abort();
  }, [isBeingChecked]);
  return isBeingChecked && !isGivenUp;
}

/** A spinner, after a delay. */
export function PreviewWait() {
  const { t } = useLanguage();
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="preview__wait" role="status">
      {slow && (
        <>
          <span className="preview__spinner" aria-hidden="true" />
          <span className="visually-hidden">{t("preview.loading")}</span>
        </>
      )}
    </div>
  );
}

interface PreviewBarProps {
  /** reserves the room for the bar without showing it */
  waiting?: boolean;
  children: ReactNode;
}

/** Controls above the preview. */
export function PreviewBar({ waiting = false, children }: PreviewBarProps) {
  return <div className={`preview__bar${waiting ? " preview__bar--waiting" : ""}`}>{children}</div>;
}
