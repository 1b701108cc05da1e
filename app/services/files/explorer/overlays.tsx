import type { SessionState } from "../../../embed/frame/token-session";
import type { StorageClient } from "../storage-client";
import type { Details } from "./details/use-details";
import { ViewedVersionsDialog } from "./details/viewed-versions-dialog";
import type { Downloads } from "./downloads/use-downloads";
import { type Row, rowId } from "./folder/folder-state";
import type { List } from "./folder/use-list";
import type { Navigation } from "./folder/use-navigation";
import type { Thumbnails } from "./grid/thumbnails";
import { useLanguage } from "./language";
import { lazyPanel } from "./lazy-panel";
import { ProblemDetails, problemText } from "./problem-details";
import type { Uploads } from "./uploads/use-uploads";
import type { ShowRows } from "./use-show-rows";

const LazyDetailsDialog = lazyPanel(() => import("./details/details-dialog"));
const LazyPreviewDialog = lazyPanel(() => import("./preview/preview-dialog"));

interface OverlaysProps {
  client: StorageClient;
  session: SessionState;
  list: Pick<List, "loaded" | "rows" | "selection">;
  navigation: Pick<Navigation, "name" | "notice" | "dismissNotice">;
  uploads: Pick<Uploads, "allowed" | "refusal" | "folder" | "filesOver" | "notice" | "dismissNotice">;
  downloads: Pick<Downloads, "start" | "notice" | "dismissNotice" | "stopWaiting">;
  /** the id of the file in the preview; null for none */
  previewed: string | null;
  onPreview(id: string | null): void;
  showRows: ShowRows;
  details: Pick<
    Details,
    "requested" | "hasDialog" | "close" | "activity" | "versions" | "viewed" | "setViewed"
  >;
  rootPath: string;
  thumbnails: Thumbnails | null;
  /** for screen readers */
  announcement: string;
}

/** What lies above the list: notices, the drop zone, the preview, details, and announcements for screen readers. */
export function Overlays(props: OverlaysProps) {
  const { client, session, list, navigation, uploads, downloads, details } = props;
  const { previewed, onPreview, showRows } = props;
  const { t } = useLanguage();
  const { notice } = downloads;
  const previewRow = list.loaded.find((row) => rowId(row) === previewed);
  // Shown inside the preview where one is open: it covers everything else and keeps the focus.
  const failedDownload = notice?.stop ? (
    <div className="notice" role="status">
      <p>{t("downloadWaiting", { name: notice.name })}</p>
      <button type="button" className="link-button" onClick={downloads.stopWaiting}>
        {t("changes.cancel")}
      </button>
    </div>
  ) : (
    notice !== null && (
      <div className="notice" role="alert">
        <p>
          {t("downloadFailed", { name: notice.name, why: problemText(t, notice.problem.code) })}
          <ProblemDetails problem={notice.problem} />
        </p>
        <button type="button" className="link-button" onClick={downloads.dismissNotice}>
          {t("dismiss")}
        </button>
      </div>
    )
  );
  return (
    <>
      {session.expired && session.status === "renewing" && <p className="renewing">{t("renewing")}</p>}
      {navigation.notice && (
        <div className="notice" role="alert">
          <p>{t(navigation.notice)}</p>
          <button type="button" className="link-button needs-script" onClick={navigation.dismissNotice}>
            {t("dismiss")}
          </button>
        </div>
      )}
      {uploads.notice && (
        <div className="notice" role="alert">
          <p>{t(`uploads.${uploads.notice}`)}</p>
          <button type="button" className="link-button" onClick={uploads.dismissNotice}>
            {t("dismiss")}
          </button>
        </div>
      )}
      {previewRow?.type !== "file" && !details.viewed && failedDownload}
      {uploads.filesOver && (
        <div className={`drop${uploads.allowed ? "" : " drop--refused"}`}>
          <p>
            {uploads.refusal === null && t("dropHere", { folder: navigation.name })}
            {uploads.refusal === "elsewhere" && t("noDropHere", { folder: uploads.folder ?? "" })}
            {uploads.refusal === "past" && t("past.noDrop")}
          </p>
        </div>
      )}
      {previewRow?.type === "file" && (
        <LazyPreviewDialog
          file={previewRow}
          files={list.rows.filter((row) => row.type === "file")}
          client={client}
          rootPath={props.rootPath}
          sections={details}
          onShow={(file) => {
            onPreview(file === null ? null : file.key);
            if (file !== null) return;
            // The person goes on at the file that they have looked at last.
            const last = rowId(previewRow);
            showRows.show([last], { force: true, selects: !list.selection.ids.has(last) });
          }}
          onDownload={(row) => downloads.start([row])}
          onGiveUp={() => onPreview(null)}
        >
          {!details.viewed && failedDownload}
        </LazyPreviewDialog>
      )}
      {details.hasDialog && details.requested && (
        <LazyDetailsDialog
          row={asNow(details.requested.row, list.loaded)}
          rootPath={props.rootPath}
          thumbnails={props.thumbnails}
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
          rootPath={props.rootPath}
          onDownload={(row) => downloads.start([row])}
        >
          {failedDownload}
        </ViewedVersionsDialog>
      )}
      <p className="visually-hidden" role="status" aria-live="polite">
        {props.announcement}
      </p>
    </>
  );
}

/** The row with what has changed since it was asked for, unless it is gone. */
function asNow(row: Row, loaded: readonly Row[]): Row {
  return loaded.find((one) => rowId(one) === rowId(row)) ?? row;
}
