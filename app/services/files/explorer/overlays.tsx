import { lazy, Suspense } from "react";
import type { SessionState } from "../../../embed/frame/token-session";
import { rowId } from "./folder/folder-state";
import { useLanguage } from "./language";
import { ProblemDetails } from "./problem-details";
import { UploadPanel } from "./uploads/upload-panel";
import type { ExplorerState } from "./use-explorer";

const PreviewDialog = lazy(() => import("./preview/preview-dialog"));

interface OverlaysProps {
  explorer: ExplorerState;
  session: SessionState;
  uploadFolder: string | null;
}

/** What lies above the folder when there is reason to: uploads, notices, where to drop, the preview, announcements. */
export function Overlays({ explorer, session, uploadFolder }: OverlaysProps) {
  const { folder, list, navigation, uploads, downloads, client, previewed, setPreviewed } = explorer;
  const { messages } = useLanguage();
  const { notice } = downloads;
  const previewRow = folder.rows.find((row) => rowId(row) === previewed);
  return (
    <>
      {session.expired && session.status === "renewing" && <p className="renewing">{messages.renewing}</p>}
      {uploads.uploads.length > 0 && <UploadPanel queue={uploads.queue} uploads={uploads.uploads} />}
      {notice !== null && (
        <div className="notice" role="alert">
          <p>
            {messages.downloadFailed(notice.name, messages.problems[notice.problem.code])}
            <ProblemDetails problem={notice.problem} />
          </p>
          <button type="button" className="link-button" onClick={downloads.dismissNotice}>
            {messages.dismiss}
          </button>
        </div>
      )}
      {uploads.filesOver && (
        <div className={`drop${uploads.allowed ? "" : " drop--refused"}`}>
          <p>
            {uploads.allowed ? messages.dropHere(navigation.name) : messages.noDropHere(uploadFolder ?? "")}
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
          />
        </Suspense>
      )}
      <p className="visually-hidden" role="status" aria-live="polite">
        {explorer.announcement}
      </p>
    </>
  );
}
