import { asFilesError, type FilesClient, FilesError } from "platform-embed-element/client";
import {
  createContext,
  Fragment,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Icon, IconButton } from "../../../embed/components/icons";
import { visibleText } from "../../../locales/visible-text";
import { untilChecked } from "../browse/checks/when-checked";
import { FileIcon } from "../browse/file-icon";
import { fileKind } from "../browse/file-kind";
import type { Refusal } from "../browse/run-worker";
import type { ContentName } from "../place/content-of";
import { useModal } from "../screen/dialog";
import { type Translate, useLanguage, useVisibleName } from "../screen/language";
import { problemCode } from "../screen/problem-code";
import { ProblemDetails, problemText } from "../screen/problem-details";

interface PreviewModalProps {
  /** of the file */
  name: string;
  /** accessible name, if not the file's */
  label?: string;
  /** below the name */
  about: string;
  /** of the head */
  buttons?: ReactNode;
  /** gets what is in the dialog, which browsers do not show on the full screen itself */
  screen?: RefObject<HTMLDivElement>;
  onKeyDown?(event: KeyboardEvent): void;
  onClose(): void;
  children: ReactNode;
}

/** A dialog about one file, with a `PreviewStage`. */
export function PreviewModal({
  name,
  label = visibleText(name),
  about,
  buttons,
  screen,
  ...props
}: PreviewModalProps) {
  const { t } = useLanguage();
  const visibleName = useVisibleName();
  const { onKeyDown, onClose, children } = props;
  const { dialog, modal } = useModal(onClose);
  // Not its first button, which the browser would choose.
  useLayoutEffect(() => dialog.current?.focus(), [dialog]);
  return (
    <dialog
      {...modal}
      className="modal preview"
      tabIndex={-1}
      aria-label={visibleName(label)}
      onKeyDown={onKeyDown}
    >
      <div ref={screen} className="preview__screen">
        <header className="preview__head">
          <FileIcon kind={fileKind(name)} />
          <div className="preview__title">
            <h2 title={visibleName(name)}>
              <bdi>{visibleName(name)}</bdi>
            </h2>
            <p>{about}</p>
          </div>
          {buttons}
          <IconButton icon="close" className="preview__close" label={t("preview.close")} onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

interface PreviewNoteProps {
  name: string;
  text: string;
  /** `status`: it will change by itself */
  role?: "alert" | "status";
  children?: ReactNode;
}

/** Shown instead of a preview: why there is none. */
export function PreviewNote({ name, text, role, children }: PreviewNoteProps) {
  const visibleName = useVisibleName();
  return (
    <div className="preview__note">
      <FileIcon kind={fileKind(name)} />
      <p className="preview__note-name">
        <bdi>{visibleName(name)}</bdi>
      </p>
      <p role={role}>{text}</p>
      {children}
    </div>
  );
}

/** Why there is no preview, with a button to download the file instead. */
export function DownloadNote({ children, ...note }: PreviewNoteProps) {
  return (
    <PreviewNote {...note}>
      {children}
      <DownloadButton />
    </PreviewNote>
  );
}

function DownloadButton() {
  const { t } = useLanguage();
  const { onDownload } = useContext(PreviewTools);
  if (!onDownload) return null;
  return (
    <button type="button" className="button" onClick={onDownload}>
      <Icon name="download" />
      {t("download")}
    </button>
  );
}

/** Shows a file as the format that its content has; null if there is no preview of that format. */
export const PreviewOfFormat = createContext((_format: string): JSX.Element | null => null);

/** Why a file is not shown. If only its name says otherwise, it is shown as what it is. */
export function RefusedNote({ name, refusal }: { name: string; refusal: Refusal }) {
  const { t } = useLanguage();
  const previewOf = useContext(PreviewOfFormat);
  const format = typeof refusal === "object" && "contentFormat" in refusal ? refusal.contentFormat : null;
  const shown = format === null ? null : previewOf(format);
  if (shown) return shown;
  return <DownloadNote name={name} text={refusalText(t, refusal)} role="alert" />;
}

function refusalText(t: Translate, refusal: Refusal): string {
  if (typeof refusal === "object")
    return "olderFormatOf" in refusal
      ? t("preview.olderFormat", { program: refusal.olderFormatOf })
      : t("preview.otherFormat", { format: refusal.contentFormat });
  switch (refusal) {
    case "too-complex":
      return t("preview.tooComplex");
    case "protected":
      return t("preview.protected");
    case "form":
      return t("preview.xfaForm");
    case "damaged":
      return t("preview.damaged");
    default:
      return refusal satisfies never;
  }
}

const PreviewTools = createContext({
  /** how many times the preview has been started */
  attempt: 1,
  /** starts it again */
  retry() {},
  /** Resolves when the malware scanner has found the file safe. Rejects with a FilesError or the signal's reason. */
  untilChecked: (_: AbortSignal): Promise<void> => Promise.reject(new FilesError("being_checked")),
  /** undefined for what is no single file */
  onDownload: undefined as (() => void) | undefined,
});

interface PreviewStageProps {
  client: FilesClient;
  /** what the preview reads */
  contents: readonly ContentName[];
  onDownload?(): void;
  children: ReactNode;
}

/** The place of a preview. What is in it can start it again, and download the file. */
export function PreviewStage({ client, contents, onDownload, children }: PreviewStageProps) {
  const stage = useRef<HTMLDivElement>(null);
  const [attempt, setAttempt] = useState(1);
  // No dependencies: any rendering may remove the button that has the focus. Keep the focus in the dialog, for its keys.
  useLayoutEffect(() => {
    const dialog = stage.current?.closest("dialog");
    if (!dialog?.contains(document.activeElement)) dialog?.focus();
  });
  const value = {
    attempt,
    retry: () => setAttempt(attempt + 1),
    untilChecked: async (signal: AbortSignal) => {
      for (const content of contents) await untilChecked(client, content, signal);
    },
    onDownload,
  };
  return (
    <div ref={stage} className="preview__stage">
      <PreviewTools.Provider value={value}>
        <Fragment key={attempt}>{children}</Fragment>
      </PreviewTools.Provider>
    </div>
  );
}

export function PreviewProblem({ name, problem }: { name: string; problem: FilesError }) {
  const { t } = useLanguage();
  const { attempt, retry } = useContext(PreviewTools);
  const isWaiting = useCheck(problem);
  if (isWaiting) return <PreviewNote name={name} text={t("preview.checking")} role="status" />;
  const code = problemCode(problem);
  const words = code === "failed" ? t("preview.failed") : problemText(t, problem);
  return (
    <PreviewNote name={name} text={words} role="alert">
      <ProblemDetails problem={problem} />
      {code !== "blocked" && (
        <button type="button" className="button" onClick={retry}>
          {t("retry")}
        </button>
      )}
      {/* The preview's code may have failed to load, in a browser that remembers the failure until the frame is reloaded. */}
      {attempt > 1 && code === "failed" && (
        <button type="button" className="button" onClick={() => window.location.reload()}>
          {t("reload")}
        </button>
      )}
      {code === "failed" && <DownloadButton />}
    </PreviewNote>
  );
}

/** Starts the preview again when the file has been checked. @returns whether that is still awaited */
function useCheck({ code }: FilesError): boolean {
  const { retry, untilChecked } = useContext(PreviewTools);
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
        if (asFilesError(error).code === "being_checked") setGivenUp(true);
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
          <span>{t("preview.loading")}</span>
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
