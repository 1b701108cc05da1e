// biome-ignore-all lint/a11y/useSemanticElements: a grid of divs: the cells of a table cannot be laid out for a narrow screen and stay a table to a screen reader
// biome-ignore-all lint/a11y/useFocusableInteractive: rows take the focus, cells do not
import { type Row, rowId, type Sort, type SortColumn } from "../folder/folder-state";
import { Icon } from "../icons";
import { useLanguage } from "../language";
import type { Selection } from "./use-selection";

interface GridHeadProps {
  rows: Row[];
  selection: Selection;
  sort: Sort;
  onSort(column: SortColumn): void;
}

const columns: SortColumn[] = ["name", "modified", "size"];

/** The row of column headers: select all, and sort by a column. */
export function GridHead({ rows, selection, sort, onSort }: GridHeadProps) {
  const { messages } = useLanguage();
  return (
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
          <button type="button" className="sort" tabIndex={0} onClick={() => onSort(column)}>
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
  );
}
