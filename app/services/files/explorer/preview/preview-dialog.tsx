import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Icon, IconButton } from "../../../../embed/components/icons";
import type { Formats } from "../../../../locales/format";
import type { StorageClient } from "../../storage-client";
import type { FileEntry } from "../../storage-contract.server";
import { contentId } from "../content-of";
import { DetailsList } from "../details/details-list";
import type { Details } from "../details/use-details";
import { useModal } from "../dialog";
import { FileIcon } from "../file-icon";
import { fileKind } from "../file-kind";
import type { Row } from "../folder/folder-state";
import { sideways, type Translate, useLanguage } from "../language";
import { ImagePreview } from "./image-preview";
import { lazyViewer } from "./lazy-viewer";
import { MediaPreview } from "./media-preview";
import { PdfPreview } from "./pdf-preview";
import { DownloadNote, PreviewNote, RetryPreview } from "./preview-elements";
import { planPreview } from "./preview-plan";
import { TextPreview } from "./text/text-preview";
import { untilChecked } from "./when-checked";

const DocumentPreview = lazyViewer(() => import("./office/document-preview"));
const SheetPreview = lazyViewer(() => import("./office/sheet-preview"));
const HeicPreview = lazyViewer(() => import("./heic/heic-preview"));

interface PreviewDialogProps {
  file: FileEntry;
  /** the files in the list, in its order; or the versions of one file, newest first */
  files: readonly FileEntry[];
  areVersions?: boolean;
  client: StorageClient;
  rootPath: string;
  sections: Pick<Details, "activity" | "versions">;
  /** shows another one of `files`, or with null closes the dialog */
  onShow(file: FileEntry | null): void;
  onDownload(row: Row): void;
  /** shown above the preview */
  children: ReactNode;
}

/** Previews a file or a version of it, and leads to the previous and next one. */
export default function PreviewDialog({
  file,
  files,
  areVersions = false,
  client,
  rootPath,
  sections,
  onShow,
  onDownload,
  children,
}: PreviewDialogProps) {
  const { t } = useLanguage();
  const { dialog, modal } = useModal(() => onShow(null));
  const screen = useRef<HTMLDivElement>(null);
  const fullScreen = useFullScreen(screen);
  const [details, setDetails] = useState(false);
  // Not its first button, which the browser would choose.
  useLayoutEffect(() => dialog.current?.focus(), [dialog]);
  const id = contentId(file);
  const index = files.findIndex((one) => contentId(one) === id);
  const previous = files[index - 1];
  const next = files[index + 1];

  const download = () => onDownload({ type: "file", ...file });
  const [retried, setRetried] = useState({ id, attempt: 1 });
  // Another file has not failed yet.
  const attempt = retried.id === id ? retried.attempt : 1;
  const retry = () => setRetried({ id, attempt: attempt + 1 });
  // No dependencies: any rendering may remove the button that has the focus. Keep the focus in the dialog, for its keys.
  useLayoutEffect(() => {
    if (!dialog.current?.contains(document.activeElement)) dialog.current?.focus();
  });

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // These elements use the keys themselves.
    if (event.target instanceof Element && event.target.closest("select, video, audio")) return;
    const { up, down } = sideways();
    const target = event.key === down ? next : event.key === up ? previous : undefined;
    if (target) onShow(target);
    else if (event.key === "i") setDetails(!details);
    else if (event.key === "f" && fullScreen) fullScreen.toggle();
    else return;
    event.preventDefault();
  };

  return (
    <dialog {...modal} className="modal preview" tabIndex={-1} aria-label={file.name} onKeyDown={onKeyDown}>
      <div ref={screen} className="preview__screen">
        <PreviewHead
          file={file}
          position={{ index, total: files.length }}
          areVersions={areVersions}
          details={{ open: details, toggle: () => setDetails(!details) }}
          fullScreen={fullScreen}
          onPrevious={previous && (() => onShow(previous))}
          onNext={next && (() => onShow(next))}
          onDownload={download}
          onClose={() => onShow(null)}
        />
        <div className="preview__body">
          <div className="preview__stage">
            <RetryPreview.Provider
              value={{
                attempt,
                retry,
                untilChecked: (signal) => untilChecked(client, file, signal),
              }}
            >
              <PreviewContent key={`${attempt} ${id}`} file={file} client={client} onDownload={download} />
            </RetryPreview.Provider>
          </div>
          {details && (
            <aside className="preview__details" aria-label={t("look.details")}>
              <DetailsList row={{ type: "file", ...file }} rootPath={rootPath} sections={sections} />
            </aside>
          )}
        </div>
        {children}
      </div>
    </dialog>
  );
}

interface PreviewHeadProps {
  file: FileEntry;
  /** among the files of the list or the versions, from 0 */
  position: { index: number; total: number };
  areVersions: boolean;
  details: { open: boolean; toggle(): void };
  fullScreen: FullScreen | null;
  /** undefined at the first file, and at the last */
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  onDownload(): void;
  onClose(): void;
}

function PreviewHead({ file, position, areVersions, details, fullScreen, ...on }: PreviewHeadProps) {
  const { t, formats } = useLanguage();
  return (
    <header className="preview__head">
      <FileIcon kind={fileKind(file.name)} />
      <div className="preview__title">
        <h2 title={file.name}>
          <bdi>{file.name}</bdi>
        </h2>
        <p>
          {formats.size(file.size)} · {whenOf(file, t, formats)}
        </p>
      </div>
      <div className="preview__steps">
        {/* Not `disabled`: the button would lose the focus at either end. */}
        <IconButton
          icon="chevron"
          className="preview__previous"
          aria-disabled={!on.onPrevious}
          label={t(areVersions ? "versions.newer" : "preview.previous")}
          onClick={() => on.onPrevious?.()}
        />
        <span>{t("preview.position", { index: position.index + 1, total: position.total })}</span>
        <IconButton
          icon="chevron"
          aria-disabled={!on.onNext}
          label={t(areVersions ? "versions.previous" : "preview.next")}
          onClick={() => on.onNext?.()}
        />
      </div>
      <IconButton
        icon="info"
        className="preview__info"
        label={t("look.details")}
        aria-pressed={details.open}
        onClick={details.toggle}
      />
      {fullScreen && (
        <button
          type="button"
          className="button preview__expand"
          aria-label={t(fullScreen.isOn ? "look.leaveFullScreen" : "look.fullScreen")}
          title={t(fullScreen.isOn ? "look.leaveFullScreen" : "look.fullScreen")}
          onClick={fullScreen.toggle}
        >
          <Icon name={fullScreen.isOn ? "shrink" : "expand"} />
          <span>{t(fullScreen.isOn ? "look.leaveFullScreen" : "look.fullScreen")}</span>
        </button>
      )}
      <button
        type="button"
        className="button preview__download"
        aria-label={t("downloadFile", { name: file.name })}
        onClick={on.onDownload}
      >
        <Icon name="download" />
        <span>{t("download")}</span>
      </button>
      <IconButton icon="close" className="preview__close" label={t("preview.close")} onClick={on.onClose} />
    </header>
  );
}

/** A date alone would be taken for that of the current content. */
function whenOf({ versionId, lastModified }: FileEntry, t: Translate, formats: Formats): string {
  const when = formats.dateTime(lastModified);
  return versionId === undefined ? when : t("versions.asOf", { when });
}

/** The preview for the kind of file, or why there is none. */
function PreviewContent({
  file,
  client,
  onDownload,
}: Pick<PreviewHeadProps, "file" | "onDownload"> & Pick<PreviewDialogProps, "client">) {
  const { t, formats } = useLanguage();
  const plan = planPreview(file.name, file.size);
  switch (plan.show) {
    case "image":
      return <ImagePreview file={file} client={client} />;
    case "pdf":
      return <PdfPreview file={file} client={client} />;
    case "video":
    case "audio":
      return <MediaPreview file={file} kind={plan.show} client={client} />;
    case "text":
      return <TextPreview file={file} form={plan.form} client={client} />;
    case "document":
      return <DocumentPreview file={file} client={client} onDownload={onDownload} />;
    case "sheet":
      return <SheetPreview file={file} form={plan.form} client={client} onDownload={onDownload} />;
    case "heic":
      return <HeicPreview file={file} client={client} onDownload={onDownload} />;
    case "empty":
      return <PreviewNote name={file.name} text={t("look.empty")} />;
    case "too-large": {
      const text = t("preview.tooLarge", { limit: formats.size(plan.limit) });
      return <DownloadNote name={file.name} text={text} onDownload={onDownload} />;
    }
    case "nothing":
      return <DownloadNote name={file.name} text={t("preview.none")} onDownload={onDownload} />;
    default:
      return plan satisfies never;
  }
}

interface FullScreen {
  isOn: boolean;
  toggle(): void;
}

/**
 * Shows the preview on the whole screen; null where the embedding page or the browser does not allow it.
 * @param screen the element to enlarge; browsers do not accept a modal dialog
 */
function useFullScreen(screen: RefObject<HTMLElement>): FullScreen | null {
  const [isOn, setOn] = useState(false);
  useEffect(() => {
    // The browser can leave full screen by itself: by Escape or a gesture.
    const onChange = () => setOn(document.fullscreenElement !== null);
    document.addEventListener("fullscreenchange", onChange);
    return () => {
      document.removeEventListener("fullscreenchange", onChange);
      if (document.fullscreenElement) void document.exitFullscreen();
    };
  }, []);
  if (!document.fullscreenEnabled) return null;
  const toggle = () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void screen.current?.requestFullscreen().catch(() => {});
  };
  return { isOn, toggle };
}
