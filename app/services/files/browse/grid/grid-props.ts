import type { FolderTime, Row } from "platform-embed-element/client";
import type { PickerMode } from "../../../../../embed-element/protocol";
import type { Point } from "../../screen/menu";
import type { FileChecks } from "../checks/file-checks";
import type { Sort, SortColumn } from "../folder/arrange-rows";
import type { Selection } from "../folder/use-selection";
import type { Thumbnails } from "../pictures/thumbnails";
import type { FolderSize, FolderSizes } from "../sizes/folder-sizes";
import type { SizesOfFolders } from "../sizes/use-folder-sizes";

/** Props of a row of the list, and of a tile. */
export interface GridItemProps {
  row: Row;
  /** in the whole list, from 0 */
  index: number;
  active: boolean;
  selected: boolean;
  /** the folder of a search result, relative to the open one; null if it is in the open folder */
  where: string | null;
  /** cut, or being moved or deleted */
  dimmed: boolean;
  /** somebody else has added or changed it a moment ago */
  isNew: boolean;
  /** of a search: what matches it is marked */
  query: string;
  button: RowButton | null;
  thumbnails: Thumbnails | null;
  checks: FileChecks | null;
  sizes: FolderSizes | null;
  /** of a folder; null: too many files to count them in passing. undefined: not known yet, or never */
  folderSize: FolderSize | null | undefined;
}

export type RowButton = "download" | "undelete";

/** Props of the list and the tiles. */
export interface FileGridProps {
  label: string;
  time: FolderTime;
  rows: Row[];
  /** the open folder; rows of other folders show theirs */
  here: string;
  /** opens the folder of a search result */
  onWhere(row: Row): void;
  /** there are more rows than these, so their number is unknown */
  more: boolean;
  /** more pages are being loaded, and their rows may come anywhere */
  isLoading: boolean;
  /** Loads the rows of the folder that are left. */
  onLoadAll(): void;
  /** Selects all rows, after loading those that are left. */
  onSelectAll(): void;
  sort: Sort;
  onSort(column: SortColumn): void;
  /** what is searched for; empty if nothing is */
  query: string;
  selection: Selection;
  /** false for a file that the token does not allow to download */
  mayOpen(row: Row): boolean;
  onOpen(row: Row): void;
  /** the visitor chooses files for the embedding page: a double click or Enter on a file chooses it; null: it opens the file */
  picker: { mode: PickerMode; onChoose(rows: readonly Row[]): void } | null;
  /** what the button of a row does; null: rows have none */
  rowButton: RowButton | null;
  onRowButton(row: Row): void;
  /** null if the token does not allow downloads, or until they are needed */
  thumbnails: Thumbnails | null;
  /** null if the token requires no tag, or until they are loaded */
  checks: FileChecks | null;
  /** null if the platform knows none, or until they are loaded */
  sizes: SizesOfFolders | null;
  onUp(): void;
  /** The arrow key up in the first line; undefined if it does nothing there. */
  onAbove: (() => void) | undefined;
  onDetails(row: Row): void;
  /** rows have a menu */
  hasMenus: boolean;
  /** the rows that a menu, a drag or the picker acts on at `row`: the whole selection, or `row` alone */
  rowsFor(row: Row): Row[];
  onMenu(rows: Row[], at: Point): void;
  /** A row gets the focus or is pressed: its menu may be wanted next. */
  onApproach(): void;
  /** rows can be dragged to another folder */
  isDraggable: boolean;
  onDrag(rows: Row[]): void;
  /** ids of rows that are cut, being moved or deleted, with what is in them, or that may not be chosen */
  dimmed: ReadonlySet<string>;
  /** ids of rows that others have added or changed a moment ago */
  news: ReadonlySet<string>;
  /** the row that gets the focus when the list appears: an id, `true` for the first, false for none */
  focus: string | boolean;
}
