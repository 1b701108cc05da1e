import type { FilesError } from "platform-embed-element/client";
import { IconButton } from "../../../embed/components/icons";
import { visibleText } from "../../../locales/visible-text";
import { FileIcon } from "../browse/file-icon";
import { FileName } from "../screen/file-name";
import { type Translate, useLanguage } from "../screen/language";
import { problemCode } from "../screen/problem-code";
import { FailedFiles, ProblemDetails, problemText } from "../screen/problem-details";
import { Tray } from "../screen/tray";
import { useStore } from "../screen/use-store";
import type { ArchiveDownloads, Download } from "./zip/archive-downloads";

/** The tray of archive downloads. It disappears when all are done. */
export function DownloadPanel({ archives }: { archives: ArchiveDownloads }) {
  const { t, formats } = useLanguage();
  const downloads = useStore(archives);
  const running = downloads.filter(({ status }) => status === "preparing" || status === "running");
  const failed = downloads.filter(({ status }) => status === "failed");
  // With `singly`, the browser may still refuse some files, and the note must stay.
  const isHandedOver = downloads.some(({ status, strategy }) => status === "done" && strategy === "singly");
  const busy = running.length > 0;
  // People must be able to read which files are missing or have other names.
  const isIncomplete = downloads.some(({ leftOut, renamed }) => leftOut.length + renamed > 0);
  const isAllDone = !busy && failed.length === 0 && !isHandedOver && !isIncomplete;
  if (downloads.length === 0) return null;
  const size = running.reduce((sum, download) => sum + download.size, 0);
  const bytes = running.reduce((sum, download) => sum + download.bytes, 0);
  return (
    <Tray
      label={t("downloads.region")}
      title={titleOf(downloads, running, failed, t)}
      note={size > 0 && t("progress", formats.progress(bytes, size))}
      progress={busy ? { max: size || 1, value: size > 0 ? bytes : undefined } : undefined}
      needsAttention={failed.length > 0}
      isOpened={isHandedOver || isIncomplete}
      expand={t("downloads.expand")}
      warnsOnUnload={busy}
      isAllDone={isAllDone}
      onDone={() => {
        for (const { id } of archives.getState()) archives.remove(id);
      }}
    >
      <ul className="tray__list">
        {downloads.map((download) => (
          <DownloadRow key={download.id} download={download} archives={archives} />
        ))}
      </ul>
    </Tray>
  );
}

function titleOf(
  all: readonly Download[],
  running: readonly Download[],
  failed: readonly Download[],
  t: Translate,
): string {
  const [first] = running;
  if (failed.length > 0) return t("downloads.attention", { count: failed.length });
  if (!first) return t("downloads.finished", { count: all.length, name: all[0]?.fileName ?? "" });
  if (running.length === 1 && first.fileName === "") return t("announcements.downloadPreparing");
  return t("downloads.title", { count: running.length, name: first.fileName });
}

function DownloadRow({ download, archives }: { download: Download; archives: ArchiveDownloads }) {
  const { t } = useLanguage();
  const { id, status, strategy, size, bytes, leftOut, renamed } = download;
  const name = download.fileName || t("downloads.preparing");
  return (
    <li className={`download download--${status}`}>
      <FileIcon kind="archive" />
      <div className="download__body">
        <p className="download__name" title={visibleText(name)}>
          <FileName name={name} />
        </p>
        <DownloadNote download={download} />
        {leftOut.length > 0 && (
          <p className="download__note" role="status">
            {t("downloads.leftOut", { count: leftOut.length })}
          </p>
        )}
        {renamed > 0 && strategy !== "singly" && (
          <p className="download__note" role="status">
            {t("downloads.renamed", { count: renamed, file: t("downloads.renamedFile") })}
          </p>
        )}
        <FailedFiles
          files={leftOut.map(({ path, code }) => ({
            id: path,
            name: path,
            why: t(`changes.failures.${code}`),
          }))}
        />
        {status === "running" && (
          <progress
            className="download__progress"
            max={size || 1}
            value={bytes}
            aria-label={visibleText(name)}
          />
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
        onClick={() => archives.remove(id)}
      />
    </li>
  );
}

function DownloadNote({ download }: { download: Download }) {
  const { t, formats } = useLanguage();
  const { status, strategy, fileCount, filesDone, bytes, size, isRetrying, problem } = download;
  if (status === "failed") {
    return (
      <p className="download__note" role="alert">
        {t("downloads.failed", { why: whyFailed(t, problem) })}
        {problem && <ProblemDetails problem={problem} />}
      </p>
    );
  }
  const parts = {
    preparing: () => t("downloads.found", { count: fileCount }),
    running: () =>
      isRetrying
        ? t("downloads.interrupted")
        : [
            t("progress", formats.progress(bytes, size)),
            t("downloads.position", { done: filesDone, count: fileCount }),
          ].join(" · "),
    done: () =>
      strategy === "singly" ? t("downloads.handedOver", { count: fileCount }) : t("downloads.done"),
  };
  return (
    <p className="download__note">
      {parts[status]()}
      {((strategy === "memory" && status === "running") ||
        (strategy === "singly" && status !== "preparing")) && (
        <span className="download__way">{t(`downloads.ways.${strategy}`)}</span>
      )}
    </p>
  );
}

const aboutOneFile = [
  "changed",
  "not_found",
  "denied",
  "being_checked",
  "blocked",
  "not_addressable",
] as const;
const isAboutOneFile = (code: string): code is (typeof aboutOneFile)[number] =>
  (aboutOneFile as readonly string[]).includes(code);

function whyFailed(t: Translate, problem: FilesError | null): string {
  if (problem === null) return t("problems.failed");
  const code = problemCode(problem);
  return problem.path !== undefined && isAboutOneFile(code)
    ? t(`downloads.problems.${code}`, { file: problem.path })
    : problemText(t, problem);
}
