import { useEffect } from "react";
import { type Translate, useLanguage } from "../screen/language";
import { Tray } from "../screen/tray";
import { summarize, type Upload, type UploadSummary } from "./transfers/upload";
import type { UploadQueue } from "./transfers/upload-queue";
import { MIN_MULTIPART_BYTES } from "./transfers/upload-runner";
import { ConflictButtons, UploadRow } from "./upload-row";
import { type ArrivalsProps, useArrivals } from "./use-arrivals";
import { useSettledLines, useUploadPanel } from "./use-upload-panel";
import { type UploadQueueProps, useUploadQueue } from "./use-upload-queue";

interface SummaryProps {
  summary: UploadSummary;
  queue: UploadQueue;
}

/** Rows of each kind that are shown; others are only counted. */
const MAX_STUCK = 50;
const MAX_STARTED = 12;
const MAX_WAITING = 2;
const MAX_CANCELLED = 5;
const MAX_DONE = 5;

type UploadPanelProps = UploadQueueProps &
  ArrivalsProps & {
    /** the bucket keeps replaced versions, and the token may see them */
    keepsHistory: boolean;
    announce(sentence: string): void;
  };

/** The tray of uploads. Its list begins with those that need a decision; then come running ones, then finished ones. */
export default function UploadPanel(props: UploadPanelProps) {
  const { t, formats } = useLanguage();
  const { announce } = props;
  const queue = useUploadQueue(props);
  const uploads = useUploadPanel(queue, props.embeddingPage, announce);
  const summary = summarize(uploads);
  const { size, sent, stuck, started, pendingCount, pausedCount, done, cancelled, conflictCount } = summary;
  const isPending = pendingCount > 0;
  const showArrived = useArrivals(uploads, isPending, props);
  if (uploads.length === 0) return null;
  const hints = hintsOf(summary, queue, t);
  const isOffline = started.some(
    ({ status, problem }) => status === "retrying" && problem?.code === "offline",
  );
  return (
    <Tray
      label={t("uploads.region")}
      title={titleOf(summary, t)}
      note={
        isPending && (isOffline ? t("states.offline.title") : t("progress", formats.progress(sent, size)))
      }
      progress={isPending ? { max: size || 1, value: sent } : undefined}
      needsAttention={stuck.length > 0}
      isOpened={hints.length > 0}
      action={
        showArrived && (
          <button
            type="button"
            className="link-button"
            aria-label={t("uploads.showArrived")}
            onClick={showArrived}
          >
            {t("uploads.show")}
          </button>
        )
      }
      expand={t("uploads.expand")}
      // A paused upload continues on the next visit, if this browser remembers it.
      warnsOnUnload={isPending && (pendingCount > pausedCount || !queue.isRemembering)}
      isAllDone={done.length > 0 && pendingCount + stuck.length + cancelled.length === 0}
      onDone={() => queue.clearEnded()}
    >
      <div className="tray__sum">
        <Totals summary={summary} queue={queue} />
        <PanelButtons summary={summary} queue={queue} />
      </div>
      {hints.map((hint) => (
        <Hint key={hint} sentence={hint} announce={announce} />
      ))}
      {conflictCount > 1 && (
        <div className="tray__all">
          <span>{t("uploads.forAll", { count: conflictCount })}</span>
          <ConflictButtons
            label={t("uploads.forAll", { count: conflictCount })}
            onChoose={(choice) => queue.resolveAll(choice)}
          />
        </div>
      )}
      <UploadList uploads={uploads} summary={summary} queue={queue} keepsHistory={props.keepsHistory} />
    </Tray>
  );
}

/** The number of uploads that need a decision; otherwise the overall state. */
function titleOf(summary: UploadSummary, t: Translate): string {
  const { stuck, pendingCount, pausedCount, done, cancelled, fileCount } = summary;
  if (stuck.length > 0) return t("uploads.attention", { count: stuck.length });
  if (pendingCount > 0 && pendingCount === pausedCount)
    return t("uploads.pausedTitle", { count: pausedCount });
  if (pendingCount > 0) return t("uploads.title", { count: fileCount, done: done.length });
  if (done.length > 0) return t("uploads.finished", { count: done.length });
  return t("uploads.cancelledTitle", { count: cancelled.length });
}

/** Bytes, rate and time left of all uploads together. */
function Totals({ summary, queue }: SummaryProps) {
  const { t, formats } = useLanguage();
  const { size, sent, fileCount, done, stuck, pendingCount, activeCount } = summary;
  if (pendingCount === 0) return null;
  const rate = activeCount > 0 ? queue.rate.perSecond : null;
  const secondsLeft = rate ? (size - sent) / rate : null;
  const parts = [
    stuck.length > 0 && t("uploads.title", { count: fileCount, done: done.length }),
    t("progress", formats.progress(sent, size)),
    rate && t("uploads.perSecond", { size: formats.size(rate) }),
    secondsLeft !== null && t("uploads.timeLeft", { duration: formats.duration(secondsLeft) }),
  ];
  return <p className="tray__totals">{parts.filter(Boolean).join(" · ")}</p>;
}

/** Warnings: the upload can finish only in this page, or the store does not check uploads. */
function hintsOf({ started, waiting, done }: UploadSummary, queue: UploadQueue, t: Translate): string[] {
  const unfinished = [...started, ...waiting];
  // Only multipart uploads are ever remembered.
  const isLost = !queue.isRemembering && unfinished.some(({ size }) => size >= MIN_MULTIPART_BYTES);
  const isUnchecked = !queue.storeVerifiesChecksums && unfinished.length + done.length > 0;
  return [isLost && t("uploads.keepOpen"), isUnchecked && t("uploads.damageUnnoticed")].filter(
    (hint) => hint !== false,
  );
}

function Hint({ sentence, announce }: Pick<UploadPanelProps, "announce"> & { sentence: string }) {
  useEffect(() => announce(sentence), [sentence, announce]);
  return <p className="tray__hint">{sentence}</p>;
}

function PanelButtons({ summary, queue }: SummaryProps) {
  const { t } = useLanguage();
  const { activeCount, pausedCount, retriableCount, conflictCount, done, cancelled, stuck, failedCount } =
    summary;
  const ended = done.length + cancelled.length + failedCount;
  const isOver = activeCount + pausedCount + stuck.length === 0;
  const buttons: [shown: boolean, label: string, act: () => void][] = [
    [retriableCount > 1 || (isOver && cancelled.length > 1), t("uploads.retryAll"), () => queue.retryAll()],
    // A single upload has its own button.
    [activeCount > 1, t("uploads.pauseAll"), () => queue.pauseAll()],
    [activeCount <= 1 && pausedCount > 1, t("uploads.resumeAll"), () => queue.resumeAll()],
    [activeCount + pausedCount + conflictCount > 1, t("uploads.cancelAll"), () => queue.cancelAll()],
    [
      ended > 0 && activeCount + pausedCount + conflictCount === 0,
      t("uploads.clear"),
      () => queue.clearEnded(),
    ],
  ];
  return (
    <div className="tray__buttons">
      {buttons.map(
        ([shown, label, act]) =>
          shown && (
            <button key={label} type="button" className="link-button" onClick={act}>
              {label}
            </button>
          ),
      )}
    </div>
  );
}

interface UploadListProps extends SummaryProps {
  uploads: readonly Upload[];
  keepsHistory: boolean;
}

function UploadList({ uploads, summary, queue, keepsHistory }: UploadListProps) {
  const { t } = useLanguage();
  const { stuck, started, waiting, done, cancelled } = summary;
  const { lines, ofPointer } = useSettledLines(uploads, {
    ongoing: [
      ...stuck.slice(0, MAX_STUCK),
      ...started.slice(0, MAX_STARTED),
      ...waiting.slice(0, MAX_WAITING),
    ],
    ended: [...cancelled.slice(-MAX_CANCELLED).reverse(), ...done.slice(-MAX_DONE).reverse()],
  });
  const shown = new Set([...lines.ongoing, ...lines.ended]);
  const rest = [...stuck, ...started, ...waiting].filter((upload) => !shown.has(upload)).length;
  const more = [...done, ...cancelled].filter((upload) => !shown.has(upload)).length;
  return (
    <ul className="tray__list" {...ofPointer}>
      {lines.ongoing.map((upload) => (
        <UploadRow key={upload.id} upload={upload} queue={queue} keepsHistory={keepsHistory} />
      ))}
      {rest > 0 && <li className="tray__more">{t("uploads.moreWaiting", { count: rest })}</li>}
      {lines.ended.map((upload) => (
        <UploadRow key={upload.id} upload={upload} queue={queue} keepsHistory={keepsHistory} />
      ))}
      {more > 0 && <li className="tray__more">{t("uploads.moreDone", { count: more })}</li>}
    </ul>
  );
}
