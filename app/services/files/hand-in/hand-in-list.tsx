import { type RefObject, useRef } from "react";
import { Icon, IconButton } from "../../../embed/components/icons";
import { visibleText } from "../../../locales/visible-text";
import { FileIcon } from "../browse/file-icon";
import { fileKind } from "../browse/file-kind";
import { FileName } from "../screen/file-name";
import { useLanguage } from "../screen/language";
import { ProgressButtons, type RowScope, UploadNote } from "../uploads/upload-row";
import { summarize } from "../uploads/upload-summary";
import type { HandInFile, HandInVisit } from "./use-hand-in";

type NoteScope = Omit<RowScope, "actions">;

interface HandInListProps {
  handIn: Pick<HandInVisit, "engine" | "rows" | "takeBack">;
  scope: NoteScope;
  /** gets the focus when the last row has gone */
  fallback: RefObject<HTMLElement>;
}

/** What this visit has sent, is sending, or could not send; the newest first. */
export function HandInList({ handIn, scope, fallback }: HandInListProps) {
  const { t } = useLanguage();
  const { engine, rows, takeBack } = handIn;
  const heading = useRef<HTMLHeadingElement>(null);
  const { retriableCount } = summarize(rows.map(({ upload }) => upload));
  /** The row that had the focus has gone. */
  const moveFocus = () => (rows.length > 1 ? heading : fallback).current?.focus();
  return (
    <section className="hand-in__list" aria-labelledby="hand-in-list">
      <header>
        <h2 ref={heading} id="hand-in-list" tabIndex={-1}>
          {t("handIn.files")}
        </h2>
        {retriableCount > 1 && (
          <button type="button" className="link-button" onClick={() => engine.retryAll()}>
            {t("uploads.retryAll")}
          </button>
        )}
      </header>
      <ul>
        {[...rows].reverse().map((row) => (
          <HandInRow
            key={row.upload.id}
            row={row}
            engine={engine}
            scope={scope}
            onTakeBack={async () => {
              if (await takeBack(row.upload)) moveFocus();
            }}
            onRemove={() => {
              engine.cancel(row.upload.id);
              moveFocus();
            }}
          />
        ))}
      </ul>
    </section>
  );
}

interface HandInRowProps extends Pick<HandInVisit, "engine"> {
  scope: NoteScope;
  row: HandInFile;
  onTakeBack(): void;
  onRemove(): void;
}

function HandInRow({ row, engine, scope, onTakeBack, onRemove }: HandInRowProps) {
  const { name, status, size, sent } = row.upload;
  const hasProgress = status === "sending" || status === "checking" || status === "paused";
  return (
    <li className={`hand-in-row hand-in-row--${status}`}>
      <FileIcon kind={fileKind(name)} />
      <div className="hand-in-row__body">
        <p className="hand-in-row__name" title={visibleText(name)}>
          <FileName name={name} />
        </p>
        <p className={`hand-in-row__note${row.takingBack === "failed" ? " hand-in-row__note--failed" : ""}`}>
          <RowNote row={row} scope={scope} />
        </p>
        {hasProgress && (
          <progress
            className="upload__progress"
            max={size || 1}
            value={sent}
            aria-label={visibleText(name)}
          />
        )}
      </div>
      <RowButtons row={row} engine={engine} onTakeBack={onTakeBack} onRemove={onRemove} />
    </li>
  );
}

function RowNote({ row: { upload, takingBack }, scope }: Pick<HandInRowProps, "row" | "scope">) {
  const { t, formats } = useLanguage();
  if (upload.status !== "done")
    return <UploadNote upload={upload} limits={scope.limits} noRoom={t("handIn.noRoom")} />;
  switch (takingBack) {
    case "running":
      return t("handIn.takingBack");
    case "failed":
      return t("handIn.notTakenBack");
    case "collected":
      return t("handIn.collected");
    default:
      return t("handIn.sentSize", { size: formats.size(upload.size) });
  }
}

function RowButtons({
  row: { upload, takingBack },
  engine,
  onTakeBack,
  onRemove,
}: Omit<HandInRowProps, "scope">) {
  const { t } = useLanguage();
  const { name, status } = upload;
  if (status === "done") {
    return (
      <>
        {takingBack !== "collected" && (
          <button
            type="button"
            className="link-button hand-in-row__back"
            aria-label={t("handIn.takeBackName", { name })}
            // Not `disabled`: the button would lose the focus.
            aria-disabled={takingBack === "running"}
            onClick={() => takingBack !== "running" && onTakeBack()}
          >
            {t("handIn.takeBack")}
          </button>
        )}
        <span className="hand-in-row__check">
          <Icon name="check" />
        </span>
      </>
    );
  }
  return (
    <>
      <ProgressButtons upload={upload} engine={engine} />
      <IconButton
        icon="close"
        label={status === "failed" ? t("uploads.remove", { name }) : t("uploads.cancel", { name })}
        onClick={onRemove}
      />
    </>
  );
}
