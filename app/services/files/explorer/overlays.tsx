import { type FilesClient, type Row, rowId } from "platform-embed-element/client";
import type { SessionState } from "../../../embed/frame/token-session";
import type { List } from "../browse/folder/use-list";
import type { Navigation } from "../browse/folder/use-navigation";
import type { ShowRows } from "../browse/folder/use-show-rows";
import type { Thumbnails } from "../browse/pictures/thumbnails";
import type { ChangeCommands } from "../changes/use-change-commands";
import type { Details } from "../details/use-details";
import type { Downloads } from "../downloads/use-downloads";
import { useFolderName } from "../screen/folder-name";
import { useLanguage } from "../screen/language";
import { type Notice, NoticeBox, type SetNotice } from "../screen/notice";
import type { UploadsInFolder } from "../uploads/use-uploads";
import { changeEntries } from "./change-entries";
import { lazyPanel } from "./lazy-panel";

const LazyDetailsDialog = lazyPanel(({ DetailsDialog }) => DetailsDialog);
const LazyPreview = lazyPanel(({ PreviewWithDetails }) => PreviewWithDetails);
const LazyViewedVersionsDialog = lazyPanel(({ ViewedVersionsDialog }) => ViewedVersionsDialog);

interface OverlaysProps {
  session: SessionState;
  client: FilesClient;
  rootPath: string;
  uploadFolder: string | null;
  list: Pick<List, "rows" | "loaded" | "selection">;
  showRows: Pick<ShowRows, "show">;
  navigation: Pick<Navigation, "name">;
  uploads: Pick<UploadsInFolder, "allowed" | "refusal" | "filesOver" | "filesInto">;
  downloads: Pick<Downloads, "start">;
  changes: Pick<ChangeCommands, "may" | "dispatch">;
  details: Details;
  thumbnails: Thumbnails | null;
  /** the id of the file in the preview */
  previewed: string | null;
  setPreviewed(id: string | null): void;
  notice: Notice | null;
  setNotice: SetNotice;
  /** the latest one for screen readers */
  announcement: string;
}

/** What lies above the list: notices, the drop zone, the preview, details, and announcements for screen readers. */
export function Overlays(props: OverlaysProps) {
  const { session, client, rootPath, uploadFolder, list, showRows, navigation, uploads, downloads } = props;
  const { details, previewed, setPreviewed, notice, setNotice } = props;
  const { t } = useLanguage();
  const previewRow = list.loaded.find((row) => rowId(row) === previewed);
  // It is shown inside of a dialog that covers everything else and keeps the focus.
  const isInDialog = notice?.about === "download" && (previewRow?.type === "file" || details.viewed !== null);
  const noticeBox = notice && <NoticeBox notice={notice} onDismiss={() => setNotice(null)} />;
  /** The person goes on at the file that they have looked at last. @param then called when its row is on the screen */
  const closePreview = (then?: () => void) => {
    setPreviewed(null);
    // A selection that follows the focus goes with it. Nothing else is selected by being looked at.
    const { followsFocus, ids } = list.selection;
    const selects = followsFocus && previewRow !== undefined && !ids.has(rowId(previewRow));
    if (previewRow) showRows.show([rowId(previewRow)], { force: true, selects, then });
  };
  return (
    <>
      {session.expired && session.status === "renewing" && <p className="renewing">{t("renewing")}</p>}
      {!isInDialog && noticeBox}
      {uploads.filesOver && (
        <DropZone uploads={uploads} folder={navigation.name} uploadFolder={uploadFolder} />
      )}
      {previewRow?.type === "file" && (
        <LazyPreview
          file={previewRow}
          files={list.rows.filter((row) => row.type === "file")}
          client={client}
          rootPath={rootPath}
          sections={details}
          onShow={(file) => (file === null ? closePreview() : setPreviewed(file.key))}
          actions={changeEntries(t, props.changes, [previewRow], closePreview)}
          onDownload={(row) => downloads.start([row])}
          onGiveUp={() => setPreviewed(null)}
        >
          {isInDialog && !details.viewed && noticeBox}
        </LazyPreview>
      )}
      {details.hasDialog && details.requested && (
        <LazyDetailsDialog
          row={loadedRow(details.requested.row, list.loaded)}
          rootPath={rootPath}
          thumbnails={props.thumbnails}
          sections={details}
          onClose={details.close}
          onGiveUp={details.close}
        />
      )}
      {details.viewed && (
        <LazyViewedVersionsDialog
          viewed={details.viewed}
          setViewed={details.setViewed}
          client={client}
          rootPath={rootPath}
          onDownload={(row) => downloads.start([row])}
          onGiveUp={() => details.setViewed(null)}
        >
          {isInDialog && noticeBox}
        </LazyViewedVersionsDialog>
      )}
      <p className="visually-hidden" role="status" aria-live="polite">
        {props.announcement}
      </p>
    </>
  );
}

interface DropZoneProps extends Pick<OverlaysProps, "uploadFolder"> {
  uploads: Pick<UploadsInFolder, "refusal" | "filesInto">;
  /** the name of the open folder */
  folder: string;
}

/** Says where the files would go that are being dragged over the explorer. */
function DropZone({ uploads: { refusal, filesInto }, folder, uploadFolder }: DropZoneProps) {
  const { t } = useLanguage();
  const folderName = useFolderName();
  if (filesInto !== null)
    return (
      <div className="drop drop--into" role="status">
        <p>{t("dropHere", { folder: folderName(filesInto) })}</p>
      </div>
    );
  return (
    <div className={`drop${refusal === null ? "" : " drop--refused"}`} role="status">
      <p>
        {refusal === null && t("dropHere", { folder })}
        {refusal === "elsewhere" && t("noDropHere", { folder: uploadFolder ?? "" })}
        {refusal === "past" && t("past.noDrop")}
        {refusal === "oddName" && t("oddName")}
      </p>
    </div>
  );
}

/** The row with what has changed since it was asked for, unless it is gone. */
function loadedRow(row: Row, loaded: readonly Row[]): Row {
  return loaded.find((one) => rowId(one) === rowId(row)) ?? row;
}
