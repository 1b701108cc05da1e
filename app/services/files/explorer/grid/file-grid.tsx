// biome-ignore-all lint/a11y/useSemanticElements: a grid of divs: the cells of a table cannot be laid out for a narrow screen and stay a table to a screen reader
// biome-ignore-all lint/a11y/useFocusableInteractive: rows take the focus, cells do not
import { useMemo, useRef } from "react";
import { Icon } from "../../../../embed/components/icons";
import { columnTitle, rowId, sortColumns, whereIs } from "../folder/folder-state";
import { useLanguage } from "../language";
import { FileRow } from "./file-row";
import type { FileGridProps } from "./grid-props";
import { useActiveRow, useVisibleFocus } from "./use-active-row";
import { useGridKeyboard } from "./use-grid-keyboard";
import { useRectangleSelection } from "./use-rectangle-selection";
import { useRowPointer } from "./use-row-pointer";
import { rowIds, rowRanges, useRowWindow } from "./use-row-window";

/**
 * The list: an ARIA grid with focusable rows, one of them in the tab order. Long lists are windowed, but the active row always stays in
 * the document, so that scrolling does not lose the focus.
 */
export function FileGrid(props: FileGridProps) {
  const { rows, selection, here } = props;
  const list = useRef<HTMLDivElement>(null);
  const { sort: order, isLoading } = props;
  const rowWindow = useRowWindow(list, rows.length, { ids: rowIds(rows), order, isLoading });
  // After the window, which scrolls, too.
  const active = useActiveRow(list, rows, props.focus);
  useVisibleFocus(list);
  const onKeyDown = useGridKeyboard(list, props, active);
  const pointer = useRowPointer(props, active);
  const rectangle = useRectangleSelection(list, props);
  // Not in every rendering: scrolling renders, and there may be 100,000 rows.
  const isFound = useMemo(() => rows.some((row) => whereIs(row, here)), [rows, here]);
  return (
    <div className={isFound ? "list list--found" : "list"} ref={list}>
      <div
        role="grid"
        className="grid"
        aria-label={props.label}
        aria-rowcount={props.more ? -1 : rows.length + 1}
        aria-multiselectable="true"
        onKeyDown={onKeyDown}
        {...pointer}
      >
        <GridHead {...props} />
        {rowRanges(rowWindow, rows.length, active.index).map((range) => {
          if ("gap" in range)
            return <div key={range.key} role="presentation" style={{ height: range.gap }} />;
          const row = rows[range.index];
          if (!row) return null;
          return (
            <FileRow
              key={rowId(row)}
              row={row}
              index={range.index}
              active={range.index === active.index}
              selected={selection.ids.has(rowId(row))}
              where={whereIs(row, here)}
              dimmed={props.changes.dimmed.has(rowId(row))}
              button={props.rowButton}
              thumbnails={props.thumbnails}
              checks={props.checks}
              more={
                props.rowButton !== null ||
                props.changes.possible ||
                props.changes.may.delete ||
                props.changes.may.restore
              }
            />
          );
        })}
      </div>
      {rectangle && <div className="rectangle" style={rectangle} />}
    </div>
  );
}

/** Column headers: select all, and sort. */
function GridHead({ time, rows, selection, sort, onSort, onSelectAll }: FileGridProps) {
  const { t } = useLanguage();
  return (
    <div role="row" className="row row--head" aria-rowindex={1}>
      <span role="columnheader" className="row__check">
        <input
          type="checkbox"
          className="needs-script"
          aria-label={t("selectAll")}
          checked={selection.ids.size > 0 && rows.every((row) => selection.ids.has(rowId(row)))}
          onChange={(event) => (event.target.checked ? onSelectAll() : selection.clear())}
        />
      </span>
      {sortColumns.map((column) => (
        <span
          key={column}
          role="columnheader"
          className={`row__${column}`}
          aria-sort={sort.column === column ? (sort.descending ? "descending" : "ascending") : "none"}
        >
          <button type="button" className="sort" tabIndex={0} onClick={() => onSort(column)}>
            {t(columnTitle(column, time))}
            <span className="sort__sign">
              <Icon name="arrow" />
            </span>
          </button>
        </span>
      ))}
      <span role="columnheader" className="row__actions">
        <span className="visually-hidden">{t("actions")}</span>
      </span>
    </div>
  );
}
