import { type ReactNode, useEffect, useState } from "react";
import { fileKind } from "../file-kind";
import { FileIcon } from "../icons";
import { useLanguage } from "../language";
import { ProblemDetails } from "../problem-details";
import type { StorageProblem } from "../storage-client";

/** Said in the place of a preview: why there is none. */
export function PreviewNote({ name, text, children }: { name: string; text: string; children?: ReactNode }) {
  return (
    <div className="preview__note">
      <FileIcon kind={fileKind(name)} />
      <p className="preview__note-name">{name}</p>
      <p>{text}</p>
      {children}
    </div>
  );
}

export function PreviewProblem({ name, problem }: { name: string; problem: StorageProblem }) {
  const { messages } = useLanguage();
  const words = problem.code === "failed" ? messages.preview.failed : messages.problems[problem.code];
  return (
    <PreviewNote name={name} text={words}>
      <ProblemDetails problem={problem} />
    </PreviewNote>
  );
}

/** Appears only when the wait is long enough to be noticed. */
export function PreviewWait() {
  const { messages } = useLanguage();
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
          <span className="visually-hidden">{messages.preview.loading}</span>
        </>
      )}
    </div>
  );
}
