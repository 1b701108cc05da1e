import {
  type FilesClient,
  folderOf,
  nameOf,
  type RecentFile,
  type Row,
  relativePath,
  rowId,
} from "platform-embed-element/client";
import { type ReactNode, useRef, useState } from "react";
import { IconButton } from "../../../embed/components/icons";
import { visibleText } from "../../../locales/visible-text";
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
import { useLanguage, useVisibleName } from "../screen/language";
import { problemText } from "../screen/problem-details";

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

/** The files that were added last, in any folder: each can be looked at, downloaded, and shown in its folder. */
export function RecentDialog({ client, rootPath, children, ...props }: RecentDialogProps) {
  const { navigation, downloads, details, thumbnails, onClose } = props;
  const { t } = useLanguage();
  const { modal } = useModal(onClose);
  const [attempt, setAttempt] = useState(1);
  const recent = useLoaded((signal) => client.recent(signal), [client, attempt]);
  const [previewed, setPreviewed] = useState<RecentFile | null>(null);
  const files = recent.state === "ready" ? recent.value : [];
  return (
    <>
      <dialog
        {...modal}
        className="modal recent"
        aria-labelledby="recent-title"
        aria-busy={recent.state === "loading"}
      >
        <header className="details-head">
          <h2 id="recent-title">{t("recent.title")}</h2>
          <IconButton icon="close" label={t("preview.close")} onClick={onClose} />
        </header>
        {recent.state === "loading" && (
          <p className="recent__note" role="status">
            {t("loading")}
          </p>
        )}
        {recent.state === "failed" && (
          <div className="recent__note">
            <Failure
              text={problemText(t, recent.problem)}
              retry={t("retry")}
              onRetry={() => setAttempt(attempt + 1)}
            />
          </div>
        )}
        {recent.state === "ready" && files.length === 0 && (
          <div className="recent__note">
            <h3>{t("recent.empty.title")}</h3>
            <p>{t("recent.empty.text")}</p>
          </div>
        )}
        {files.length > 0 && (
          <ul className="recent__files">
            {files.map((file) => (
              <RecentRow
                key={file.key}
                file={file}
                rootPath={rootPath}
                thumbnails={thumbnails}
                onOpen={downloads.allowed ? () => setPreviewed(file) : null}
                onDownload={() => downloads.start([rowOf(file)])}
                onFolder={() => {
                  onClose();
                  navigation.open(folderOf(rowOf(file)), rowId(rowOf(file)));
                }}
              />
            ))}
          </ul>
        )}
        {previewed === null && children}
      </dialog>
      {previewed && (
        <PreviewWithDetails
          file={previewed}
          files={files}
          client={client}
          rootPath={rootPath}
          sections={details}
          onShow={(shown) => setPreviewed(files.find(({ key }) => key === shown?.key) ?? null)}
          onDownload={(row) => downloads.start([row])}
        >
          {children}
        </PreviewWithDetails>
      )}
    </>
  );
}

/** A file as a row of the explorer's list. */
const rowOf = ({ addedAt: _, visitor: __, ...file }: RecentFile): Row => ({ type: "file", ...file });

interface RecentRowProps {
  file: RecentFile;
  rootPath: string;
  thumbnails: Thumbnails | null;
  /** null if files may not be downloaded */
  onOpen: (() => void) | null;
  onDownload(): void;
  onFolder(): void;
}

function RecentRow({ file, rootPath, thumbnails, onOpen, onDownload, onFolder }: RecentRowProps) {
  const { t, formats } = useLanguage();
  const visibleName = useVisibleName();
  const element = useRef<HTMLLIElement>(null);
  const picture = useThumbnail(element, rowOf(file), thumbnails);
  const { name, addedAt, visitor } = file;
  const folder = folderOf(rowOf(file));
  const names = relativePath(folder, rootPath).split("/").filter(Boolean).map(visibleName);
  const where = folder === rootPath ? nameOf(rootPath) || t("root") : names.join(" / ");
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
              <bdi>{visibleText(visitor.name ?? visitor.id)}</bdi>
              {" · "}
            </>
          )}
          <time dateTime={addedAt}>{formats.dateAndTime(addedAt)}</time>
        </p>
      </div>
      <button
        type="button"
        className="recent__folder"
        title={t("search.openIts")}
        aria-label={t("search.openFolder", { folder: where })}
        onClick={onFolder}
      >
        <bdi>{where}</bdi>
      </button>
      {onOpen && (
        <IconButton
          icon="download"
          label={t("downloadFile", { name })}
          title={t("download")}
          onClick={onDownload}
        />
      )}
    </li>
  );
}
