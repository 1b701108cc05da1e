import type { Changes } from "../changes/use-changes";
import type { Row, Sort, SortColumn } from "../folder/folder-state";
import type { Selection } from "./use-selection";

export interface FileGridProps {
  label: string;
  rows: Row[];
  /** the folder that is open: rows that lie elsewhere say where */
  here: string;
  /** opens the folder that the row lies in */
  onWhere(row: Row): void;
  /** more pages are unloaded: the number of rows is not known */
  more: boolean;
  sort: Sort;
  onSort(column: SortColumn): void;
  selection: Selection;
  onOpen(row: Row): void;
  /** rows have a button for it */
  downloads: boolean;
  onDownload(row: Row): void;
  onUp(): void;
  onDetails(row: Row): void;
  changes: Changes;
  /** the row that has the focus when the list appears: an id, `true` for the first, false for none */
  focus: string | boolean;
}
