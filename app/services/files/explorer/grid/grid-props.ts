import type { Changes } from "../changes/use-changes";
import type { Row, Sort, SortColumn } from "../folder/folder-state";
import type { Selection } from "../folder/use-list";

/** Props of the list and the tiles. */
export interface FileGridProps {
  label: string;
  rows: Row[];
  /** the open folder; rows of other folders show theirs */
  here: string;
  /** opens the folder of a search result */
  onWhere(row: Row): void;
  /** there are more pages, so the number of rows is unknown */
  more: boolean;
  sort: Sort;
  onSort(column: SortColumn): void;
  selection: Selection;
  onOpen(row: Row): void;
  /** whether rows have a download button */
  downloads: boolean;
  onDownload(row: Row): void;
  onUp(): void;
  onDetails(row: Row): void;
  changes: Changes;
  /** the row that gets the focus when the list appears: an id, `true` for the first, false for none */
  focus: string | boolean;
}
