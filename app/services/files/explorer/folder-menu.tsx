import { orderTitle, sortColumns } from "../browse/folder/folder-state";
import { historyEntries } from "../history/history-menu";
import { useLanguage } from "../screen/language";
import { Menu, type MenuEntry, type Point } from "../screen/menu";
import type { ExplorerState } from "./use-explorer";

export interface FolderMenuProps {
  explorer: Pick<
    ExplorerState,
    | "folder"
    | "list"
    | "history"
    | "uploads"
    | "chooser"
    | "changes"
    | "layout"
    | "setLayout"
    | "selectAll"
    | "sortBy"
  >;
  at: Point;
  /** null if nothing can be pasted here */
  onPaste: (() => void) | null;
  onClose(): void;
}

/** The context menu of the open folder. */
export function FolderMenu({ explorer, at, onPaste, onClose }: FolderMenuProps) {
  const { t } = useLanguage();
  const { folder, list, history, uploads, layout } = explorer;
  const { may, dispatch } = explorer.changes;
  const { choose } = explorer.chooser;
  const entries: MenuEntry[] = [];
  if (may["new-folder"])
    entries.push({ name: t("changes.newFolder"), icon: "folderPlus", run: () => dispatch("new-folder") });
  if (uploads.allowed)
    entries.push(
      { name: t("uploadFiles"), icon: "upload", run: () => choose("files") },
      { name: t("uploadFolder"), icon: "folderUp", run: () => choose("folder") },
    );
  if (onPaste) entries.push({ name: t("changes.paste"), icon: "paste", keys: "Control+V", run: onPaste });
  if (list.rows.length > 0) {
    if (may.restore)
      entries.push({ name: t("changes.restoreAll"), icon: "undo", run: () => dispatch("restore") });
    if (may.purge)
      entries.push({
        name: t("changes.purgeAll"),
        icon: "trash",
        isDangerous: true,
        run: () => dispatch("purge"),
      });
    entries.push({
      name: t("selectAll"),
      icon: "selectAll",
      keys: "Control+A",
      begins: true,
      run: explorer.selectAll,
    });
    entries.push(
      ...sortColumns.map((column) => ({
        name: t(orderTitle(column, folder.time)),
        icon: "check" as const,
        begins: column === "name",
        isChosen: list.sort.column === column,
        run: () => explorer.sortBy(column),
      })),
    );
  }
  if (history) entries.push(...historyEntries(t, history, folder.time));
  const other = layout === "list" ? "tiles" : "list";
  entries.push(
    { name: t(`look.${other}`), icon: other, begins: true, run: () => explorer.setLayout(other) },
    { name: t("refresh"), icon: "refresh", run: folder.refresh },
  );
  return <Menu label={t("folderMenu")} entries={entries} at={at} onClose={onClose} />;
}
