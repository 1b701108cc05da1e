// biome-ignore-all lint/a11y/useSemanticElements: a grid of divs: the cells of a table cannot be laid out for a narrow screen and stay a table to a screen reader
// biome-ignore-all lint/a11y/useFocusableInteractive: rows take the focus, cells do not
import { memo, useRef } from "react";
import { IconButton } from "../../../../embed/components/icons";
import { FileName, withMarks } from "../../screen/file-name";
import { useLanguage, useVisibleName } from "../../screen/language";
import { CheckMark, isMarked, thumbnailsFor, useFileCheck } from "../checks/check-mark";
import { FileIcon } from "../file-icon";
import { fileKind } from "../file-kind";
import { bytesOf, visitorName } from "../folder/arrange-rows";
import { useThumbnail } from "../pictures/use-thumbnails";
import { useFolderSize } from "../sizes/use-folder-sizes";
import { useTypeOf } from "../use-type-of";
import type { GridItemProps, RowButton } from "./grid-props";

interface FileRowProps extends GridItemProps {
  /** has a menu button */
  more: boolean;
}

/** One row of the list. The grid handles its events. `memo`: of a thousand rows, only changed ones are rendered again. */
export const FileRow = memo(function FileRow(props: FileRowProps) {
  const { row, index, active, selected, dimmed, where, query, button, more } = props;
  const { t, formats } = useLanguage();
  const typeOf = useTypeOf();
  const name = useVisibleName()(row.name);
  const element = useRef<HTMLDivElement>(null);
  const check = useFileCheck(element, row, props.checks);
  const picture = useThumbnail(element, row, thumbnailsFor(check, props));
  const { folderSize } = props;
  useFolderSize(element, row, props.sizes, folderSize);
  const isFile = row.type === "file";
  const { deletion } = row;
  const date = deletion?.at ?? (isFile ? row.lastModified : undefined);
  const bytes = isFile || deletion ? bytesOf(row) : folderSize?.bytes;
  const size = bytes === undefined ? undefined : formats.size(bytes);
  const state = isMarked(check) && t(`checks.${check}`);
  const about = [
    state,
    size,
    date && (deletion ? formats.dateTime(date) : formats.date(date)),
    deletion && visitorName(deletion),
  ]
    .filter(Boolean)
    .join(", ");
  return (
    <div
      ref={element}
      role="row"
      className={`row${dimmed ? " row--dimmed" : ""}${props.isNew ? " row--new" : ""}`}
      data-row={index}
      aria-rowindex={index + 2}
      aria-selected={selected}
      aria-label={name}
      aria-description={about || undefined}
      suppressHydrationWarning
      tabIndex={active ? 0 : -1}
    >
      <span role="gridcell" className="row__check">
        <input
          type="checkbox"
          className="needs-script"
          checked={selected}
          readOnly
          tabIndex={-1}
          aria-label={t("select", { name: row.name })}
        />
      </span>
      <span role="gridcell" className="row__name">
        {picture ? (
          <img className="row__thumbnail" src={picture} alt="" decoding="sync" draggable={false} />
        ) : (
          <FileIcon kind={isFile ? fileKind(row.name) : "folder"} />
        )}
        {/* Not of the cell: a screen reader would read the name twice. */}
        <FileName className="row__file" data-name="" name={row.name} query={query} title={name} keepsEnd />
        <CheckMark check={check} />
        {where !== null && <WhereButton where={where} query={query} active={active} />}
      </span>
      <span role="gridcell" className="row__type">
        {deletion ? visitorName(deletion) : isFile ? typeOf(row.name) : t("kinds.folder")}
      </span>
      <span role="gridcell" className="row__modified" suppressHydrationWarning>
        {date ? (
          <time dateTime={date} title={formats.dateTime(date)} suppressHydrationWarning>
            {deletion ? formats.dateAndTime(date) : formats.date(date)}
          </time>
        ) : (
          <span className="row__nothing" />
        )}
      </span>
      <span role="gridcell" className="row__size" suppressHydrationWarning>
        {size ?? <span className="row__nothing" />}
      </span>
      <span role="gridcell" className="row__actions">
        {button && <RowAction button={button} name={row.name} className="needs-script" active={active} />}
        {more && (
          <IconButton
            icon="more"
            className="row__more needs-script"
            tabIndex={active ? 0 : -1}
            aria-haspopup="menu"
            label={t("changes.moreFor", { name: row.name })}
            title={t("changes.more")}
          />
        )}
      </span>
    </div>
  );
});

interface RowActionProps {
  button: RowButton;
  name: string;
  className: string;
  active: boolean;
}

/** The button of a row: downloads or undeletes it. @param active whether its row is in the tab order */
export function RowAction({ button, name, className, active }: RowActionProps) {
  const { t } = useLanguage();
  const isUndelete = button === "undelete";
  return (
    <IconButton
      icon={isUndelete ? "undo" : "download"}
      className={className}
      tabIndex={active ? 0 : -1}
      label={isUndelete ? t("changes.restoreNamed", { name }) : t("downloadFile", { name })}
      title={t(isUndelete ? "changes.restore" : "download")}
    />
  );
}

interface WhereButtonProps extends Pick<GridItemProps, "query" | "active"> {
  where: string;
}

/** The folder of a search result, as a button that opens it. @param active whether its row is in the tab order */
export function WhereButton({ where, query, active }: WhereButtonProps) {
  const { t } = useLanguage();
  const names = where.split("/").map(useVisibleName());
  return (
    <button
      type="button"
      className="row__where"
      dir="auto"
      tabIndex={active ? 0 : -1}
      title={names.join("/")}
      aria-label={t("search.openFolder", { folder: names.join("/") })}
    >
      {withMarks(names.join(" / "), query)}
    </button>
  );
}
