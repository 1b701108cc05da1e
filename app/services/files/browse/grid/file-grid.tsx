// biome-ignore-all lint/a11y/useSemanticElements: a grid of divs: the cells of a table cannot be laid out for a narrow screen and stay a table to a screen reader
// biome-ignore-all lint/a11y/useFocusableInteractive: rows take the focus, cells do not
import { isAmong, type Row, rowId } from "platform-embed-element/client";
import { type RefObject, useMemo, useRef } from "react";
import { Icon } from "../../../../embed/components/icons";
import { useLanguage } from "../../screen/language";
import { useLayoutEffectInBrowser } from "../../screen/use-layout-effect-in-browser";
import { columnTitle, sortColumns, whereIs } from "../folder/arrange-rows";
import { sizedPath } from "../sizes/use-folder-sizes";
import { FileRow } from "./file-row";
import type { FileGridProps, GridItemProps } from "./grid-props";
import { useActiveRow, useVisibleFocus } from "./use-active-row";
import { useGridKeyboard } from "./use-grid-keyboard";
import { useRectangleSelection } from "./use-rectangle-selection";
import { useRowPointer } from "./use-row-pointer";
import { rowIds, rowRanges, useRowWindow } from "./use-row-window";

/**
 * What the list and the tiles have in common: an ARIA grid, with one row or tile in the tab order. Long lists are windowed, but the active
 * row always stays in the document, so that scrolling does not lose the focus.
 * @param list the element that scrolls
 * @param perLine number of columns; 1 in the list
 */
export function useGrid(list: RefObject<HTMLElement>, props: FileGridProps, perLine: number) {
  const { rows, selection, here, sort: order, isLoading } = props;
  const lines = Math.ceil(rows.length / perLine);
  const rowWindow = useRowWindow(list, lines, { ids: rowIds(rows, perLine), order, isLoading });
  // After the window, which scrolls, too: what has the focus stays in view.
  const active = useActiveRow(list, rows, props.focus);
  useVisibleFocus(list);
  const onKeyDown = useGridKeyboard(list, props, active, perLine);
  const pointer = useRowPointer(props, active);
  const rectangle = useRectangleSelection(list, props, perLine);
  return {
    lines,
    ranges: rowRanges(rowWindow, lines, Math.floor(active.index / perLine)),
    rectangle: rectangle && <div className="rectangle" style={rectangle} />,
    keepFocus: active.keepFocus,
    events: { onKeyDown, ...pointer },
    itemProps: (row: Row, index: number): GridItemProps => ({
      row,
      sizes: props.sizes?.sizes ?? null,
      folderSize: props.sizes?.known.byPath.get(sizedPath(row) ?? ""),
      index,
      active: index === active.index,
      selected: selection.ids.has(rowId(row)),
      where: whereIs(row, here),
      dimmed: isAmong(props.dimmed, row),
      isNew: props.news.has(rowId(row)),
      query: props.query,
      button: props.rowButton,
      thumbnails: props.thumbnails,
      checks: props.checks,
    }),
  };
}

/** The list. Its rows take the focus. */
export function FileGrid(props: FileGridProps) {
  const { rows, here, rowButton } = props;
  const list = useRef<HTMLDivElement>(null);
  const grid = useGrid(list, props, 1);
  // Not in every rendering: scrolling renders, and there may be 100,000 rows.
  const isFound = useMemo(() => rows.some((row) => whereIs(row, here)), [rows, here]);
  const more = rowButton !== null || props.hasMenus;
  return (
    <div className={isFound ? "list list--found" : "list"} ref={list}>
      <div
        role="grid"
        className="grid"
        aria-label={props.label}
        aria-rowcount={props.more ? -1 : rows.length + 1}
        aria-multiselectable="true"
        {...grid.events}
      >
        <GridHead {...props} />
        {grid.ranges.map((range) => {
          if ("gap" in range)
            return <div key={range.key} role="presentation" style={{ height: range.gap }} />;
          const row = rows[range.index];
          return row && <FileRow key={rowId(row)} {...grid.itemProps(row, range.index)} more={more} />;
        })}
      </div>
      {grid.rectangle}
    </div>
  );
}

/** Column headers: select all, and sort. */
function GridHead(props: FileGridProps) {
  const { time, sort, onSort } = props;
  const { t } = useLanguage();
  return (
    <div role="row" className="row row--head" aria-rowindex={1}>
      <span role="columnheader" className="row__check">
        <SelectAll {...props} />
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

/** The names of the columns, before their rows are there. Nothing can be sorted yet. */
export function HeadingsOnly({ time }: Pick<FileGridProps, "time">) {
  const { t } = useLanguage();
  return (
    <div className="row row--head" aria-hidden="true">
      <span className="row__check" />
      {sortColumns.map((column) => (
        <span key={column} className={`row__${column}`}>
          {t(columnTitle(column, time))}
        </span>
      ))}
    </div>
  );
}

export function SelectAll({ rows, selection, onSelectAll }: FileGridProps) {
  const { t } = useLanguage();
  const box = useRef<HTMLInputElement>(null);
  const isAny = selection.ids.size > 0;
  const isAll = isAny && rows.every((row) => selection.ids.has(rowId(row)));
  useLayoutEffectInBrowser(() => {
    // React has no attribute for it.
    if (box.current) box.current.indeterminate = isAny && !isAll;
  }, [isAny, isAll]);
  return (
    <input
      ref={box}
      type="checkbox"
      className="needs-script"
      aria-label={t("selectAll")}
      checked={isAll}
      onChange={(event) => (event.target.checked ? onSelectAll() : selection.clear())}
    />
  );
}
