import { folderOf, type Row, rowId } from "platform-embed-element/client";
import { Fragment, type ReactNode, useEffect, useRef, useState } from "react";
import { IconButton } from "../../../embed/components/icons";
import { visibleText } from "../../../locales/visible-text";
import { extensionOf, fileKind } from "../browse/file-kind";
import { breadcrumbs } from "../browse/folder/breadcrumbs";
import type { Thumbnails } from "../browse/pictures/thumbnails";
import { useThumbnail } from "../browse/pictures/use-thumbnails";
import { sizedPath } from "../browse/sizes/use-folder-sizes";
import { useFolderName } from "../screen/folder-name";
import { type Translate, useLanguage, useVisibleName } from "../screen/language";
import { scrollInside } from "../screen/scroll-inside";
import { VisitorName } from "../screen/visitor-name";
import { FileActivity } from "./file-activity";
import { FileVersions } from "./file-versions";
import { FolderSizeDetail } from "./folder-size-detail";
import type { Details } from "./use-details";

interface DetailsListProps {
  row: Row;
  /** the highest folder that may be browsed */
  rootPath: string;
  /** `sizes` are of folders, and not needed for files */
  sections: Pick<Details, "activity" | "versions"> & Partial<Pick<Details, "sizes">>;
}

/** Details of a file or folder: in a dialog, in the panel at the side, and beside a preview. */
export function DetailsList({ row, rootPath, sections: { activity, versions, sizes } }: DetailsListProps) {
  const { t, formats } = useLanguage();
  const visibleName = useVisibleName();
  const location = breadcrumbs(folderOf(row), rootPath, useFolderName()).map(({ name }) => name);
  return (
    <>
      <dl className="details">
        <Detail name={t("name")} copies={row.name}>
          <bdi>{visibleName(row.name)}</bdi>
        </Detail>
        <Detail name={t("look.type")}>{typeOf(row, t)}</Detail>
        {row.type === "file" && (
          <Detail name={t("size")}>
            {formats.size(row.size)}
            {row.size >= 1000 && (
              <span className="details__exact"> ({t("look.bytes", { count: row.size })})</span>
            )}
          </Detail>
        )}
        {row.type === "folder" && row.deletion && (
          <Detail name={t("size")}>
            {formats.size(row.deletion.size)}
            <span className="details__exact"> ({t("items", { count: row.deletion.count })})</span>
          </Detail>
        )}
        {sizes && sizedPath(row) !== null && (
          <Detail name={t("size")}>
            <FolderSizeDetail path={sizedPath(row) ?? ""} sizes={sizes} />
          </Detail>
        )}
        <WhenDetails row={row} />
        <Detail name={t("look.location")} copies={location.join("/")}>
          {location.map((name, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: folders inside of each other may have the same name
            <Fragment key={index}>
              {index > 0 && " / "}
              <bdi>{visibleText(name)}</bdi>
            </Fragment>
          ))}
        </Detail>
      </dl>
      {/* Of a file as it was, other versions would contradict what is shown. A deleted file has no other content. */}
      {versions && row.type === "file" && (row.versionId === undefined || row.deletion) && (
        <OpenableSection of={rowId(row)} title={t("versions.title")} {...versions}>
          <FileVersions
            file={row}
            client={versions.client}
            onView={versions.onView}
            onRestored={versions.onRestored}
            {...versions.abilitiesFor(row.key)}
          />
        </OpenableSection>
      )}
      {activity && (
        <OpenableSection of={rowId(row)} title={t("look.activity")} {...activity}>
          <FileActivity row={row} rootPath={rootPath} client={activity.client} />
        </OpenableSection>
      )}
      <SupportDetails row={row} />
    </>
  );
}

/** When it was made, or deleted and by whom. */
function WhenDetails({ row }: { row: Row }) {
  const { t, formats } = useLanguage();
  const { deletion } = row;
  if (deletion) {
    const { at, visitor } = deletion;
    return (
      <>
        <Detail name={t("versions.deletedAt")}>
          <time dateTime={at}>{formats.dateTime(at)}</time>
        </Detail>
        {visitor && (
          <Detail name={t("versions.deletedBy")}>
            <VisitorName visitor={visitor} />
          </Detail>
        )}
      </>
    );
  }
  if (row.type === "folder") return null;
  const { lastModified, versionId } = row;
  return (
    <Detail name={t(versionId === undefined ? "modified" : "versions.from")}>
      <time dateTime={lastModified}>{formats.dateTime(lastModified)}</time>
    </Detail>
  );
}

/** The thumbnail of an image, below the head, which then shows no icon. It is empty for other files and folders. */
export function DetailsPicture({ row, thumbnails }: { row: Row; thumbnails: Thumbnails | null }) {
  const box = useRef<HTMLDivElement>(null);
  const picture = useThumbnail(box, row, thumbnails);
  return (
    <div ref={box} className="details__picture">
      {picture && <img src={picture} alt="" />}
    </div>
  );
}

/** How long a row is shown before its sections are loaded, so that nothing is loaded for the files that a person passes by arrow keys. */
const STAYS_MS = 200;

interface OpenableSectionProps {
  /** the row that it is about */
  of: string;
  title: string;
  /** another object each time that the person asks for this section */
  asked?: object | null;
  isOpen: boolean;
  setOpen(isOpen: boolean): void;
  children: ReactNode;
}

/** A section whose content is loaded when it is opened first. It stays open for other rows. */
function OpenableSection({ of, title, asked = null, isOpen, setOpen, children }: OpenableSectionProps) {
  const { t } = useLanguage();
  const [staying, setStaying] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setStaying(of), STAYS_MS);
    return () => clearTimeout(timer);
  }, [of]);
  const heading = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!asked) return;
    heading.current?.focus({ preventScroll: true });
    // Its content is not loaded yet, and will be below.
    scrollInside(heading.current, "start");
  }, [asked]);
  return (
    <details
      className="details-support"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary ref={heading}>{title}</summary>
      {isOpen && (staying === of ? children : <p className="file-activity">{t("loading")}</p>)}
    </details>
  );
}

/** What identifies the object in the store. Customers need it only when somebody asks them for it. */
function SupportDetails({ row }: { row: Row }) {
  const { t } = useLanguage();
  const values =
    row.type === "folder"
      ? [{ name: t("look.key"), value: row.path }]
      : [
          { name: t("look.key"), value: row.key },
          // The quotation marks belong to HTTP, not to the value in the store.
          { name: t("look.version"), value: row.etag.replaceAll('"', "") },
          { name: t("versions.id"), value: row.versionId },
        ];
  return (
    <details className="details-support">
      <summary>{t("look.support")}</summary>
      <dl className="details">
        {values.map(
          ({ name, value }) =>
            value && (
              <Detail key={name} name={name} copies={value}>
                <code>
                  <bdi>{visibleText(value)}</bdi>
                </code>
              </Detail>
            ),
        )}
      </dl>
    </details>
  );
}

/** Details of several files and folders. */
export function SelectionDetails({ rows }: { rows: readonly Row[] }) {
  const { t, formats } = useLanguage();
  const files = rows.filter((row) => row.type === "file");
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  return (
    <dl className="details">
      <Detail name={t("look.selection")}>{t("items", { count: rows.length })}</Detail>
      {files.length > 0 && (
        <Detail name={t("look.totalSize")}>
          {formats.size(bytes)}
          {files.length < rows.length && (
            <span className="details__exact"> ({t("look.withoutFolders")})</span>
          )}
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
