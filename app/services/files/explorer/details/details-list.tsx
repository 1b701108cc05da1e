import type { ReactNode } from "react";
import { extensionOf, fileKind } from "../file-kind";
import { folderOf, type Row } from "../folder/folder-state";
import { type Translate, useLanguage } from "../language";
import { CopyButton } from "./copy-button";

/** What is known of a file or folder. */
export function DetailsList({ row }: { row: Row }) {
  const { t, formats } = useLanguage();
  // Its quotation marks are HTTP's, and nobody's who looks for it in the store.
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
  /** what a button beside it puts on the clipboard */
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
