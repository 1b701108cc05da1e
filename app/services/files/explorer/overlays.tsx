import { lazy, Suspense } from "react";
import { rowId } from "./folder/folder-state";
import { useLanguage } from "./language";
import { makePart } from "./part";
import { ProblemDetails, problemText } from "./problem-details";
import type { ExplorerState } from "./use-explorer";

const DetailsDialog = makePart(() => import("./details/details-dialog"));
const PreviewDialog = lazy(() => import("./preview/preview-dialog"));

/** What lies above the folder when there is reason to: uploads, notices, where to drop, the preview, announcements. */
export function Overlays({
  state,
  folder,
  list,
  navigation,
  uploads,
  downloads,
  ...explorer
}: ExplorerState) {
  const { client, previewed, setPreviewed, detailed, setDetailed, announcement } = explorer;
  const { t } = useLanguage();
  const { notice } = downloads;
  const previewRow = list.loaded.find((row) => rowId(row) === previewed);
  // Within the preview where there is one: it covers everything else, and keeps the focus.
  const failedDownload = notice !== null && (
    <div className="notice" role="alert">
      <p>
        {t("downloadFailed", { name: notice.name, why: problemText(t, notice.problem.code) })}
        <ProblemDetails problem={notice.problem} />
      </p>
      <button type="button" className="link-button" onClick={downloads.dismissNotice}>
        {t("dismiss")}
      </button>
    </div>
  );
  return (
    <>
      {state.expired && state.status === "renewing" && <p className="renewing">{t("renewing")}</p>}
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
      {previewRow?.type !== "file" && failedDownload}
      {uploads.filesOver && (
        <div className={`drop${uploads.allowed ? "" : " drop--refused"}`}>
          <p>
            {uploads.allowed
              ? t("dropHere", { folder: navigation.name })
              : t("noDropHere", { folder: uploads.folder ?? "" })}
          </p>
        </div>
      )}
      {previewRow?.type === "file" && (
        <Suspense fallback={null}>
          <PreviewDialog
            file={previewRow}
            files={list.rows.filter((row) => row.type === "file")}
            client={client}
            onShow={setPreviewed}
            onDownload={(row) => downloads.start([row])}
          >
            {failedDownload}
          </PreviewDialog>
        </Suspense>
      )}
      {detailed && (
        <DetailsDialog row={detailed} onClose={() => setDetailed(null)} onGiveUp={() => setDetailed(null)} />
      )}
      <p className="visually-hidden" role="status" aria-live="polite">
        {announcement}
      </p>
    </>
  );
}
