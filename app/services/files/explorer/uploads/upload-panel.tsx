import { useState } from "react";
import type { ConflictChoice, Upload } from "../../transfers/upload";
import type { UploadQueue } from "../../transfers/upload-queue";
import { fileKind } from "../file-kind";
import { IconButton } from "../icon-button";
import { FileIcon, Icon } from "../icons";
import { useLanguage } from "../language";
import { ProblemDetails } from "../problem-details";
import type { Uploads } from "./use-uploads";

/** Running and finished uploads, in a corner of the explorer. */
export function UploadPanel({ queue, uploads }: Uploads) {
  const { messages } = useLanguage();
  const [open, setOpen] = useState(true);
  const words = messages.uploads;
  const count = (status: Upload["status"]) => uploads.filter((upload) => upload.status === status).length;
  const done = count("done");
  const conflicts = count("conflict");
  const attention = conflicts + count("failed");
  const running = count("sending") + count("retrying") + count("waiting");
  const total = uploads.length - count("cancelled");
  const title = running === 0 && attention > 0 ? words.attention(attention) : words.title(done, total);
  return (
    <section className="uploads" aria-label={words.region}>
      <header className="uploads__head">
        <h2 className="uploads__title">{title}</h2>
        {done + count("cancelled") > 0 && (
          <button type="button" className="link-button" onClick={() => queue.clearFinished()}>
            {words.clear}
          </button>
        )}
        <IconButton
          icon="down"
          className={`uploads__fold${open ? "" : " uploads__fold--closed"}`}
          aria-expanded={open}
          label={open ? words.collapse : words.expand}
          onClick={() => setOpen(!open)}
        />
      </header>
      {open && conflicts > 1 && (
        <div className="uploads__all">
          <span>{words.forAll(conflicts)}</span>
          <ConflictButtons onChoose={(choice) => queue.resolveAll(choice)} />
        </div>
      )}
      {open && (
        <ul className="uploads__list">
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} queue={queue} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** It fails as long as the file is what it is. */
const isFinal = ({ problem }: Upload) =>
  problem?.code === "too_large" || problem?.code === "type_not_allowed" || problem?.code === "bad_name";

function UploadRow({ upload, queue }: { upload: Upload; queue: UploadQueue }) {
  const { messages } = useLanguage();
  const words = messages.uploads;
  const { id, name, status } = upload;
  return (
    <li className={`upload upload--${status}`}>
      <FileIcon kind={fileKind(name)} />
      <div className="upload__body">
        <p className="upload__name" title={name}>
          {name}
        </p>
        <p className="upload__note">
          <UploadNote upload={upload} limits={queue.limits} />
        </p>
        {status === "sending" && (
          <progress
            className="upload__progress"
            max={upload.size || 1}
            value={upload.sent}
            aria-label={name}
          />
        )}
        {status === "conflict" && <ConflictButtons onChoose={(choice) => queue.resolve(id, choice)} />}
      </div>
      {(status === "cancelled" || (status === "failed" && !isFinal(upload))) && (
        <button
          type="button"
          className="link-button"
          aria-label={words.retryName(name)}
          onClick={() => queue.retry(id)}
        >
          {words.retry}
        </button>
      )}
      {status !== "done" && status !== "cancelled" && (
        <IconButton
          icon="close"
          label={status === "failed" ? words.remove(name) : words.cancel(name)}
          onClick={() => queue.cancel(id)}
        />
      )}
      {status === "done" && (
        <span className="upload__done">
          <Icon name="check" />
        </span>
      )}
    </li>
  );
}

function UploadNote({ upload, limits }: { upload: Upload; limits: UploadQueue["limits"] }) {
  const { messages, formats } = useLanguage();
  const words = messages.uploads;
  const { status, sent, size, problem } = upload;
  const whyFailed = () => {
    const { code = "failed" } = problem ?? {};
    if (code === "too_large") return words.tooLarge(formats.size(limits.maxFileBytes));
    if (code === "type_not_allowed") return words.typeNotAllowed((limits.fileTypes ?? []).join(", "));
    return words.problems[code];
  };
  switch (status) {
    case "sending":
      if (sent === 0) return words.starting;
      return sent === size ? words.finishing : formats.progress(sent, size, words.of);
    case "failed":
      return (
        <>
          {whyFailed()}
          {problem && <ProblemDetails problem={problem} />}
        </>
      );
    case "done":
      return formats.size(size);
    default:
      return words[status];
  }
}

function ConflictButtons({ onChoose }: { onChoose(choice: ConflictChoice): void }) {
  const words = useLanguage().messages.uploads;
  return (
    <div className="upload__choices">
      {(["replace", "keepBoth", "skip"] as const).map((choice) => (
        <button key={choice} type="button" className="button button--small" onClick={() => onChoose(choice)}>
          {words[choice]}
        </button>
      ))}
    </div>
  );
}
