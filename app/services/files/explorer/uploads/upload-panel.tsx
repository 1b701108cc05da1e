import { useState } from "react";
import type { FrameSession } from "../../../../embed/frame/use-session";
import { summarize, type UploadSummary } from "../../transfers/summarize";
import type { UploadQueue } from "../../transfers/upload-queue";
import { IconButton } from "../icon-button";
import { useLanguage } from "../language";
import { ConflictButtons, UploadRow } from "./upload-row";
import { useUploadPage } from "./use-upload-page";

interface UploadPanelProps {
  queue: UploadQueue;
  host: FrameSession["host"];
  announce(sentence: string): void;
}

/** As many rows of each kind are shown; the others are counted. */
const MOST_STUCK = 50;
const MOST_RUNNING = 12;
const MOST_WAITING = 2;
const MOST_ENDED = 5;

/** Uploads below the open folder: what needs a person first, then what runs, then what is done. */
export function UploadPanel({ queue, host, announce }: UploadPanelProps) {
  const { messages } = useLanguage();
  const [open, setOpen] = useState(true);
  const [held, setHeld] = useState(false);
  const uploads = useUploadPage(queue, host, announce, held);
  if (uploads.length === 0) return null;
  const summary = summarize(uploads);
  const words = messages.uploads;
  return (
    <section
      className="uploads"
      aria-label={words.region}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <header className="uploads__head">
        <div className="uploads__words">
          <h2 className="uploads__title">{titleOf(summary, words)}</h2>
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
          <span>{words.forAll(summary.conflicts)}</span>
          <ConflictButtons onChoose={(choice) => queue.resolveAll(choice)} />
        </div>
      )}
      {open && <UploadList summary={summary} queue={queue} />}
    </section>
  );
}

type Words = ReturnType<typeof useLanguage>["messages"]["uploads"];

function titleOf({ stuck, running, waiting, done, files }: UploadSummary, words: Words): string {
  const isBusy = running.length + waiting.length > 0;
  return !isBusy && stuck.length > 0 ? words.attention(stuck.length) : words.title(done.length, files);
}

/** All of it together: bytes, how fast, how long still. */
function Progress({ summary, queue }: { summary: UploadSummary; queue: UploadQueue }) {
  const { messages, formats } = useLanguage();
  const words = messages.uploads;
  const { size, sent, running, waiting, paused } = summary;
  const active = running.length - paused + waiting.length;
  if (running.length + waiting.length === 0) return null;
  const rate = active > 0 ? queue.rate.perSecond : null;
  const secondsLeft = rate !== null && rate > 0 ? (size - sent) / rate : null;
  return (
    <>
      <p className="uploads__sum">
        {formats.progress(sent, size, words.of)}
        {rate !== null && ` · ${words.perSecond(formats.size(rate))}`}
        {secondsLeft !== null && ` · ${words.timeLeft(formats.duration(secondsLeft))}`}
      </p>
      <progress className="upload__progress" max={size || 1} value={sent} aria-label={words.region} />
    </>
  );
}

function PanelButtons({ summary, queue }: { summary: UploadSummary; queue: UploadQueue }) {
  const words = useLanguage().messages.uploads;
  const { running, waiting, paused, retriable, done, cancelled, stuck } = summary;
  const active = running.length - paused + waiting.length;
  const buttons: [shown: boolean, label: string, act: () => void][] = [
    [retriable > 1, words.retryAll, () => queue.retryAll()],
    [active > 0, words.pauseAll, () => queue.pauseAll()],
    [active === 0 && paused > 0, words.resumeAll, () => queue.resumeAll()],
    [active + paused + stuck.length > 1, words.cancelAll, () => queue.cancelAll()],
    [done.length + cancelled.length > 0 && active + paused === 0, words.clear, () => queue.clearFinished()],
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
  const ended = [...cancelled, ...done].slice(-MOST_ENDED).reverse();
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
