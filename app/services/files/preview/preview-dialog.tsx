import type { FilesClient, Row } from "platform-embed-element/client";
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from "react";
import { Icon, IconButton } from "../../../embed/components/icons";
import { contentId, versionOf } from "../place/content-of";
import type { FileEntry } from "../place/contract/storage-contract.server";
import { isRightToLeft, sideways, useLanguage } from "../screen/language";
import { Menu, type MenuEntry, type Point, pointBelow } from "../screen/menu";
import { ArchivePreview } from "./archive/archive-preview";
import { HeicPreview } from "./heic-preview";
import { ImagePreview } from "./image-preview";
import { MediaPreview } from "./media-preview";
import { DocumentPreview } from "./office/document-preview";
import { SheetPreview } from "./office/sheet-preview";
import { PdfPreview } from "./pdf-preview";
import { DownloadNote, PreviewModal, PreviewNote, PreviewOfFormat, PreviewStage } from "./preview-elements";
import { type PreviewPlan, planContent, planPreview } from "./preview-plan";
import { TextPreview } from "./text/text-preview";
import { UnknownPreview } from "./unknown-preview";
import { useSwipe } from "./use-swipe";

export interface PreviewDialogProps {
  file: FileEntry;
  /** the files in the list, in its order; or the versions of one file, newest first */
  files: readonly FileEntry[];
  areVersions?: boolean;
  client: FilesClient;
  /** Renders the details of `file`, for the side of its preview. */
  renderDetails(file: FileEntry): ReactNode;
  /** shows another one of `files`, or with null closes the dialog */
  onShow(file: FileEntry | null): void;
  onDownload(row: Row): void;
  /** what else can be done with the file */
  actions?: MenuEntry[];
  /** shown above the preview */
  children: ReactNode;
}

/** Previews a file or a version of it, and leads to the previous and next one. */
export function PreviewDialog(props: PreviewDialogProps) {
  const {
    file,
    files,
    areVersions = false,
    client,
    renderDetails,
    onShow,
    onDownload,
    actions = [],
    children,
  } = props;
  const { t, formats } = useLanguage();
  const screen = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const fullScreen = useFullScreen(screen);
  const [hasDetails, setDetails] = useState(false);
  const [menuAt, setMenuAt] = useState<Point | null>(null);
  const closeMenu = useCallback(() => setMenuAt(null), []);
  const id = contentId(file);
  const index = files.findIndex((one) => contentId(one) === id);
  const previous = files[index - 1];
  const next = files[index + 1];
  const toggleDetails = () => setDetails(!hasDetails);
  const download = () => onDownload({ type: "file", ...file });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { up, down } = sideways();
    const target = event.key === down ? next : event.key === up ? previous : undefined;
    // These elements use the keys themselves. In an empty field, as for a password, arrows do nothing else.
    const isUsed =
      event.target instanceof Element && event.target.closest("select, input, video, audio, [role=menu]");
    const isEmptyField = event.target instanceof HTMLInputElement && event.target.value === "";
    if (isUsed && !(isEmptyField && target)) return;
    if (target) onShow(target);
    else if (event.key === "i") toggleDetails();
    else if (event.key === "f" && fullScreen) fullScreen.toggle();
    else return;
    event.preventDefault();
  };
  useSwipe(body, (direction) => {
    const forward = isRightToLeft() ? "right" : "left";
    const target = direction === forward ? next : previous;
    if (target) onShow(target);
  });
  const when = formats.dateAndTime(file.lastModified);
  // A date alone would be taken for that of the current content.
  const since = file.versionId === undefined ? when : t("versions.asOf", { when });
  const enlarge = t(fullScreen?.isOn ? "look.leaveFullScreen" : "look.fullScreen");
  const buttons = (
    <>
      <div className="preview__steps">
        {/* Not `disabled`: the button would lose the focus at either end. */}
        <IconButton
          icon="chevron"
          className="preview__previous"
          aria-disabled={!previous}
          label={t(areVersions ? "versions.newer" : "preview.previous")}
          onClick={() => previous && onShow(previous)}
        />
        <span>{t("preview.position", { index: index + 1, total: files.length })}</span>
        <IconButton
          icon="chevron"
          aria-disabled={!next}
          label={t(areVersions ? "versions.previous" : "preview.next")}
          onClick={() => next && onShow(next)}
        />
      </div>
      <IconButton
        icon="info"
        className="preview__info"
        label={t("look.details")}
        aria-pressed={hasDetails}
        onClick={toggleDetails}
      />
      {fullScreen && (
        <button
          type="button"
          className="button preview__expand"
          aria-label={enlarge}
          title={enlarge}
          onClick={fullScreen.toggle}
        >
          <Icon name={fullScreen.isOn ? "shrink" : "expand"} />
          <span>{enlarge}</span>
        </button>
      )}
      <button
        type="button"
        className="button preview__download"
        aria-label={t("downloadFile", { name: file.name })}
        onClick={download}
      >
        <Icon name="download" />
        <span>{t("download")}</span>
      </button>
      {actions.length > 0 && (
        <IconButton
          icon="more"
          className="preview__more"
          aria-haspopup="menu"
          label={t("changes.moreFor", { name: file.name })}
          onClick={({ currentTarget }) => setMenuAt(pointBelow(currentTarget))}
        />
      )}
      {menuAt && (
        <Menu
          label={t("changes.menuOf", { count: 1, name: file.name })}
          entries={actions}
          at={menuAt}
          onClose={closeMenu}
        />
      )}
    </>
  );
  return (
    <PreviewModal
      name={file.name}
      about={`${formats.size(file.size)} · ${since}`}
      buttons={buttons}
      screen={screen}
      onKeyDown={onKeyDown}
      onClose={() => onShow(null)}
    >
      <div ref={body} className="preview__body">
        <PreviewStage key={id} client={client} contents={[file]} onDownload={download}>
          {/* A content that was replaced is shown anew: nothing of the one before is true of it. */}
          <PreviewContent key={versionOf(file)} file={file} client={client} />
        </PreviewStage>
        {hasDetails && (
          <aside className="preview__details" aria-label={t("look.details")}>
            {renderDetails(file)}
          </aside>
        )}
      </div>
      {children}
    </PreviewModal>
  );
}

interface PreviewContentProps {
  file: FileEntry;
  client: FilesClient;
}

/** The preview for the kind of file that its name says, or for the format that its content has. */
function PreviewContent({ file, client }: PreviewContentProps) {
  const previewOf = (format: string) => {
    const plan = planContent(format, file);
    return (
      plan && (
        // What is not even readable as its own format is shown as nothing else.
        <PreviewOfFormat.Provider value={() => null}>
          <PlannedPreview file={file} client={client} plan={plan} />
        </PreviewOfFormat.Provider>
      )
    );
  };
  return (
    <PreviewOfFormat.Provider value={previewOf}>
      <PlannedPreview file={file} client={client} plan={planPreview(file.name, file.size)} />
    </PreviewOfFormat.Provider>
  );
}

function PlannedPreview({ file, client, plan }: PreviewContentProps & { plan: PreviewPlan }) {
  const { t, formats } = useLanguage();
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
      return <DocumentPreview file={file} client={client} />;
    case "sheet":
      return <SheetPreview file={file} form={plan.form} client={client} />;
    case "heic":
      return <HeicPreview file={file} client={client} />;
    case "archive":
      return <ArchivePreview file={file} client={client} />;
    case "empty":
      return <PreviewNote name={file.name} text={t("look.empty")} />;
    case "too-large": {
      const text = t("preview.tooLarge", { limit: formats.size(plan.limit) });
      return <DownloadNote name={file.name} text={text} />;
    }
    case "unknown":
      return <UnknownPreview file={file} client={client} />;
    default:
      return plan satisfies never;
  }
}

/**
 * Shows the preview on the whole screen; null where the embedding page or the browser does not allow it.
 * @param screen the element to enlarge; browsers do not accept a modal dialog
 */
function useFullScreen(screen: RefObject<HTMLElement>): { isOn: boolean; toggle(): void } | null {
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
