// biome-ignore-all lint/a11y/useSemanticElements: a grid of divs: the cells of a table cannot be laid out for a narrow screen and stay a table to a screen reader
import { useRef } from "react";
import { type Row, rowId, type Sort, type SortColumn } from "../folder/folder-state";
import { FileRow } from "./file-row";
import { GridHead } from "./grid-head";
import { useActiveRow } from "./use-active-row";
import { useGridKeyboard } from "./use-grid-keyboard";
import { useRowActions } from "./use-row-actions";
import { rowRanges, useRowWindow } from "./use-row-window";
import type { Selection } from "./use-selection";

export interface FileGridProps {
  label: string;
  rows: Row[];
  /** more pages are unloaded: the number of rows is not known */
  more: boolean;
  sort: Sort;
  onSort(column: SortColumn): void;
  selection: Selection;
  onOpen(row: Row): void;
  onDownload(row: Row): void;
  onUp(): void;
  /** the row that has the focus when the list appears: an id, `true` for the first, false for none */
  focus: string | boolean;
}

/**
 * The list: an ARIA grid whose rows take the focus, one of them in the tab order at a time. Many rows are
 * windowed; the active one stays in the document all the same, so that the focus is never lost to scrolling.
 */
export function FileGrid(props: FileGridProps) {
  const { rows, selection } = props;
  const list = useRef<HTMLDivElement>(null);
  const active = useActiveRow(list, rows, props.focus);
  const onKeyDown = useGridKeyboard(list, props, active);
  const actions = useRowActions(props, active.set);
  const view = useRowWindow(list, rows.length);
  return (
    <div className="list" ref={list}>
      <div
        role="grid"
        className="grid"
        aria-label={props.label}
        aria-rowcount={props.more ? -1 : rows.length + 1}
        aria-multiselectable="true"
        onKeyDown={onKeyDown}
      >
        <GridHead rows={rows} selection={selection} sort={props.sort} onSort={props.onSort} />
        {rowRanges(view, rows.length, active.index).map((range) => {
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
              actions={actions}
            />
          );
        })}
      </div>
    </div>
  );
}
