import { useRef, useState } from "react";
import type { FrameSession } from "../../../../embed/frame/use-session";
import { summarize, type Upload, type UploadSummary } from "../../transfers/upload";
import type { UploadQueue } from "../../transfers/upload-queue";
import { IconButton } from "../icons";
import { useLanguage } from "../language";
import { ConflictButtons, UploadRow } from "./upload-row";
import { useKeptFocus, useStillLines, useUploadPanel } from "./use-upload-panel";

interface UploadPanelProps {
  queue: UploadQueue;
  embeddingPage: FrameSession["embeddingPage"];
  announce(sentence: string): void;
  /** takes the focus when the panel disappears with it */
  onLeave(): void;
}

interface SummaryProps {
  summary: UploadSummary;
  queue: UploadQueue;
}

/** Rows of each kind that are shown; others are only counted. */
const MAX_STUCK = 50;
const MAX_RUNNING = 12;
const MAX_WAITING = 2;
const MAX_CANCELLED = 5;
const MAX_DONE = 5;

/** Uploads, below the list: first those that need a decision, then running ones, then finished ones. */
export function UploadPanel({ queue, embeddingPage, announce, onLeave }: UploadPanelProps) {
  const { t } = useLanguage();
  const panel = useRef<HTMLElement>(null);
  const [open, setOpen] = useState(true);
  const [held, setHeld] = useState(false);
  const uploads = useUploadPanel(queue, embeddingPage, announce, held);
  const focus = useKeptFocus(panel, setHeld, onLeave);
  if (uploads.length === 0) return null;
  const summary = summarize(uploads);
  return (
    <section
      ref={panel}
      className="uploads"
      aria-label={t("uploads.region")}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      {...focus}
    >
      <header className="uploads__head">
        <div className="uploads__words">
          <Title summary={summary} />
          <Progress summary={summary} queue={queue} />
        </div>
        <PanelButtons summary={summary} queue={queue} />
        <IconButton
          icon="down"
          className={`uploads__fold${open ? "" : " uploads__fold--closed"}`}
          aria-expanded={open}
          label={open ? t("uploads.collapse") : t("uploads.expand")}
          onClick={() => setOpen(!open)}
        />
      </header>
      {open && summary.conflicts > 1 && (
        <div className="uploads__all">
          <span>{t("uploads.forAll", { count: summary.conflicts })}</span>
          <ConflictButtons
            label={t("uploads.forAll", { count: summary.conflicts })}
            onChoose={(choice) => queue.resolveAll(choice)}
          />
        </div>
      )}
      {open && <UploadList uploads={uploads} summary={summary} queue={queue} />}
    </section>
  );
}

/** The number of uploads that need a decision; otherwise the overall state. */
function Title({ summary }: { summary: UploadSummary }) {
  const { t } = useLanguage();
  const { stuck, running, waiting, paused, done, cancelled, files } = summary;
  const title = () => {
    const left = running.length + waiting.length;
    if (stuck.length > 0) return t("uploads.attention", { count: stuck.length });
    if (left > 0 && left === paused) return t("uploads.pausedTitle", { count: paused });
    if (left > 0) return t("uploads.title", { count: files, done: done.length });
    if (done.length > 0) return t("uploads.finished", { count: done.length });
    return t("uploads.cancelledTitle", { count: cancelled.length });
  };
  return <h2 className={`uploads__title${stuck.length > 0 ? " uploads__title--stuck" : ""}`}>{title()}</h2>;
}

/** Totals: bytes, rate, time left. */
function Progress({ summary, queue }: SummaryProps) {
  const { t, formats } = useLanguage();
  const { size, sent, files, done, stuck, running, waiting, paused } = summary;
  const active = running.length - paused + waiting.length;
  if (running.length + waiting.length === 0) return null;
  const rate = active > 0 ? queue.rate.perSecond : null;
  const secondsLeft = rate ? (size - sent) / rate : null;
  const parts = [
    stuck.length > 0 && t("uploads.title", { count: files, done: done.length }),
    t("progress", formats.progress(sent, size)),
    rate && t("uploads.perSecond", { size: formats.size(rate) }),
    secondsLeft !== null && t("uploads.timeLeft", { duration: formats.duration(secondsLeft) }),
  ];
  return (
    <>
      <p className="uploads__sum">{parts.filter(Boolean).join(" · ")}</p>
      <progress className="upload__progress" max={size || 1} value={sent} aria-label={t("uploads.region")} />
    </>
  );
}

function PanelButtons({ summary, queue }: SummaryProps) {
  const { t } = useLanguage();
  const { running, waiting, paused, retriable, conflicts, done, cancelled, stuck, failed } = summary;
  const active = running.length - paused + waiting.length;
  const ended = done.length + cancelled.length + failed;
  const isOver = active + paused + stuck.length === 0;
  const buttons: [shown: boolean, label: string, act: () => void][] = [
    [retriable > 1 || (isOver && cancelled.length > 1), t("uploads.retryAll"), () => queue.retryAll()],
    // A single upload has its own button.
    [active > 1, t("uploads.pauseAll"), () => queue.pauseAll()],
    [active <= 1 && paused > 1, t("uploads.resumeAll"), () => queue.resumeAll()],
    [active + paused + conflicts > 1, t("uploads.cancelAll"), () => queue.cancelAll()],
    [ended > 0 && active + paused + conflicts === 0, t("uploads.clear"), () => queue.clearEnded()],
  ];
  return (
    <div className="uploads__buttons">
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

function UploadList({ uploads, summary, queue }: { uploads: readonly Upload[] } & SummaryProps) {
  const { t } = useLanguage();
  const { stuck, running, waiting, done, cancelled } = summary;
  const { lines, ofPointer } = useStillLines(uploads, {
    ongoing: [
      ...stuck.slice(0, MAX_STUCK),
      ...running.slice(0, MAX_RUNNING),
      ...waiting.slice(0, MAX_WAITING),
    ],
    ended: [...cancelled.slice(-MAX_CANCELLED).reverse(), ...done.slice(-MAX_DONE).reverse()],
  });
  const shown = new Set([...lines.ongoing, ...lines.ended]);
  const rest = [...stuck, ...running, ...waiting].filter((upload) => !shown.has(upload)).length;
  const more = [...done, ...cancelled].filter((upload) => !shown.has(upload)).length;
  return (
    <ul className="uploads__list" {...ofPointer}>
      {lines.ongoing.map((upload) => (
        <UploadRow key={upload.id} upload={upload} queue={queue} />
      ))}
      {rest > 0 && <li className="uploads__more">{t("uploads.moreWaiting", { count: rest })}</li>}
      {lines.ended.map((upload) => (
        <UploadRow key={upload.id} upload={upload} queue={queue} />
      ))}
      {more > 0 && <li className="uploads__more">{t("uploads.moreDone", { count: more })}</li>}
    </ul>
  );
}
