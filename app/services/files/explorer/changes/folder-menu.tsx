import { type SortColumn, sortColumns } from "../folder/folder-state";
import type { Folder } from "../folder/use-folder";
import type { List } from "../folder/use-list";
import { useLanguage } from "../language";
import type { FileChooser } from "../uploads/file-chooser";
import type { View } from "../use-explorer";
import { Menu, type MenuEntry } from "./menu";
import type { Changes, Point } from "./use-changes";

/** What the menu of the open folder does besides changing files. */
export interface FolderActions extends Pick<FileChooser, "choose"> {
  mayUpload: boolean;
  sortBy(column: SortColumn): void;
  selectAll(): void;
  view: View;
  setView(view: View): void;
}

interface FolderMenuProps extends FolderActions {
  at: Point;
  folder: Pick<Folder, "refresh">;
  list: Pick<List, "rows" | "sort">;
  may: Changes["may"];
  /** null if nothing can be pasted here */
  onPaste: (() => void) | null;
  onNewFolder(): void;
  onClose(): void;
}

/** The context menu of the open folder. */
export function FolderMenu(props: FolderMenuProps) {
  const { t } = useLanguage();
  const { at, folder, list, may, choose, view, onPaste } = props;
  const entries: MenuEntry[] = [];
  if (may["new-folder"])
    entries.push({ name: t("changes.newFolder"), icon: "folderPlus", run: props.onNewFolder });
  if (props.mayUpload)
    entries.push(
      { name: t("uploadFiles"), icon: "upload", run: () => choose("files") },
      { name: t("uploadFolder"), icon: "folderUp", run: () => choose("folder") },
    );
  if (onPaste) entries.push({ name: t("changes.paste"), icon: "paste", keys: "Control+V", run: onPaste });
  if (list.rows.length > 0) {
    entries.push({
      name: t("selectAll"),
      icon: "selectAll",
      keys: "Control+A",
      begins: true,
      run: props.selectAll,
    });
    entries.push(
      ...sortColumns.map((column) => ({
        name: t(`look.sortedBy.${column}`),
        icon: "check" as const,
        begins: column === "name",
        isChosen: list.sort.column === column,
        run: () => props.sortBy(column),
      })),
    );
  }
  const other = view === "list" ? "tiles" : "list";
  entries.push(
    { name: t(`look.${other}`), icon: other, begins: true, run: () => props.setView(other) },
    { name: t("refresh"), icon: "refresh", run: folder.refresh },
  );
  return <Menu label={t("folderMenu")} entries={entries} at={at} onClose={props.onClose} />;
}
