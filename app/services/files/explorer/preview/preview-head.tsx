import type { FileEntry } from "../../storage-contract.server";
import { fileKind } from "../file-kind";
import { IconButton } from "../icon-button";
import { FileIcon, Icon } from "../icons";
import { useLanguage } from "../language";
import type { FullScreen } from "./use-full-screen";

interface PreviewHeadProps {
  file: FileEntry;
  /** among the files of the list, from 0 */
  position: { index: number; total: number };
  details: { open: boolean; toggle(): void };
  fullScreen: FullScreen;
  /** undefined at the first file, and at the last */
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  onDownload(): void;
  onClose(): void;
}

export function PreviewHead({ file, position, details, fullScreen, ...on }: PreviewHeadProps) {
  const { t, formats } = useLanguage();
  return (
    <header className="preview__head">
      <FileIcon kind={fileKind(file.name)} />
      <div className="preview__title">
        <h2 title={file.name}>
          <bdi>{file.name}</bdi>
        </h2>
        <p>
          {formats.size(file.size)} · {formats.dateTime(file.lastModified)}
        </p>
      </div>
      <div className="preview__steps">
        {/* Not `disabled`: that would drop the focus, and the arrow keys with it, at either end. */}
        <IconButton
          icon="chevron"
          className="preview__previous"
          aria-disabled={!on.onPrevious}
          label={t("preview.previous")}
          onClick={() => on.onPrevious?.()}
        />
        <span>{t("preview.position", { index: position.index + 1, total: position.total })}</span>
        <IconButton
          icon="chevron"
          aria-disabled={!on.onNext}
          label={t("preview.next")}
          onClick={() => on.onNext?.()}
        />
      </div>
      <IconButton
        icon="info"
        className="preview__info"
        label={t("look.details")}
        aria-pressed={details.open}
        onClick={details.toggle}
      />
      <IconButton
        icon={fullScreen.fills ? "shrink" : "expand"}
        className="preview__expand"
        label={fullScreen.fills ? t("look.leaveFullScreen") : t("look.fullScreen")}
        onClick={fullScreen.toggle}
      />
      <button
        type="button"
        className="button preview__download"
        aria-label={t("downloadFile", { name: file.name })}
        onClick={on.onDownload}
      >
        <Icon name="download" />
        <span>{t("download")}</span>
      </button>
      <IconButton icon="close" className="preview__close" label={t("preview.close")} onClick={on.onClose} />
    </header>
  );
}
