import { type MouseEvent, useEffect, useSyncExternalStore } from "react";
import type { StorageProblem } from "../../storage-problem";
import type { ArchiveDownloads, Download } from "../../transfers/zip/archive-downloads";
import { FileIcon, IconButton } from "../icons";
import { type Translate, useLanguage } from "../language";
import { problemText } from "../problem-details";

/** How long a finished download stays on the screen. */
const DONE_SHOWN_MS = 10_000;

/** Progress of archive downloads, between the list and the status bar. It disappears when all are done. */
export function DownloadPanel({ archives }: { archives: ArchiveDownloads }) {
  const { t } = useLanguage();
  const downloads = useSyncExternalStore(archives.subscribe, archives.getDownloads, archives.getDownloads);
  const busy = downloads.some(({ status }) => status === "preparing" || status === "running");
  useEffect(() => {
    if (!busy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [busy]);
  if (downloads.length === 0) return null;
  return (
    <section className="downloads" aria-label={t("downloads.region")}>
      <ul className="downloads__list">
        {downloads.map((download) => (
          <DownloadRow key={download.id} download={download} archives={archives} />
        ))}
      </ul>
    </section>
  );
}

function DownloadRow({ download, archives }: { download: Download; archives: ArchiveDownloads }) {
  const { t } = useLanguage();
  const { id, status, way, size, bytes } = download;
  const name = download.fileName || t("downloads.preparing");
  // With `singly`, the browser may still refuse some files, and the note must stay.
  const leaves = status === "done" && way !== "singly";
  useEffect(() => {
    if (!leaves) return;
    const timer = setTimeout(() => archives.remove(id), DONE_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [leaves, archives, id]);
  const leave = (event: MouseEvent<HTMLButtonElement>) => {
    const explorer = event.currentTarget.closest(".explorer");
    archives.remove(id);
    // The button is gone: keep keyboard users in the page.
    explorer?.querySelector<HTMLElement>(".main")?.focus();
  };
  return (
    <li className={`download download--${status}`}>
      <FileIcon kind="archive" />
      <div className="download__body">
        <p className="download__name" title={name}>
          <bdi>{name}</bdi>
        </p>
        <DownloadNote download={download} />
        {status === "running" && (
          <progress className="download__progress" max={size || 1} value={bytes} aria-label={name} />
        )}
      </div>
      {status === "failed" && (
        <button type="button" className="button button--small" onClick={() => archives.retry(id)}>
          {t("retry")}
        </button>
      )}
      <IconButton
        icon="close"
        label={
          status === "done" || status === "failed"
            ? t("downloads.remove", { name })
            : t("downloads.cancel", { name })
        }
        onClick={leave}
      />
    </li>
  );
}

function DownloadNote({ download }: { download: Download }) {
  const { t, formats } = useLanguage();
  const { status, way, fileCount, filesDone, bytes, size, interrupted, problem } = download;
  if (status === "failed") {
    const { details = {} } = problem ?? {};
    return (
      <p className="download__note" role="alert">
        {t("downloads.failed", { why: whyFailed(t, problem) })}
        {details.requestId && <span className="problem-id">{t("requestId", { id: details.requestId })}</span>}
        {details.advice && <span className="problem-advice">{details.advice}</span>}
      </p>
    );
  }
  const parts = {
    preparing: () => t("downloads.found", { count: fileCount }),
    running: () =>
      interrupted
        ? t("downloads.interrupted")
        : [
            t("progress", formats.progress(bytes, size)),
            t("downloads.position", { done: filesDone, count: fileCount }),
          ].join(" · "),
    done: () => (way === "singly" ? t("downloads.handedOver", { count: fileCount }) : t("downloads.done")),
  };
  return (
    <p className="download__note">
      {parts[status]()}
      {status !== "preparing" && way !== "archive" && (
        <span className="download__way">{t(`downloads.ways.${way}`)}</span>
      )}
    </p>
  );
}

function whyFailed(t: Translate, problem: StorageProblem | null): string {
  const { code = "failed", details = {} } = problem ?? {};
  if (details.path !== undefined && (code === "changed" || code === "not_found" || code === "denied")) {
    return t(`downloads.problems.${code}`, { file: details.path });
  }
  return problemText(t, code);
}
