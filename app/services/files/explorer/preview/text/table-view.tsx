import { useMemo, useRef } from "react";
import { rowRanges, useRowWindow } from "../../grid/use-row-window";
import { useLanguage } from "../../language";
import { parseTable } from "./parse-table";

/** A cell shows no more than fits, and a browser lays out all that it holds. */
const MOST_LETTERS = 300;
const shorten = (cell = "") => (cell.length > MOST_LETTERS ? `${cell.slice(0, MOST_LETTERS)}…` : cell);

/** A file of comma-separated values as a table. Only the rows near the screen are in the document. */
export function TableView({ text, label }: { text: string; label: string }) {
  const { t } = useLanguage();
  const scroller = useRef<HTMLElement>(null);
  const table = useMemo(() => parseTable(text), [text]);
  const [head = [], ...rows] = table.rows;
  const columns = Array.from({ length: table.columns }, (_, column) => column);
  const view = useRowWindow(scroller, rows.length);
  return (
    <>
      {table.cut && (
        <p className="preview__cut">{t("look.tableCut", { rows: rows.length, columns: table.columns })}</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <section className="preview__scroll" tabIndex={0} aria-label={label} ref={scroller}>
        <table className="table" aria-rowcount={rows.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column) => (
                <th key={column} scope="col" dir="auto">
                  {shorten(head[column])}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rowRanges(view, rows.length, -1).map((range) =>
              "gap" in range ? (
                <tr key={range.key} style={{ height: range.gap }} />
              ) : (
                <tr key={range.index} data-row={range.index} aria-rowindex={range.index + 2}>
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
