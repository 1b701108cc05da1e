import type { FilesClient } from "platform-embed-element/client";
import { type CSSProperties, type KeyboardEvent, useId, useMemo, useRef, useState } from "react";
import { visibleText } from "../../../../locales/visible-text";
import { rowRanges, useRowWindow } from "../../browse/grid/use-row-window";
import { damagedOrOther } from "../../browse/recognize-format";
import { runWorker } from "../../browse/run-worker";
import { contentId } from "../../place/content-of";
import type { FileEntry } from "../../place/contract/storage-contract.server";
import { sideways, useLanguage } from "../../screen/language";
import { fetchObject } from "../fetch-object";
import { PreviewProblem, PreviewWait, RefusedNote } from "../preview-elements";
import { MAX_OFFICE_BYTES, type SheetForm } from "../preview-plan";
import { useLoaded } from "../use-loaded";
import type { SheetBook, SheetCell, SheetMerge, SheetRow, SheetTable } from "./read-sheets";
import type { SheetRequest, SheetResponse } from "./sheet.worker";

/** A million cells take a quarter of this on a busy machine. */
const TIMEOUT_MS = 30_000;

interface SheetPreviewProps {
  file: FileEntry;
  form: SheetForm;
  client: FilesClient;
}

/** A workbook of Excel or LibreOffice, with a tab for each sheet. */
export function SheetPreview({ file, form, client }: SheetPreviewProps) {
  const opened = useLoaded(
    async (signal) => {
      const bytes = await fetchObject(client, file, MAX_OFFICE_BYTES, signal);
      const request: SheetRequest = { bytes, form, language: document.documentElement.lang };
      const response = await runWorker<SheetResponse>("sheet", request, TIMEOUT_MS, signal);
      if (response === null) return { refusal: "too-complex" as const };
      const isDamaged = "refusal" in response && response.refusal === "damaged";
      return isDamaged ? { refusal: damagedOrOther(bytes, form === "ods" ? "ODS" : "Excel") } : response;
    },
    [client, contentId(file), file.etag, form],
  );
  if (opened.state === "loading") return <PreviewWait />;
  if (opened.state === "failed") return <PreviewProblem name={file.name} problem={opened.problem} />;
  if ("refusal" in opened.value) return <RefusedNote name={file.name} refusal={opened.value.refusal} />;
  return <Book name={file.name} book={opened.value.book} />;
}

function Book({ name, book: { sheets, cut } }: { name: string; book: SheetBook }) {
  const { t } = useLanguage();
  const id = useId();
  const [chosen, choose] = useState(0);
  const sheet = sheets[chosen];
  const hasTabs = sheets.length > 1;
  return (
    <div className="preview__text">
      {hasTabs && <Tabs id={id} names={sheets.map((each) => each.name)} chosen={chosen} choose={choose} />}
      {cut && <p className="preview__cut">{t("preview.sheetsCut", { sheets: sheets.length })}</p>}
      {sheet?.cut && (
        <p className="preview__cut">
          {t("look.tableCut", { rows: sheet.rows.length, columns: sheet.columns.length })}
        </p>
      )}
      {sheet && (
        <SheetView
          // Another sheet begins at its top.
          key={chosen}
          sheet={sheet}
          panel={hasTabs ? { id: `${id}panel`, tab: `${id}${chosen}` } : null}
          label={visibleText(name)}
        />
      )}
    </div>
  );
}

interface TabsProps {
  id: string;
  names: string[];
  /** index of the shown sheet */
  chosen: number;
  choose(index: number): void;
}

/** One tab stop; the arrow keys choose another sheet. */
function Tabs({ id, names, chosen, choose }: TabsProps) {
  const { t } = useLanguage();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const { up, down } = sideways();
    const last = names.length - 1;
    const targets: Record<string, number> = {
      [up]: chosen === 0 ? last : chosen - 1,
      [down]: chosen === last ? 0 : chosen + 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    // The dialog would show another file.
    event.stopPropagation();
    choose(target);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[target]?.focus();
  };
  return (
    <div
      ref={list}
      className="sheet-tabs"
      role="tablist"
      aria-label={t("preview.sheets")}
      onKeyDown={onKeyDown}
    >
      {names.map((name, index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: the sheets never change their places
          key={index}
          type="button"
          role="tab"
          id={`${id}${index}`}
          className="sheet-tabs__tab"
          aria-selected={index === chosen}
          aria-controls={`${id}panel`}
          tabIndex={index === chosen ? 0 : -1}
          onClick={() => choose(index)}
        >
          <bdi>{name}</bdi>
        </button>
      ))}
    </div>
  );
}

/** Of the row numbers, CSS pixels. */
const NUMBER_WIDTH = 52;
/** As spreadsheet programs measure columns: the width of a digit, and the space around. CSS pixels. */
const DIGIT_WIDTH = 7;
const CELL_SPACE = 14;
const pixels = (characters: number) => Math.round(characters * DIGIT_WIDTH) + CELL_SPACE;

interface SheetViewProps {
  sheet: SheetTable;
  /** ids, if there are tabs */
  panel: { id: string; tab: string } | null;
  label: string;
}

/** A sheet, windowed, with its columns' letters, its rows' numbers, and what it keeps in place. */
function SheetView({ sheet, panel, label }: SheetViewProps) {
  const { t } = useLanguage();
  const scroller = useRef<HTMLElement>(null);
  const { columns, rows, frozen } = sheet;
  const head = rows.slice(0, frozen.rows);
  const body = rows.slice(frozen.rows);
  const rowWindow = useRowWindow(scroller, body.length);
  const widths = useMemo(() => columns.map(({ width }) => pixels(width)), [columns]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { scrollWidth, clientWidth } = event.currentTarget;
    const isSideways = event.key === "ArrowLeft" || event.key === "ArrowRight";
    // These keys scroll instead of leading to the next file.
    if (isSideways && scrollWidth > clientWidth) event.stopPropagation();
  };
  const attributes = panel ? { id: panel.id, "aria-labelledby": panel.tab } : { "aria-label": label };
  const ranges = rowRanges(rowWindow, body.length, -1);
  const shown = ranges.flatMap((range) => ("gap" in range ? [] : [range.index]));
  const first = frozen.rows + (shown[0] ?? 0);
  const bodyMerges = placeMerges(sheet.merges, first, first + shown.length);
  const headMerges = placeMerges(sheet.merges, 0, frozen.rows);
  const line = { widths, frozenColumns: frozen.columns, rows };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it is a region or a tab panel that scrolls, also by keyboard
    <section
      {...attributes}
      role={panel ? "tabpanel" : "region"}
      ref={scroller}
      className="preview__scroll"
      dir={sheet.direction}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      {rows.length === 0 ? (
        <p className="document__empty">{t(whyNoCells(sheet))}</p>
      ) : (
        <table
          className="sheet"
          aria-rowcount={rows.length + 1}
          style={{ width: widths.reduce((sum, width) => sum + width, NUMBER_WIDTH) }}
        >
          <colgroup>
            <col style={{ width: NUMBER_WIDTH }} />
            {columns.map(({ name }, column) => (
              <col key={name} style={{ width: widths[column] }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              <td className="sheet__corner" />
              {columns.map(({ name }, column) => (
                <th key={name} scope="col" {...placeOf(column, line)}>
                  {name}
                </th>
              ))}
            </tr>
            {head.map((row, index) => (
              <Line key={row.number} row={row} index={index} merges={headMerges} {...line} />
            ))}
          </thead>
          <tbody>
            {ranges.map((range) =>
              "gap" in range ? (
                <tr key={range.key} style={{ height: range.gap }} />
              ) : (
                <Line
                  key={range.index}
                  row={body[range.index] as SheetRow}
                  index={frozen.rows + range.index}
                  dataRow={range.index}
                  merges={bodyMerges}
                  {...line}
                />
              ),
            )}
          </tbody>
        </table>
      )}
    </section>
  );
}

function whyNoCells({ hasCells, hasPictures }: SheetTable) {
  if (!hasCells) return "preview.sheetNotShown";
  return hasPictures ? "preview.sheetOfPictures" : "preview.emptySheet";
}

/** By row and column, `2,0`: the range of merged cells that begins there, or `covered` where one goes on. */
type PlacedMerges = Map<string, Omit<SheetMerge, "column"> | "covered">;

/**
 * Merged cells among the rows from `first` to `end` (exclusive), which are in the page. A range that begins above them begins at the first
 * one of them, and one that ends below them ends at the last. Its `row` stays the one whose cell has the text.
 */
function placeMerges(merges: SheetMerge[], first: number, end: number): PlacedMerges {
  const places: PlacedMerges = new Map();
  for (const { row, rows, column, columns } of merges) {
    const top = Math.max(row, first);
    const bottom = Math.min(row + rows, end);
    for (let y = top; y < bottom; y++)
      for (let x = column; x < column + columns; x++) places.set(`${y},${x}`, "covered");
    if (top < bottom) places.set(`${top},${column}`, { row, rows: bottom - top, columns });
  }
  return places;
}

interface LineProps {
  row: SheetRow;
  /** in the sheet, from 0 */
  index: number;
  /** in the window of rows; undefined for a frozen row */
  dataRow?: number;
  merges: PlacedMerges;
  widths: number[];
  frozenColumns: number;
  /** of the sheet */
  rows: SheetRow[];
}

function Line({ row, index, dataRow, merges, rows, ...layout }: LineProps) {
  return (
    <tr data-row={dataRow} aria-rowindex={index + 2}>
      <th scope="row" className="sheet__number">
        {row.number}
      </th>
      {row.cells.map((own, column) => {
        const merge = merges.get(`${index},${column}`);
        if (merge === "covered") return null;
        const cell = merge ? (rows[merge.row]?.cells[column] ?? null) : own;
        const place = placeOf(column, layout);
        return (
          <td
            // biome-ignore lint/suspicious/noArrayIndexKey: the cells never change their places
            key={column}
            rowSpan={merge?.rows}
            colSpan={merge?.columns}
            className={[place.className, cell && classOf(cell)].filter(Boolean).join(" ") || undefined}
            style={cell ? { ...place.style, background: cell.fill, color: cell.color } : place.style}
            title={
              cell && cell.text.length * DIGIT_WIDTH > (layout.widths[column] ?? 0) ? cell.text : undefined
            }
          >
            {cell && <CellText cell={cell} room={merge ? null : roomOf(row, column, layout.widths)} />}
          </td>
        );
      })}
    </tr>
  );
}

const classOf = ({ align, bold, italic }: SheetCell) =>
  [`sheet__cell--${align}`, bold && "sheet__cell--bold", italic && "sheet__cell--italic"]
    .filter(Boolean)
    .join(" ");

/** A text may run into the empty cells after it. @param room CSS pixels; null for its own cell only */
function CellText({ cell, room }: { cell: SheetCell; room: number | null }) {
  if (room === null || cell.align !== "start" || cell.text === "") return <>{cell.text}</>;
  return (
    <span className="sheet__run" style={{ maxWidth: room }}>
      {cell.text}
    </span>
  );
}

/** The width of the empty cells after a cell, and its own; null if the next one is not empty. */
function roomOf({ cells }: SheetRow, column: number, widths: number[]): number | null {
  let room = widths[column] ?? 0;
  let next = column + 1;
  while (next < cells.length && !cells[next]?.text) room += widths[next++] ?? 0;
  return next === column + 1 ? null : room - CELL_SPACE;
}

/** Frozen columns stay beside the row numbers. */
function placeOf(
  column: number,
  { widths, frozenColumns }: Pick<LineProps, "widths" | "frozenColumns">,
): { className?: string; style?: CSSProperties } {
  if (column >= frozenColumns) return {};
  const before = widths.slice(0, column).reduce((sum, width) => sum + width, NUMBER_WIDTH);
  return { className: "sheet__frozen", style: { insetInlineStart: before } };
}
