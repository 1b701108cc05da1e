import { type Row, rowId } from "../browse/folder/folder-state";
import { ViewedVersionsDialog } from "../details/viewed-versions-dialog";
import { useLanguage } from "../screen/language";
import { lazyPanel } from "../screen/lazy-panel";
import { NoticeBox } from "../screen/notice";
import type { ExplorerState } from "./use-explorer";

const LazyDetailsDialog = lazyPanel(() => import("../details/details-dialog"));
const LazyPreviewDialog = lazyPanel(() => import("../preview/preview-dialog"));

interface OverlaysProps {
  explorer: Pick<
    ExplorerState,
    | "props"
    | "frame"
    | "client"
    | "list"
    | "showRows"
    | "navigation"
    | "uploads"
    | "downloads"
    | "details"
    | "thumbnails"
    | "previewed"
    | "setPreviewed"
    | "notice"
    | "setNotice"
    | "announcement"
  >;
}

/** What lies above the list: notices, the drop zone, the preview, details, and announcements for screen readers. */
export function Overlays({ explorer }: OverlaysProps) {
  const { client, list, showRows, navigation, uploads, downloads, details } = explorer;
  const { previewed, setPreviewed, notice, setNotice } = explorer;
  const session = explorer.frame.state;
  const { rootPath, uploadFolder } = explorer.props;
  const { t } = useLanguage();
  const previewRow = list.loaded.find((row) => rowId(row) === previewed);
  // It is shown inside of a dialog that covers everything else and keeps the focus.
  const isInDialog = notice?.about === "download" && (previewRow?.type === "file" || details.viewed !== null);
  const noticeBox = notice && <NoticeBox notice={notice} onDismiss={() => setNotice(null)} />;
  return (
    <>
      {session.expired && session.status === "renewing" && <p className="renewing">{t("renewing")}</p>}
      {!isInDialog && noticeBox}
      {uploads.filesOver && (
        <div className={`drop${uploads.allowed ? "" : " drop--refused"}`}>
          <p>
            {uploads.refusal === null && t("dropHere", { folder: navigation.name })}
            {uploads.refusal === "elsewhere" && t("noDropHere", { folder: uploadFolder ?? "" })}
            {uploads.refusal === "past" && t("past.noDrop")}
            {uploads.refusal === "oddName" && t("oddName")}
          </p>
        </div>
      )}
      {previewRow?.type === "file" && (
        <LazyPreviewDialog
          file={previewRow}
          files={list.rows.filter((row) => row.type === "file")}
          client={client}
          rootPath={rootPath}
          sections={details}
          onShow={(file) => {
            setPreviewed(file === null ? null : file.key);
            if (file !== null) return;
            // The person goes on at the file that they have looked at last.
            const last = rowId(previewRow);
            showRows.show([last], { force: true, selects: !list.selection.ids.has(last) });
          }}
          onDownload={(row) => downloads.start([row])}
          onGiveUp={() => setPreviewed(null)}
        >
          {isInDialog && !details.viewed && noticeBox}
        </LazyPreviewDialog>
      )}
      {details.hasDialog && details.requested && (
        <LazyDetailsDialog
          row={loadedRow(details.requested.row, list.loaded)}
          rootPath={rootPath}
          thumbnails={explorer.thumbnails}
          sections={details}
          onClose={details.close}
          onGiveUp={details.close}
        />
      )}
      {details.viewed && (
        <ViewedVersionsDialog
          viewed={details.viewed}
          setViewed={details.setViewed}
          client={client}
          rootPath={rootPath}
          onDownload={(row) => downloads.start([row])}
        >
          {isInDialog && noticeBox}
        </ViewedVersionsDialog>
      )}
      <p className="visually-hidden" role="status" aria-live="polite">
        {explorer.announcement}
      </p>
    </>
  );
}

/** The row with what has changed since it was asked for, unless it is gone. */
function loadedRow(row: Row, loaded: readonly Row[]): Row {
  return loaded.find((one) => rowId(one) === rowId(row)) ?? row;
}
