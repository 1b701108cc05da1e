import {
  type FilesClient,
  folderOf,
  now,
  type RecentFile,
  type RecentFiles,
  type Row,
  relativePath,
  rowId,
} from "platform-embed-element/client";
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { IconButton } from "../../../embed/components/icons";
import { State } from "../../../embed/components/state";
import { FileIcon } from "../browse/file-icon";
import { fileKind } from "../browse/file-kind";
import type { Navigation } from "../browse/folder/use-navigation";
import type { Thumbnails } from "../browse/pictures/thumbnails";
import { useThumbnail } from "../browse/pictures/use-thumbnails";
import { Failure } from "../details/failure";
import { PreviewWithDetails } from "../details/preview-with-details";
import type { Details } from "../details/use-details";
import type { Downloads } from "../downloads/use-downloads";
import { useLoaded } from "../preview/use-loaded";
import { useModal } from "../screen/dialog";
import { FileName } from "../screen/file-name";
import { useFolderName } from "../screen/folder-name";
import { useLanguage, useVisibleName } from "../screen/language";
import { problemText } from "../screen/problem-details";
import { VisitorName } from "../screen/visitor-name";

interface RecentDialogProps {
  client: FilesClient;
  /** the highest folder that may be browsed */
  rootPath: string;
  navigation: Pick<Navigation, "open">;
  downloads: Pick<Downloads, "allowed" | "start">;
  details: Pick<Details, "activity" | "versions">;
  thumbnails: Thumbnails | null;
  onClose(): void;
  /** a notice, shown inside of the dialog that is open */
  children: ReactNode;
}

/** The list is loaded again when this long nothing more was uploaded. */
const UPLOADS_PAUSE_MS = 1_000;

/** The files that were added last, in any folder: each can be looked at, downloaded, and shown in its folder. */
export function RecentDialog({ client, rootPath, children, ...props }: RecentDialogProps) {
  const { navigation, downloads, details, thumbnails, onClose } = props;
  const { t } = useLanguage();
  const { modal } = useModal(onClose);
  const title = useRef<HTMLHeadingElement>(null);
  const [attempt, setAttempt] = useState(1);
  /** stays while it is loaded again */
  const [shown, setShown] = useState<RecentFiles | null>(null);
  const recent = useLoaded(async (signal) => setShown(await client.recent(signal)), [client, attempt]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const stop = client.on("uploaded", () => {
      clearTimeout(timer);
      timer = setTimeout(() => setAttempt((last) => last + 1), UPLOADS_PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [client]);
  const [previewed, setPreviewed] = useState<RecentFile | null>(null);
  const files = shown?.files ?? [];
  const list = useRef<HTMLUListElement>(null);
  /** index of the file that has just been looked at */
  const lastViewed = useRef(-1);
  // The preview has returned the focus to the file that was opened. The person goes on at the one that they have looked at last.
  useLayoutEffect(() => {
    if (previewed !== null || lastViewed.current === -1) return;
    list.current?.children[lastViewed.current]?.querySelector("button")?.focus();
    lastViewed.current = -1;
  }, [previewed]);
  return (
    <>
      <dialog
        {...modal}
        className="modal recent"
        aria-labelledby="recent-title"
        aria-busy={recent.state === "loading"}
      >
        <header className="details-head">
          <h2 ref={title} id="recent-title" tabIndex={-1}>
            {t("recent.title")}
          </h2>
          <IconButton icon="close" label={t("preview.close")} onClick={onClose} />
        </header>
        {recent.state === "failed" && (
          <div className="recent__note">
            <Failure
              text={problemText(t, recent.problem)}
              retry={t("retry")}
              onRetry={() => {
                // The button disappears.
                title.current?.focus();
                setAttempt(attempt + 1);
              }}
            />
          </div>
        )}
        {files.length > 0 && (
          <ul ref={list} className="recent__files">
            {files.map((file) => (
              <RecentRow
                key={file.key}
                file={file}
                rootPath={rootPath}
                thumbnails={thumbnails}
                onOpen={downloads.allowed ? () => setPreviewed(file) : null}
                onDownload={(row) => downloads.start([row])}
                onFolder={(row) => {
                  onClose();
                  navigation.open(folderOf(row), rowId(row), now);
                }}
              />
            ))}
          </ul>
        )}
        <div role="status">{recent.state !== "failed" && <RecentStatus shown={shown} />}</div>
        {previewed === null && children}
      </dialog>
      {previewed && (
        <PreviewWithDetails
          file={previewed}
          files={files}
          client={client}
          rootPath={rootPath}
          sections={details}
          onShow={(next) => {
            if (next === null) lastViewed.current = files.findIndex(({ key }) => key === previewed.key);
            setPreviewed(files.find(({ key }) => key === next?.key) ?? null);
          }}
          onDownload={(row) => downloads.start([row])}
        >
          {children}
        </PreviewWithDetails>
      )}
    </>
  );
}

/** What is to be said of the list: in one element, so that screen readers tell how it changes. */
function RecentStatus({ shown }: { shown: RecentFiles | null }) {
  const { t } = useLanguage();
  if (shown === null) return <p className="recent__note">{t("loading")}</p>;
  const { files, complete } = shown;
  if (!complete) return <p className="recent__note">{t("recent.incomplete")}</p>;
  if (files.length > 0) return <p className="visually-hidden">{t("items", { count: files.length })}</p>;
  return <State icon="filePlus" title={t("recent.empty.title")} text={t("recent.empty.text")} />;
}

/** A file as a row of the explorer's list. */
const rowOf = ({ addedAt: _, visitor: __, ...file }: RecentFile): Row => ({ type: "file", ...file });

interface RecentRowProps {
  file: RecentFile;
  rootPath: string;
  thumbnails: Thumbnails | null;
  /** null if files may not be downloaded */
  onOpen: (() => void) | null;
  onDownload(row: Row): void;
  onFolder(row: Row): void;
}

function RecentRow({ file, rootPath, thumbnails, onOpen, onDownload, onFolder }: RecentRowProps) {
  const { t, formats } = useLanguage();
  const visibleName = useVisibleName();
  const folderName = useFolderName();
  const element = useRef<HTMLLIElement>(null);
  const row = useMemo(() => rowOf(file), [file]);
  const picture = useThumbnail(element, row, thumbnails);
  const { name, addedAt, visitor } = file;
  const folder = folderOf(row);
  const names =
    folder === rootPath
      ? [folderName(rootPath)]
      : relativePath(folder, rootPath).split("/").filter(Boolean).map(visibleName);
  return (
    <li ref={element} className="recent__file">
      {picture ? (
        <img className="row__thumbnail" src={picture} alt="" decoding="sync" draggable={false} />
      ) : (
        <FileIcon kind={fileKind(name)} />
      )}
      <div className="recent__words">
        {onOpen ? (
          <button type="button" className="recent__name" title={visibleName(name)} onClick={onOpen}>
            <FileName name={name} />
          </button>
        ) : (
          <FileName className="recent__name" name={name} title={visibleName(name)} />
        )}
        <p className="recent__facts">
          {visitor && (
            <>
              <VisitorName visitor={visitor} />
              {" · "}
            </>
          )}
          <time dateTime={addedAt}>{formats.dateAndTime(addedAt)}</time>
        </p>
      </div>
      <button
        type="button"
        className="recent__folder"
        dir="auto"
        title={names.join("/")}
        aria-label={t("search.openFolder", { folder: names.join("/") })}
        onClick={() => onFolder(row)}
      >
        {names.join(" / ")}
      </button>
      {onOpen && (
        <IconButton
          icon="download"
          label={t("downloadFile", { name })}
          title={t("download")}
          onClick={() => onDownload(row)}
        />
      )}
    </li>
  );
}
