import { useMemo, useRef } from "react";
import { directionOf } from "../../browse/decode-text";
import { rowRanges, useRowWindow } from "../../browse/grid/use-row-window";
import { shortenText } from "../../screen/bounded-text";
import { useLanguage } from "../../screen/language";
import { parseTable } from "./parse-table";

/** Longer cells are cut: a browser lays out all of their text. */
const MAX_CELL_LENGTH = 300;
const shorten = (cell = "") => shortenText(cell, MAX_CELL_LENGTH);

/** A CSV file as a table, windowed. */
export function TableView({ text, label }: { text: string; label: string }) {
  const { t } = useLanguage();
  const scroller = useRef<HTMLElement>(null);
  const table = useMemo(() => parseTable(text), [text]);
  const head = table.hasHeadings ? table.rows[0] : undefined;
  const rows = useMemo(() => table.rows.slice(table.hasHeadings ? 1 : 0), [table]);
  const columns = Array.from({ length: table.columns }, (_, column) => column);
  const view = useRowWindow(scroller, rows.length);
  return (
    <>
      {table.cut && (
        <p className="preview__cut">{t("look.tableCut", { rows: rows.length, columns: table.columns })}</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <section className="preview__scroll" tabIndex={0} aria-label={label} ref={scroller}>
        {/* Its first column is on the side where its text begins. */}
        <table className="table" dir={directionOf(text)} aria-rowcount={table.rows.length}>
          {table.titles.length > 0 && <caption dir="auto">{table.titles.map(shorten).join("\n")}</caption>}
          {head && (
            <thead>
              <tr aria-rowindex={1}>
                {columns.map((column) => (
                  <th key={column} scope="col" dir="auto">
                    {shorten(head[column])}
                  </th>
                ))}
              </tr>
            </thead>
          )}
          <tbody>
            {rowRanges(view, rows.length, -1).map((range) =>
              "gap" in range ? (
                <tr key={range.key} style={{ height: range.gap }} />
              ) : (
                <tr key={range.index} data-row={range.index} aria-rowindex={range.index + (head ? 2 : 1)}>
                  {columns.map((column) => (
                    <td key={column} dir="auto">
                      {shorten(rows[range.index]?.[column])}
                    </td>
                  ))}
                </tr>
              ),
            )}
          </tbody>
        </table>
      </section>
    </>
  );
}
