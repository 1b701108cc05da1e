// biome-ignore-all lint/a11y/useSemanticElements: a grid of divs: the cells of a table cannot be laid out for a narrow screen and stay a table to a screen reader
// biome-ignore-all lint/a11y/useFocusableInteractive: rows take the focus, cells do not
import {
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type Row, rowId, type Sort, type SortColumn } from "../folder/folder-state";
import { Icon } from "../icons";
import { useLanguage } from "../language";
import { FileRow, type RowActions } from "./file-row";
import { rowRanges, useRowWindow } from "./use-row-window";
import type { Selection } from "./use-selection";

/** Letters typed within this time of each other make one word, milliseconds. */
const TYPING_PAUSE = 700;

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
  /** the row that is to have the focus when the list appears: an id, `true` for the first, false for none */
  focus: string | boolean;
}

const columns: SortColumn[] = ["name", "modified", "size"];

/**
 * The list: an ARIA grid whose rows take the focus, one of them in the tab order at a time. Many rows are
 * windowed; the active one stays in the document all the same, so that the focus is never lost to scrolling.
 */
export function FileGrid(props: FileGridProps) {
  const { rows, selection, sort } = props;
  const { messages } = useLanguage();
  const scroller = useRef<HTMLDivElement>(null);
  const [activeId, setActiveId] = useState<string | null>(
    typeof props.focus === "string" ? props.focus : null,
  );
  const wantsFocus = useRef(props.focus !== false);
  const typed = useRef({ text: "", at: 0 });

  const indexById = useMemo(() => new Map(rows.map((row, index) => [rowId(row), index])), [rows]);
  const active = (activeId === null ? undefined : indexById.get(activeId)) ?? 0;
  const view = useRowWindow(scroller, rows.length);

  useLayoutEffectInBrowser(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    const list = scroller.current;
    const holder = document.activeElement;
    // A person who has gone elsewhere meanwhile, to the filter perhaps, is not called back.
    if (!list || !(holder?.contains(list) || list.contains(holder))) return;
    const row = list.querySelector<HTMLElement>(`[data-row="${active}"]`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  });

  const moveTo = (index: number, extend: boolean) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (!row) return;
    if (extend) {
      if (selection.ids.size === 0 && rows[active]) selection.extendTo(rowId(rows[active]));
      selection.extendTo(rowId(row));
    }
    wantsFocus.current = true;
    setActiveId(rowId(row));
  };

  const latest = useRef(props);
  latest.current = props;
  const actions = useMemo<RowActions>(
    () => ({
      download: (row) => latest.current.onDownload(row),
      click(row, event) {
        // The second half of a double click, which may well meet a row of the folder that the first has opened.
        if (event.detail > 1) return;
        setActiveId(rowId(row));
        if (event.shiftKey) latest.current.selection.extendTo(rowId(row));
        else if (event.metaKey || event.ctrlKey) latest.current.selection.toggle(rowId(row));
        else latest.current.onOpen(row);
      },
      toggle(row, event: MouseEvent) {
        event.stopPropagation();
        setActiveId(rowId(row));
        if (event.shiftKey) latest.current.selection.extendTo(rowId(row));
        else latest.current.selection.toggle(rowId(row));
      },
    }),
    [],
  );

  const typeAhead = (letter: string) => {
    const now = performance.now();
    const text =
      (now - typed.current.at < TYPING_PAUSE ? typed.current.text : "") + letter.toLocaleLowerCase();
    typed.current = { text, at: now };
    const from = text.length === 1 ? active + 1 : active;
    const order = [...rows.slice(from), ...rows.slice(0, from)];
    const found = order.find((row) => row.name.toLocaleLowerCase().startsWith(text));
    if (found) moveTo(indexById.get(rowId(found)) ?? active, false);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset.row === undefined) return;
    const row = rows[active];
    const page = Math.max(
      Math.floor((scroller.current?.clientHeight ?? 0) / event.target.offsetHeight) - 1,
      1,
    );
    const targets: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: rows.length - 1,
    };
    const target = targets[event.key];
    const command = event.ctrlKey || event.metaKey;
    if (target !== undefined) moveTo(target, event.shiftKey);
    else if (event.key === "Enter" && row) props.onOpen(row);
    else if (event.key === " " && row) selection.toggle(rowId(row));
    else if (event.key === "Backspace") props.onUp();
    else if (event.key === "Escape" && selection.ids.size > 0) selection.clear();
    else if (command && event.key.toLowerCase() === "a") selection.all();
    else if (event.key.length === 1 && !command && !event.altKey) typeAhead(event.key);
    else return;
    event.preventDefault();
  };

  return (
    <div className="list" ref={scroller}>
      <div
        role="grid"
        className="grid"
        aria-label={props.label}
        aria-rowcount={props.more ? -1 : rows.length + 1}
        aria-multiselectable="true"
        onKeyDown={onKeyDown}
      >
        <div role="row" className="row row--head" aria-rowindex={1}>
          <span role="columnheader" className="row__check">
            <input
              type="checkbox"
              className="needs-script"
              aria-label={messages.selectAll}
              checked={selection.ids.size > 0 && rows.every((row) => selection.ids.has(rowId(row)))}
              onChange={(event) => (event.target.checked ? selection.all() : selection.clear())}
            />
          </span>
          {columns.map((column) => (
            <span
              key={column}
              role="columnheader"
              className={`row__${column}`}
              aria-sort={sort.column === column ? (sort.descending ? "descending" : "ascending") : "none"}
            >
              <button type="button" className="sort" tabIndex={0} onClick={() => props.onSort(column)}>
                {messages[column]}
                <span className="sort__sign">
                  <Icon name="arrow" />
                </span>
              </button>
            </span>
          ))}
          <span role="columnheader" className="row__actions">
            <span className="visually-hidden">{messages.actions}</span>
          </span>
        </div>
        {rowRanges(view, rows.length, active).map((range) => {
          if ("gap" in range)
            return <div key={range.key} role="presentation" style={{ height: range.gap }} />;
          const row = rows[range.index];
          if (!row) return null;
          return (
            <FileRow
              key={rowId(row)}
              row={row}
              index={range.index}
              active={range.index === active}
              selected={selection.ids.has(rowId(row))}
              actions={actions}
            />
          );
        })}
      </div>
    </div>
  );
}

/** React warns of layout effects on the server, where there is nothing to lay out. */
const useLayoutEffectInBrowser = typeof document === "undefined" ? useEffect : useLayoutEffect;
