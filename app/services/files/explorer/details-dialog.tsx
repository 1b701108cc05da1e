import { type ReactNode, useEffect, useState } from "react";
import { useModal } from "./dialog";
import { extensionOf, fileKind } from "./file-kind";
import { folderOf, type Row } from "./folder/folder-state";
import { FileIcon, IconButton } from "./icons";
import { type Translate, useLanguage } from "./language";

/** Details of a file or folder. */
export default function DetailsDialog({ row, onClose }: { row: Row; onClose(): void }) {
  const { t } = useLanguage();
  const { modal } = useModal(onClose);
  return (
    <dialog {...modal} className="modal details-dialog" aria-label={t("look.detailsOf", { name: row.name })}>
      <header className="details-dialog__head">
        <FileIcon kind={row.type === "folder" ? "folder" : fileKind(row.name)} />
        <h2>{t("look.details")}</h2>
        <IconButton icon="close" label={t("preview.close")} onClick={onClose} />
      </header>
      <DetailsList row={row} />
    </dialog>
  );
}

/** Also shown beside the preview. */
export function DetailsList({ row }: { row: Row }) {
  const { t, formats } = useLanguage();
  // The quotation marks belong to HTTP, not to the value in the store.
  const version = row.type === "file" ? row.etag.replaceAll('"', "") : "";
  return (
    <dl className="details">
      <Detail name={t("name")}>
        <bdi>{row.name}</bdi>
      </Detail>
      <Detail name={t("look.type")}>{typeOf(row, t)}</Detail>
      {row.type === "file" && (
        <>
          <Detail name={t("size")}>
            {formats.size(row.size)}
            {row.size >= 1000 && (
              <span className="details__exact"> ({t("look.bytes", { count: row.size })})</span>
            )}
          </Detail>
          <Detail name={t("modified")}>
            <time dateTime={row.lastModified}>{formats.dateTime(row.lastModified)}</time>
          </Detail>
        </>
      )}
      <Detail name={t("look.folder")}>
        <bdi>{folderOf(row)}</bdi>
      </Detail>
      <Detail name={t("look.key")} copies={row.type === "file" ? row.key : row.path}>
        <code>
          <bdi>{row.type === "file" ? row.key : row.path}</bdi>
        </code>
      </Detail>
      {version && (
        <Detail name={t("look.version")} copies={version}>
          <code>
            <bdi>{version}</bdi>
          </code>
        </Detail>
      )}
    </dl>
  );
}

interface DetailProps {
  name: string;
  /** text for a copy button */
  copies?: string;
  children: ReactNode;
}

function Detail({ name, copies, children }: DetailProps) {
  return (
    <div className="details__line">
      <dt>{name}</dt>
      <dd>
        <span className="details__value">{children}</span>
        {copies !== undefined && <CopyButton text={copies} name={name} />}
      </dd>
    </div>
  );
}

/** `Image (PNG)` */
function typeOf(row: Row, t: Translate): string {
  const kind = row.type === "folder" ? "folder" : fileKind(row.name);
  const type = t(`look.kinds.${kind === "other" ? "file" : kind}`);
  const extension = row.type === "folder" ? "" : extensionOf(row.name);
  return extension === "" ? type : t("look.typeWithExtension", { type, extension: extension.toUpperCase() });
}

/** How long "Copied" is shown. */
const COPIED_SHOWN_MS = 2_000;

function CopyButton({ text, name }: { text: string; name: string }) {
  const { t } = useLanguage();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <>
      <IconButton
        icon={copied ? "check" : "copy"}
        label={t("look.copy", { what: name })}
        onClick={async ({ currentTarget }) => setCopied(await copyText(text, currentTarget))}
      />
      <span className="visually-hidden" role="status">
        {copied && t("look.copied")}
      </span>
    </>
  );
}

/** A third-party frame needs permission for the clipboard API; `execCommand` needs none. */
async function copyText(text: string, beside: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "visually-hidden";
    // Inside the modal dialog: nothing outside of it can be selected.
    beside.after(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    beside.focus();
    return copied;
  }
}
