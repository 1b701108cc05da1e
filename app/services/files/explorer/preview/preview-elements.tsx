import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { Icon } from "../../../../embed/components/icons";
import type { StorageProblem } from "../../storage-problem";
import { FileIcon } from "../file-icon";
import { fileKind } from "../file-kind";
import { useLanguage } from "../language";
import { ProblemDetails, problemText } from "../problem-details";

interface PreviewNoteProps {
  name: string;
  text: string;
  /** screen readers announce it at once */
  alert?: boolean;
  children?: ReactNode;
}

/** Shown instead of a preview: why there is none. */
export function PreviewNote({ name, text, alert, children }: PreviewNoteProps) {
  return (
    <div className="preview__note">
      <FileIcon kind={fileKind(name)} />
      <p className="preview__note-name">
        <bdi>{name}</bdi>
      </p>
      <p role={alert ? "alert" : undefined}>{text}</p>
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

/** `attempt`: how many times the preview has been started. `retry` starts it again. */
export const RetryPreview = createContext({ attempt: 1, retry() {} });

export function PreviewProblem({ name, problem }: { name: string; problem: StorageProblem }) {
  const { t } = useLanguage();
  const { attempt, retry } = useContext(RetryPreview);
  const words = problem.code === "failed" ? t("preview.failed") : problemText(t, problem.code);
  return (
    <PreviewNote name={name} text={words} alert>
      <ProblemDetails problem={problem} />
      <button type="button" className="button" onClick={retry}>
        {t("retry")}
      </button>
      {/* The preview's code may have failed to load, in a browser that remembers the failure until the frame is reloaded. */}
      {attempt > 1 && problem.code === "failed" && (
        <button type="button" className="button" onClick={() => window.location.reload()}>
          {t("reload")}
        </button>
      )}
    </PreviewNote>
  );
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
