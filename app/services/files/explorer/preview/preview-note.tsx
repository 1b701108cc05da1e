import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import type { StorageProblem } from "../../storage-problem";
import { fileKind } from "../file-kind";
import { FileIcon } from "../icons";
import { useLanguage } from "../language";
import { ProblemDetails, problemText } from "../problem-details";

interface PreviewNoteProps {
  name: string;
  text: string;
  /** a screen reader says it at once */
  alert?: boolean;
  children?: ReactNode;
}

/** Said in the place of a preview: why there is none. */
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

/** Loads the preview again. */
export const RetryPreview = createContext(() => {});

export function PreviewProblem({ name, problem }: { name: string; problem: StorageProblem }) {
  const { t } = useLanguage();
  const retry = useContext(RetryPreview);
  const words = problem.code === "failed" ? t("preview.failed") : problemText(t, problem.code);
  return (
    <PreviewNote name={name} text={words} alert>
      <ProblemDetails problem={problem} />
      <button type="button" className="button" onClick={retry}>
        {t("retry")}
      </button>
    </PreviewNote>
  );
}

/** Appears only when the wait is long enough to be noticed. */
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
