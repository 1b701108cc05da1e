import { useRef, useState } from "react";
import type { FrameSession } from "../../../../embed/frame/use-session";
import { summarize, type UploadSummary } from "../../transfers/summarize";
import type { UploadQueue } from "../../transfers/upload-queue";
import { IconButton } from "../icon-button";
import { useLanguage } from "../language";
import { ConflictButtons, UploadRow } from "./upload-row";
import { useKeptFocus } from "./use-kept-focus";
import { useUploadPage } from "./use-upload-page";

interface UploadPanelProps {
  queue: UploadQueue;
  host: FrameSession["host"];
  announce(sentence: string): void;
  /** takes the focus when the panel goes away with it */
  onLeave(): void;
}

/** As many rows of each kind are shown; the others are counted. */
const MOST_STUCK = 50;
const MOST_RUNNING = 12;
const MOST_WAITING = 2;
const MOST_CANCELLED = 5;
const MOST_DONE = 5;

/** Uploads below the open folder: what needs a person first, then what runs, then what is done. */
export function UploadPanel({ queue, host, announce, onLeave }: UploadPanelProps) {
  const { messages, formats } = useLanguage();
  const panel = useRef<HTMLElement>(null);
  const [open, setOpen] = useState(true);
  const [held, setHeld] = useState(false);
  const uploads = useUploadPage(queue, host, announce, held);
  const focus = useKeptFocus(panel, setHeld, onLeave);
  if (uploads.length === 0) return null;
  const summary = summarize(uploads);
  const words = messages.uploads;
  return (
    <section
      ref={panel}
      className="uploads"
      aria-label={words.region}
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
          label={open ? words.collapse : words.expand}
          onClick={() => setOpen(!open)}
        />
      </header>
      {open && summary.conflicts > 1 && (
        <div className="uploads__all">
          <span>{words.forAll(formats.number(summary.conflicts))}</span>
          <ConflictButtons
            label={words.forAll(formats.number(summary.conflicts))}
            onChoose={(choice) => queue.resolveAll(choice)}
          />
        </div>
      )}
      {open && <UploadList summary={summary} queue={queue} />}
    </section>
  );
}

/** What needs a person, if there is such; else how far all of it is. */
function Title({ summary }: { summary: UploadSummary }) {
  const { messages, formats } = useLanguage();
  const words = messages.uploads;
  const { stuck, running, waiting, paused, done, cancelled, files } = summary;
  const title = () => {
    const left = running.length + waiting.length;
    if (stuck.length > 0) return words.attention(stuck.length, formats.number(stuck.length));
    if (left > 0 && left === paused) return words.pausedTitle(paused, formats.number(paused));
    if (left > 0) return words.title(files, formats.number(done.length), formats.number(files));
    if (done.length > 0) return words.finished(done.length, formats.number(done.length));
    return words.cancelledTitle(cancelled.length, formats.number(cancelled.length));
  };
  return <h2 className={`uploads__title${stuck.length > 0 ? " uploads__title--stuck" : ""}`}>{title()}</h2>;
}

/** All of it together: bytes, how fast, how long still. */
function Progress({ summary, queue }: { summary: UploadSummary; queue: UploadQueue }) {
  const { messages, formats } = useLanguage();
  const words = messages.uploads;
  const { size, sent, files, done, stuck, running, waiting, paused } = summary;
  const active = running.length - paused + waiting.length;
  if (running.length + waiting.length === 0) return null;
  const rate = active > 0 ? queue.rate.perSecond : null;
  const secondsLeft = rate ? (size - sent) / rate : null;
  const parts = [
    stuck.length > 0 && words.title(files, formats.number(done.length), formats.number(files)),
    formats.progress(sent, size, words.of),
    rate && words.perSecond(formats.size(rate)),
    secondsLeft !== null && words.timeLeft(formats.duration(secondsLeft)),
  ];
  return (
    <>
      <p className="uploads__sum">{parts.filter(Boolean).join(" · ")}</p>
      <progress className="upload__progress" max={size || 1} value={sent} aria-label={words.region} />
    </>
  );
}

function PanelButtons({ summary, queue }: { summary: UploadSummary; queue: UploadQueue }) {
  const words = useLanguage().messages.uploads;
  const { running, waiting, paused, retriable, conflicts, done, cancelled, stuck, failed } = summary;
  const active = running.length - paused + waiting.length;
  const ended = done.length + cancelled.length + failed;
  const isOver = active + paused + stuck.length === 0;
  const buttons: [shown: boolean, label: string, act: () => void][] = [
    [retriable > 1 || (isOver && cancelled.length > 1), words.retryAll, () => queue.retryAll()],
    // Of one alone, its row has the button.
    [active > 1, words.pauseAll, () => queue.pauseAll()],
    [active <= 1 && paused > 1, words.resumeAll, () => queue.resumeAll()],
    [active + paused + conflicts > 1, words.cancelAll, () => queue.cancelAll()],
    [ended > 0 && active + paused + conflicts === 0, words.clear, () => queue.clearEnded()],
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

function UploadList({ summary, queue }: { summary: UploadSummary; queue: UploadQueue }) {
  const { messages, formats } = useLanguage();
  const words = messages.uploads;
  const { stuck, running, waiting, done, cancelled } = summary;
  const shown = [
    ...stuck.slice(0, MOST_STUCK),
    ...running.slice(0, MOST_RUNNING),
    ...waiting.slice(0, MOST_WAITING),
  ];
  const rest = stuck.length + running.length + waiting.length - shown.length;
  const ended = [...cancelled.slice(-MOST_CANCELLED).reverse(), ...done.slice(-MOST_DONE).reverse()];
  const more = done.length + cancelled.length - ended.length;
  return (
    <ul className="uploads__list">
      {shown.map((upload) => (
        <UploadRow key={upload.id} upload={upload} queue={queue} />
      ))}
      {rest > 0 && <li className="uploads__more">{words.moreWaiting(rest, formats.number(rest))}</li>}
      {ended.map((upload) => (
        <UploadRow key={upload.id} upload={upload} queue={queue} />
      ))}
      {more > 0 && <li className="uploads__more">{words.moreDone(more, formats.number(more))}</li>}
    </ul>
  );
}
