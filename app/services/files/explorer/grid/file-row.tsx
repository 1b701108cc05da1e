// biome-ignore-all lint/a11y/useSemanticElements: a grid of divs: the cells of a table cannot be laid out for a narrow screen and stay a table to a screen reader
// biome-ignore-all lint/a11y/useFocusableInteractive: rows take the focus, cells do not
import { memo } from "react";
import { fileKind } from "../file-kind";
import type { Row } from "../folder/folder-state";
import { IconButton } from "../icon-button";
import { FileIcon, Icon } from "../icons";
import { useLanguage } from "../language";
import { useTypeOf } from "../use-type-of";
import { WhereButton } from "./where-button";

interface FileRowProps {
  row: Row;
  /** in the whole list, from 0 */
  index: number;
  active: boolean;
  selected: boolean;
  /** the folder that it lies in, where that is not the open one */
  where: string | null;
  /** cut, or on its way elsewhere */
  dimmed: boolean;
  downloads: boolean;
  /** has a button for its menu */
  more: boolean;
}

/** One line of the list; the grid handles keyboard and pointer for all of them. `memo`: of a thousand rows, only those that change are rendered again. */
export const FileRow = memo(function FileRow(props: FileRowProps) {
  const { row, index, active, selected, dimmed, where, downloads, more } = props;
  const { t, formats } = useLanguage();
  const typeOf = useTypeOf();
  const isFile = row.type === "file";
  const dot = isFile ? row.name.lastIndexOf(".") : -1;
  const stem = dot > 0 && row.name.length - dot < 10 ? row.name.slice(0, dot) : row.name;
  return (
    <div
      role="row"
      className={dimmed ? "row row--dimmed" : "row"}
      data-row={index}
      aria-rowindex={index + 2}
      aria-selected={selected}
      aria-label={row.name}
      aria-description={isFile ? `${formats.size(row.size)}, ${formats.date(row.lastModified)}` : undefined}
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
      <span role="gridcell" className="row__name" title={row.name}>
        <FileIcon kind={isFile ? fileKind(row.name) : "folder"} />
        <span className="row__file" dir="auto">
          <span className="row__stem">{stem}</span>
          {stem !== row.name && <span className="row__extension">{row.name.slice(dot)}</span>}
        </span>
        {where !== null && <WhereButton where={where} active={active} />}
      </span>
      <span role="gridcell" className="row__type">
        {isFile ? typeOf(row.name) : t("kinds.folder")}
      </span>
      <span role="gridcell" className="row__modified" suppressHydrationWarning>
        {isFile ? (
          <time
            dateTime={row.lastModified}
            title={formats.dateTime(row.lastModified)}
            suppressHydrationWarning
          >
            {formats.date(row.lastModified)}
          </time>
        ) : (
          <span className="row__nothing">–</span>
        )}
      </span>
      <span role="gridcell" className="row__size" suppressHydrationWarning>
        {isFile ? formats.size(row.size) : <span className="row__nothing">–</span>}
      </span>
      <span role="gridcell" className="row__actions">
        {downloads && (
          <IconButton
            icon="download"
            className="needs-script"
            tabIndex={active ? 0 : -1}
            label={t("downloadFile", { name: row.name })}
            title={t("download")}
          />
        )}
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
        {!isFile && <Icon name="chevron" />}
      </span>
    </div>
  );
});
