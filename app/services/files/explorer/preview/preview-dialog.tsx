import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { StorageClient } from "../../storage-client";
import type { FileEntry } from "../../storage-contract.server";
import { fileKind } from "../file-kind";
import { type Row, rowId } from "../folder/folder-state";
import { IconButton } from "../icon-button";
import { FileIcon, Icon } from "../icons";
import { useLanguage } from "../language";
import { ImagePreview } from "./image-preview";
import { PdfPreview } from "./pdf-preview";
import { PreviewNote, RetryPreview } from "./preview-note";
import { planPreview } from "./preview-plan";
import { TextPreview } from "./text-preview";

export interface PreviewDialogProps {
  file: FileEntry;
  /** all files of the list as it stands on the screen, for going from one to the next */
  files: Row[];
  client: StorageClient;
  /** another file by its id, or null to close */
  onShow(id: string | null): void;
  onDownload(row: Row): void;
  /** lies above the preview */
  children: ReactNode;
}

/** Loaded when the first file is opened: it is not part of the first page. */
export default function PreviewDialog({
  file,
  files,
  client,
  onShow,
  onDownload,
  children,
}: PreviewDialogProps) {
  const { t, formats } = useLanguage();
  const dialog = useRef<HTMLDialogElement>(null);
  const index = files.findIndex((row) => rowId(row) === file.key);
  const previous = files[index - 1];
  const next = files[index + 1];

  const [attempt, setAttempt] = useState(1);
  const retry = () => {
    // The button goes away, and with it the focus and the arrow keys.
    dialog.current?.focus();
    setAttempt(attempt + 1);
  };

  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Closing, rather than only vanishing, gives the focus back to where it was.
    return () => element?.close();
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const target = event.key === "ArrowRight" ? next : event.key === "ArrowLeft" ? previous : undefined;
    if (!target) return;
    event.preventDefault();
    onShow(rowId(target));
  };

  return (
    <dialog
      ref={dialog}
      className="preview"
      tabIndex={-1}
      aria-label={file.name}
      onCancel={(event) => {
        event.preventDefault();
        onShow(null);
      }}
      onClick={(event) => event.target === dialog.current && onShow(null)}
      onKeyDown={onKeyDown}
    >
      <header className="preview__head">
        <FileIcon kind={fileKind(file.name)} />
        <div className="preview__title">
          <h2 title={file.name}>{file.name}</h2>
          <p>
            {formats.size(file.size)} · {formats.dateTime(file.lastModified)}
          </p>
        </div>
        <div className="preview__steps">
          {/* Not `disabled`: that would drop the focus, and the arrow keys with it, at either end. */}
          <IconButton
            icon="chevron"
            className="preview__previous"
            aria-disabled={!previous}
            label={t("preview.previous")}
            onClick={() => previous && onShow(rowId(previous))}
          />
          <span>{t("preview.position", { index: index + 1, total: files.length })}</span>
          <IconButton
            icon="chevron"
            aria-disabled={!next}
            label={t("preview.next")}
            onClick={() => next && onShow(rowId(next))}
          />
        </div>
        <button
          type="button"
          className="button preview__download"
          aria-label={t("downloadFile", { name: file.name })}
          onClick={() => onDownload({ type: "file", ...file })}
        >
          <Icon name="download" />
          <span>{t("download")}</span>
        </button>
        <IconButton icon="close" label={t("preview.close")} onClick={() => onShow(null)} />
      </header>
      <div className="preview__stage">
        <RetryPreview.Provider value={retry}>
          <Content key={`${attempt} ${file.key}`} file={file} client={client} />
        </RetryPreview.Provider>
      </div>
      {children}
    </dialog>
  );
}

function Content({ file, client }: { file: FileEntry; client: StorageClient }) {
  const { t, formats } = useLanguage();
  const plan = planPreview(file.name, file.size);
  switch (plan.show) {
    case "image":
      return <ImagePreview file={file} client={client} />;
    case "pdf":
      return <PdfPreview file={file} client={client} />;
    case "text":
      return <TextPreview file={file} client={client} />;
    case "nothing": {
      const text =
        plan.because === "too-large"
          ? t("preview.tooLarge", { limit: formats.size(plan.limit) })
          : t("preview.none");
      return <PreviewNote name={file.name} text={text} />;
    }
    default:
      return plan satisfies never;
  }
}
