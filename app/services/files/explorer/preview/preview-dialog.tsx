import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import type { StorageClient } from "../../storage-client";
import type { FileEntry } from "../../storage-contract.server";
import { DetailsList } from "../details/details-list";
import { type Row, rowId } from "../folder/folder-state";
import { useLanguage } from "../language";
import { sideways } from "../reading-direction";
import { useModal } from "../use-modal";
import { PreviewContent } from "./preview-content";
import { PreviewHead } from "./preview-head";
import { RetryPreview } from "./preview-note";
import { useFullScreen } from "./use-full-screen";

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
  const { t } = useLanguage();
  const { dialog, modal } = useModal(() => onShow(null));
  const screen = useRef<HTMLDivElement>(null);
  const fullScreen = useFullScreen(screen);
  const [details, setDetails] = useState(false);
  const index = files.findIndex((row) => rowId(row) === file.key);
  const previous = files[index - 1];
  const next = files[index + 1];

  const [attempt, setAttempt] = useState(1);
  const retry = () => {
    // The button goes away, and with it the focus and the arrow keys.
    dialog.current?.focus();
    setAttempt(attempt + 1);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // They have uses of their own for these keys.
    if (event.target instanceof Element && event.target.closest("select, video, audio")) return;
    const { up, down } = sideways();
    const target = event.key === down ? next : event.key === up ? previous : undefined;
    if (target) onShow(rowId(target));
    else if (event.key === "i") setDetails(!details);
    else if (event.key === "f") fullScreen.toggle();
    else return;
    event.preventDefault();
  };

  return (
    <dialog
      {...modal}
      className={`modal preview${fullScreen.fills ? " preview--full" : ""}`}
      tabIndex={-1}
      aria-label={file.name}
      onKeyDown={onKeyDown}
    >
      <div ref={screen} className="preview__screen">
        <PreviewHead
          file={file}
          position={{ index, total: files.length }}
          details={{ open: details, toggle: () => setDetails(!details) }}
          fullScreen={fullScreen}
          onPrevious={previous && (() => onShow(rowId(previous)))}
          onNext={next && (() => onShow(rowId(next)))}
          onDownload={() => onDownload({ type: "file", ...file })}
          onClose={() => onShow(null)}
        />
        <div className="preview__body">
          <div className="preview__stage">
            <RetryPreview.Provider value={retry}>
              <PreviewContent key={`${attempt} ${file.key}`} file={file} client={client} />
            </RetryPreview.Provider>
          </div>
          {details && (
            <aside className="preview__details" aria-label={t("look.details")}>
              <DetailsList row={{ type: "file", ...file }} />
            </aside>
          )}
        </div>
        {children}
      </div>
    </dialog>
  );
}
