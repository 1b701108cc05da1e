import {
  type FilesClient,
  MIN_MULTIPART_BYTES,
  phaseOf,
  type Upload,
  type Uploads,
  type UploadsState,
} from "platform-embed-element/client";
import { type ComponentProps, useEffect, useState } from "react";
import type { EmbeddingPage } from "../../../embed/frame/embedding-page-messages";
import { type ConflictContext, ConflictDialog } from "../changes/conflict-dialog";
import { type Translate, useLanguage } from "../screen/language";
import { Tray } from "../screen/tray";
import { ConflictButtons, type RowScope, UploadRow } from "./upload-row";
import { summarize, type UploadSummary } from "./upload-summary";
import { type ArrivalsProps, useArrivals } from "./use-arrivals";
import { useSettledLines, useUploadPanel } from "./use-upload-panel";

interface SummaryProps {
  summary: UploadSummary;
  engine: Uploads;
}

/** Rows of each kind that are shown; others are only counted. */
const MAX_STUCK = 50;
const MAX_STARTED = 12;
const MAX_WAITING = 2;
const MAX_CANCELLED = 5;
const MAX_DONE = 5;

/** So many conflicts have lines of their own. More are shown in the dialog only, and asked about together. */
const MAX_CONFLICTS = 3;

interface UploadPanelProps extends ArrivalsProps, ConflictContext {
  folder: ConflictContext["folder"];
  client: Pick<FilesClient, "uploads" | "list">;
  embeddingPage: EmbeddingPage;
  scope: RowScope;
  announce(sentence: string): void;
}

/** The tray of uploads. Its list begins with those that need a decision; then come running ones, then finished ones. */
export function UploadPanel(props: UploadPanelProps) {
  const { t, formats } = useLanguage();
  const { announce, embeddingPage, scope } = props;
  const { uploads: engine } = props.client;
  const state = useUploadPanel(engine, embeddingPage, announce);
  const { uploads } = state;
  const [isComparing, setComparing] = useState(false);
  // The panel has been loaded, so the network is back: what sends files may be loaded, too.
  useEffect(() => void engine.load().catch(() => {}), [engine]);
  const summary = summarize(uploads);
  const { size, sent, stuck, started, pendingCount, pausedCount, done, cancelled, conflictCount } = summary;
  // Names that are taken later do not open the comparison by themselves.
  useEffect(() => {
    if (conflictCount === 0) setComparing(false);
  }, [conflictCount]);
  const isPending = pendingCount > 0;
  const showArrived = useArrivals(uploads, isPending, props);
  if (uploads.length === 0) return state.isLoading ? <p className="renewing">{t("loading")}</p> : null;
  const hints = hintsOf(summary, state, t);
  const isOffline = started.some(({ status, error }) => status === "retrying" && error?.code === "offline");
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
      warnsOnUnload={isPending && (pendingCount > pausedCount || !state.isRemembering)}
      isAllDone={done.length > 0 && pendingCount + stuck.length + cancelled.length === 0}
      onDone={() => engine.clearEnded()}
    >
      <div className="tray__sum">
        <Totals summary={summary} bytesPerSecond={state.bytesPerSecond} />
        <PanelButtons summary={summary} engine={engine} />
      </div>
      {hints.map((hint) => (
        <Hint key={hint} sentence={hint} announce={announce} />
      ))}
      {conflictCount > 1 && (
        <div className="tray__all">
          <span>{t("uploads.forAll", { count: conflictCount })}</span>
          <ConflictButtons
            label={t("uploads.forAll", { count: conflictCount })}
            onChoose={(choice) => engine.answerConflicts(choice)}
            onCompare={() => setComparing(true)}
          />
        </div>
      )}
      <UploadList
        uploads={uploads}
        summary={summary}
        engine={engine}
        scope={scope}
        openPath={props.folder.path}
        onCompare={() => setComparing(true)}
      />
      {isComparing && conflictCount > 0 && (
        <UploadConflicts {...props} uploads={uploads} onClose={() => setComparing(false)} />
      )}
    </Tray>
  );
}

interface UploadConflictsProps extends ConflictContext {
  uploads: readonly Upload[];
  client: UploadPanelProps["client"];
  onClose(): void;
}

/** Compares the files whose names are taken with what is there, and asks about them once. */
function UploadConflicts({ uploads, onClose, ...context }: UploadConflictsProps) {
  const { t } = useLanguage();
  const engine = context.client.uploads;
  const asking = uploads.filter((upload) => phaseOf(upload) === "conflict");
  const values = { count: asking.length, name: asking[0]?.name ?? "" };
  return (
    <ConflictDialog
      {...context}
      title={t("changes.conflictTitle", values)}
      conflicts={asking.map(({ id, name, folderPath }) => ({
        id: String(id),
        name,
        isFolder: false,
        folderPath,
        item: engine.fileOf(id),
      }))}
      choices={["skip", "replace", "keep-both"]}
      mayReplace
      onAll={(choice) => {
        engine.answerConflicts(choice);
        onClose();
      }}
      onEach={(choices) => {
        for (const [id, choice] of choices) engine.answer(Number(id), choice);
        onClose();
      }}
      onCancel={onClose}
    />
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
function Totals({
  summary,
  bytesPerSecond,
}: Pick<SummaryProps, "summary"> & Pick<UploadsState, "bytesPerSecond">) {
  const { t, formats } = useLanguage();
  const { size, sent, fileCount, done, stuck, pendingCount, activeCount } = summary;
  if (pendingCount === 0) return null;
  const rate = activeCount > 0 ? bytesPerSecond : null;
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
function hintsOf(
  { started, waiting, done }: UploadSummary,
  { isRemembering, isVerified }: UploadsState,
  t: Translate,
): string[] {
  const unfinished = [...started, ...waiting];
  // Only multipart uploads are ever remembered.
  const isLost = !isRemembering && unfinished.some(({ size }) => size >= MIN_MULTIPART_BYTES);
  const isUnchecked = !isVerified && unfinished.length + done.length > 0;
  return [isLost && t("uploads.keepOpen"), isUnchecked && t("uploads.damageUnnoticed")].filter(
    (hint) => hint !== false,
  );
}

function Hint({ sentence, announce }: Pick<UploadPanelProps, "announce"> & { sentence: string }) {
  useEffect(() => announce(sentence), [sentence, announce]);
  return <p className="tray__hint">{sentence}</p>;
}

function PanelButtons({ summary, engine }: SummaryProps) {
  const { t } = useLanguage();
  const { activeCount, pausedCount, retriableCount, conflictCount, done, cancelled, stuck, failedCount } =
    summary;
  const ended = done.length + cancelled.length + failedCount;
  const isOver = activeCount + pausedCount + stuck.length === 0;
  const buttons: [shown: boolean, label: string, act: () => void][] = [
    [retriableCount > 1 || (isOver && cancelled.length > 1), t("uploads.retryAll"), () => engine.retryAll()],
    // A single upload has its own button.
    [activeCount > 1, t("uploads.pauseAll"), () => engine.pauseAll()],
    [activeCount <= 1 && pausedCount > 1, t("uploads.resumeAll"), () => engine.resumeAll()],
    [activeCount + pausedCount + conflictCount > 1, t("uploads.cancelAll"), () => engine.cancelAll()],
    [
      ended > 0 && activeCount + pausedCount + conflictCount === 0,
      t("uploads.clear"),
      () => engine.clearEnded(),
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

interface UploadListProps extends SummaryProps, Omit<ComponentProps<typeof UploadRow>, "upload"> {
  uploads: readonly Upload[];
}

function UploadList({ uploads, summary, ...ofRow }: UploadListProps) {
  const { t } = useLanguage();
  const { started, waiting, done, cancelled, conflictCount } = summary;
  const stuck = summary.stuck.filter(
    (upload) => conflictCount <= MAX_CONFLICTS || phaseOf(upload) !== "conflict",
  );
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
        <UploadRow key={upload.id} upload={upload} {...ofRow} />
      ))}
      {rest > 0 && <li className="tray__more">{t("uploads.moreWaiting", { count: rest })}</li>}
      {lines.ended.map((upload) => (
        <UploadRow key={upload.id} upload={upload} {...ofRow} />
      ))}
      {more > 0 && <li className="tray__more">{t("uploads.moreDone", { count: more })}</li>}
    </ul>
  );
}
