import {
  cannotBeRetried,
  isActive,
  joinPath,
  MAX_OBJECT_BYTES,
  phaseOf,
  type Upload,
  type UploadConflictChoice,
  type Uploads,
} from "platform-embed-element/client";
import { useRef } from "react";
import { Icon, IconButton } from "../../../embed/components/icons";
import { visibleText } from "../../../locales/visible-text";
import { FileIcon } from "../browse/file-icon";
import { fileKind } from "../browse/file-kind";
import type { ExplorerProps } from "../place/props";
import { FileName } from "../screen/file-name";
import { useFolderName } from "../screen/folder-name";
import { type Translate, useLanguage } from "../screen/language";
import { problemCode } from "../screen/problem-code";
import { ProblemDetails } from "../screen/problem-details";

/** What rows need of the explorer's props. */
export type RowScope = Pick<ExplorerProps, "actions" | "limits">;

interface UploadRowProps {
  upload: Upload;
  engine: Uploads;
  scope: RowScope;
  /** path of the open folder: what goes elsewhere says where */
  openPath: string;
  onCompare(): void;
}

/** One upload with its state and buttons. */
export function UploadRow({ upload, engine, scope, openPath, onCompare }: UploadRowProps) {
  const { id, isFolder, name, folderPath, status, size, sent } = upload;
  const phase = phaseOf(upload);
  const { t } = useLanguage();
  const folderName = useFolderName();
  const hasProgress = status === "sending" || status === "checking" || status === "paused";
  return (
    <li className={`upload upload--${phase}`}>
      <FileIcon kind={isFolder ? "folder" : fileKind(name)} />
      <div className="upload__body">
        <p className="upload__name" title={visibleText(joinPath(folderPath, name))}>
          <FileName name={name} />
        </p>
        <p className="upload__note">
          {folderPath !== openPath && (
            <>
              <bdi>{folderName(folderPath)}</bdi> ·{" "}
            </>
          )}
          <UploadNote upload={upload} limits={scope.limits} />
          {/* The version that is replaced is kept. */}
          {phase === "conflict" && scope.actions.includes("history") && ` ${t("past.olderIsKept")}`}
        </p>
        {hasProgress && (
          <progress
            className="upload__progress"
            max={size || 1}
            value={sent}
            aria-label={visibleText(name)}
          />
        )}
        {phase === "conflict" && (
          <ConflictButtons
            label={visibleText(name)}
            onChoose={(choice) => engine.answer(id, choice)}
            onCompare={onCompare}
          />
        )}
        {phase === "found" && (
          <fieldset className="upload__choices" aria-label={visibleText(name)}>
            <button
              type="button"
              className="button button--small"
              onClick={() => engine.answer(id, "continue")}
            >
              {t("uploads.resume")}
            </button>
            <button
              type="button"
              className="button button--small"
              onClick={() => engine.answer(id, "start-over")}
            >
              {t("uploads.startOver")}
            </button>
          </fieldset>
        )}
      </div>
      <UploadRowButtons upload={upload} engine={engine} />
    </li>
  );
}

function UploadRowButtons({ upload, engine }: Pick<UploadRowProps, "upload" | "engine">) {
  const { t } = useLanguage();
  const { id, name, status, error } = upload;
  const needsFile = phaseOf(upload) === "file";
  const isRemoved = status === "failed" || needsFile;
  if (status === "done") {
    return (
      <span className="upload__done">
        <Icon name="check" />
      </span>
    );
  }
  return (
    <>
      {needsFile && <ChooseFile upload={upload} onChoose={(file) => engine.answer(id, file)} />}
      {status === "failed" && error?.code === "unreadable" && (
        <ChooseFile upload={upload} onChoose={(file) => engine.retry(id, file)} />
      )}
      <ProgressButtons upload={upload} engine={engine} />
      {status !== "cancelled" && (
        <IconButton
          icon="close"
          label={
            needsFile
              ? t("uploads.discard", { name })
              : isRemoved
                ? t("uploads.remove", { name })
                : t("uploads.cancel", { name })
          }
          onClick={() => engine.cancel(id)}
        />
      )}
    </>
  );
}

/** What an upload that is not done can be told: to try again, to pause or to go on. */
export function ProgressButtons({ upload, engine }: Pick<UploadRowProps, "upload" | "engine">) {
  const { t } = useLanguage();
  const { id, name, status } = upload;
  const isRetried = status === "cancelled" || (status === "failed" && !cannotBeRetried(upload));
  const isPausable = isActive(upload) && status !== "queued" && status !== "waiting";
  return (
    <>
      {isRetried && (
        <TextButton label={t("uploads.retryName", { name })} onClick={() => engine.retry(id)}>
          {t("uploads.retry")}
        </TextButton>
      )}
      {isPausable && (
        <TextButton label={t("uploads.pauseName", { name })} onClick={() => engine.pause(id)}>
          {t("uploads.pause")}
        </TextButton>
      )}
      {status === "paused" && (
        <TextButton label={t("uploads.resumeName", { name })} onClick={() => engine.retry(id)}>
          {t("uploads.resume")}
        </TextButton>
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

interface ChooseFileProps extends Pick<UploadRowProps, "upload"> {
  onChoose(file: File): void;
}

/** After a reload, or when the file has changed, the page has no access to it: the person must choose it again. */
function ChooseFile({ upload, onChoose }: ChooseFileProps) {
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
          if (file) onChoose(file);
          target.value = "";
        }}
      />
    </>
  );
}

interface UploadNoteProps extends Omit<RowScope, "actions"> {
  upload: Upload;
  /** what is said when there is no more room; by default also what to do about it */
  noRoom?: string;
}

/** The state of an upload, or why it failed. */
export function UploadNote({ upload, limits, noRoom }: UploadNoteProps) {
  const { t, formats } = useLanguage();
  const { isFolder, sent, size, error } = upload;
  const phase = phaseOf(upload);
  const progress = t("progress", formats.progress(sent, size));
  const why = () => {
    const code = error ? problemCode(error) : "failed";
    if (code === "too_large")
      return t("uploads.tooLarge", { most: formats.size(limits.maxFileBytes ?? MAX_OBJECT_BYTES) });
    if (code === "type_not_allowed") {
      const types = limits.fileTypes ?? [];
      if (types.length === 0) return t("uploads.typeNotAllowed");
      return t("uploads.onlyTypes", { types: formats.anyOf(typeNames(types, t)) });
    }
    if (code === "quota_exceeded" && noRoom !== undefined) return noRoom;
    // Of what a name must not have, these can be seen. Others are shown by their code points.
    if (code === "bad_name" && /[/\\]/.test(upload.name))
      return `${t("changes.nameSlash")} ${t("uploads.problems.bad_name")}`;
    // In the words of the embedding page.
    if (error?.code === "refused" && error.message !== error.code) return <bdi>{error.message}</bdi>;
    // Only reading a stored file fails like this.
    if (code === "being_checked" || code === "blocked" || code === "not_addressable")
      return t("uploads.problems.failed");
    // A file that changes during its upload becomes unreadable.
    return t(`uploads.problems.${code === "changed" ? "unreadable" : code}`);
  };
  switch (phase) {
    case "sending":
      if (sent === 0) return t("uploads.starting");
      return sent === size ? t("uploads.finishing") : progress;
    case "checking":
      return t("uploads.checking");
    case "retrying":
      return error?.code === "offline" ? t("uploads.problems.offline") : t("uploads.retrying");
    case "paused":
      return t("uploads.paused", { progress });
    case "file":
      return error === null ? t("uploads.interrupted", { progress }) : why();
    case "failed":
      return (
        <>
          {why()}
          {error && <ProblemDetails problem={error} />}
        </>
      );
    case "done":
      return isFolder ? t("uploads.folderMade") : formats.size(size);
    case "queued":
    case "approval":
      return t("uploads.waiting");
    default:
      return t(`uploads.${phase}`);
  }
}

interface ConflictButtonsProps {
  /** accessible name */
  label: string;
  onChoose(choice: UploadConflictChoice): void;
  /** shows what is there beside what comes */
  onCompare(): void;
}

export function ConflictButtons({ label, onChoose, onCompare }: ConflictButtonsProps) {
  const { t } = useLanguage();
  return (
    <fieldset className="upload__choices" aria-label={label}>
      {(["replace", "keep-both", "skip"] as const).map((choice) => (
        <button key={choice} type="button" className="button button--small" onClick={() => onChoose(choice)}>
          {t(choice === "keep-both" ? "uploads.keepBoth" : `uploads.${choice}`)}
        </button>
      ))}
      <button type="button" className="link-button" aria-haspopup="dialog" onClick={onCompare}>
        {t("uploads.compare")}
      </button>
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
