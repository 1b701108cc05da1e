import { type ConflictChoice, joinPath } from "platform-embed-element/client";
import { useRef } from "react";
import { Icon, IconButton } from "../../../embed/components/icons";
import { visibleText } from "../../../locales/visible-text";
import { FileIcon } from "../browse/file-icon";
import { fileKind } from "../browse/file-kind";
import { FileName } from "../screen/file-name";
import { type Translate, useLanguage } from "../screen/language";
import { ProblemDetails } from "../screen/problem-details";
import { activeStatuses, cannotBeRetried, type Upload } from "./transfers/upload";
import type { UploadQueue } from "./transfers/upload-queue";

interface UploadRowProps {
  upload: Upload;
  queue: UploadQueue;
  /** the version that is replaced is kept */
  keepsHistory: boolean;
}

/** One upload with its state and buttons. */
export function UploadRow({ upload, queue, keepsHistory }: UploadRowProps) {
  const { id, isFolder, name, folderPath, status, size, sent } = upload;
  const { t } = useLanguage();
  const hasProgress = status === "sending" || status === "checking" || status === "paused";
  return (
    <li className={`upload upload--${status}`}>
      <FileIcon kind={isFolder ? "folder" : fileKind(name)} />
      <div className="upload__body">
        <p className="upload__name" title={visibleText(joinPath(folderPath, name))}>
          <FileName name={name} />
        </p>
        <p className="upload__note">
          <UploadNote upload={upload} limits={queue.limits} />
          {status === "conflict" && keepsHistory && ` ${t("past.olderIsKept")}`}
        </p>
        {hasProgress && (
          <progress
            className="upload__progress"
            max={size || 1}
            value={sent}
            aria-label={visibleText(name)}
          />
        )}
        {status === "conflict" && (
          <ConflictButtons label={visibleText(name)} onChoose={(choice) => queue.resolve(id, choice)} />
        )}
        {status === "found" && (
          <fieldset className="upload__choices" aria-label={visibleText(name)}>
            <button
              type="button"
              className="button button--small"
              onClick={() => queue.resolveFound(id, true)}
            >
              {t("uploads.resume")}
            </button>
            <button
              type="button"
              className="button button--small"
              onClick={() => queue.resolveFound(id, false)}
            >
              {t("uploads.startOver")}
            </button>
          </fieldset>
        )}
      </div>
      <UploadRowButtons upload={upload} queue={queue} />
    </li>
  );
}

function UploadRowButtons({ upload, queue }: Omit<UploadRowProps, "keepsHistory">) {
  const { t } = useLanguage();
  const { id, name, status } = upload;
  const isRetried = status === "cancelled" || (status === "failed" && !cannotBeRetried(upload));
  const isRemoved = status === "failed" || status === "needs-file";
  const isPausable = activeStatuses.includes(status) && status !== "waiting";
  if (status === "done") {
    return (
      <span className="upload__done">
        <Icon name="check" />
      </span>
    );
  }
  return (
    <>
      {status === "needs-file" && <ChooseFile upload={upload} queue={queue} />}
      {isRetried && (
        <TextButton label={t("uploads.retryName", { name })} onClick={() => queue.retry(id)}>
          {t("uploads.retry")}
        </TextButton>
      )}
      {isPausable && (
        <TextButton label={t("uploads.pauseName", { name })} onClick={() => queue.pause(id)}>
          {t("uploads.pause")}
        </TextButton>
      )}
      {status === "paused" && (
        <TextButton label={t("uploads.resumeName", { name })} onClick={() => queue.retry(id)}>
          {t("uploads.resume")}
        </TextButton>
      )}
      {status !== "cancelled" && (
        <IconButton
          icon="close"
          label={
            status === "needs-file"
              ? t("uploads.discard", { name })
              : isRemoved
                ? t("uploads.remove", { name })
                : t("uploads.cancel", { name })
          }
          onClick={() => queue.cancel(id)}
        />
      )}
    </>
  );
}

function TextButton(props: { label: string; onClick(): void; children: string }) {
  return (
    <button type="button" className="link-button" aria-label={props.label} onClick={props.onClick}>
      {props.children}
    </button>
  );
}

/** After a reload, the page has no access to the file: the person must choose it again. */
function ChooseFile({ upload, queue }: Omit<UploadRowProps, "keepsHistory">) {
  const { t } = useLanguage();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <TextButton
        label={`${t("uploads.chooseAgain")}: ${t("uploads.chooseAgainName", { name: upload.name })}`}
        onClick={() => picker.current?.click()}
      >
        {t("uploads.chooseAgain")}
      </TextButton>
      <input
        ref={picker}
        type="file"
        hidden
        aria-label={t("uploads.chooseAgainName", { name: upload.name })}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) queue.resumeWith(upload.id, file);
          target.value = "";
        }}
      />
    </>
  );
}

/** The state of an upload, or why it failed. */
export function UploadNote({ upload, limits }: { upload: Upload; limits: UploadQueue["limits"] }) {
  const { t, formats } = useLanguage();
  const { isFolder, status, sent, size, problem } = upload;
  const progress = t("progress", formats.progress(sent, size));
  const why = () => {
    const { code = "failed" } = problem ?? {};
    if (code === "too_large") return t("uploads.tooLarge", { most: formats.size(limits.maxFileBytes) });
    if (code === "type_not_allowed") {
      const types = limits.fileTypes ?? [];
      if (types.length === 0) return t("uploads.typeNotAllowed");
      return t("uploads.onlyTypes", { types: formats.anyOf(typeNames(types, t)) });
    }
    if (code === "refused" && problem?.details.reason) return <bdi>{problem.details.reason}</bdi>;
    // Only reading a stored file fails like this.
    if (code === "being_checked" || code === "blocked" || code === "not_addressable")
      return t("uploads.problems.failed");
    // A file that changes during its upload becomes unreadable.
    return t(`uploads.problems.${code === "changed" ? "unreadable" : code}`);
  };
  switch (status) {
    case "sending":
      if (sent === 0) return t("uploads.starting");
      return sent === size ? t("uploads.finishing") : progress;
    case "checking":
      return t("uploads.checking");
    case "retrying":
      return problem?.code === "offline" ? t("uploads.problems.offline") : t("uploads.retrying");
    case "paused":
      return t("uploads.paused", { progress });
    case "needs-file":
      return problem === null ? t("uploads.interrupted", { progress }) : why();
    case "failed":
      return (
        <>
          {why()}
          {problem && <ProblemDetails problem={problem} />}
        </>
      );
    case "done":
      return isFolder ? t("uploads.folderMade") : formats.size(size);
    default:
      return t(`uploads.${status}`);
  }
}

interface ConflictButtonsProps {
  /** accessible name */
  label: string;
  onChoose(choice: ConflictChoice): void;
}

export function ConflictButtons({ label, onChoose }: ConflictButtonsProps) {
  const { t } = useLanguage();
  return (
    <fieldset className="upload__choices" aria-label={label}>
      {(["replace", "keep-both", "skip"] as const).map((choice) => (
        <button key={choice} type="button" className="button button--small" onClick={() => onChoose(choice)}>
          {t(choice === "keep-both" ? "uploads.keepBoth" : `uploads.${choice}`)}
        </button>
      ))}
    </fieldset>
  );
}

/** File types in the words of people who have never seen a media type: `image/*` and `.pdf` are "images" and "PDF". */
export function typeNames(fileTypes: readonly string[], t: Translate): string[] {
  const names = fileTypes.map((type) => {
    const [group, subtype = ""] = type.toLowerCase().split("/");
    if (type.startsWith(".")) return type.slice(1).toUpperCase();
    if (subtype !== "*") return type.toLowerCase() === "application/pdf" ? "PDF" : type;
    return group === "image" || group === "video" || group === "audio" ? t(`uploads.types.${group}`) : type;
  });
  return [...new Set(names)];
}
