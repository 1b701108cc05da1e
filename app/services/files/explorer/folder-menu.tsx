import { orderTitle, sortColumns } from "../browse/folder/arrange-rows";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import type { ListActions } from "../browse/folder/use-list-actions";
import type { ChangeCommands } from "../changes/use-change-commands";
import { historyEntries } from "../history/history-menu";
import type { History } from "../history/use-history";
import { useLanguage } from "../screen/language";
import { Menu, type MenuEntry, type Point } from "../screen/menu";
import type { FileChooser } from "../uploads/file-chooser";
import type { UploadsInFolder } from "../uploads/use-uploads";
import type { Look } from "./use-look";

export interface FolderMenuProps {
  at: Point;
  folder: Pick<Folder, "time" | "refresh">;
  list: Pick<List, "rows" | "sort">;
  listActions: Pick<ListActions, "selectAll" | "sortBy">;
  look: Look;
  history: History | null;
  uploads: Pick<UploadsInFolder, "allowed">;
  chooser: Pick<FileChooser, "choose">;
  changes: Pick<ChangeCommands, "may" | "dispatch">;
  /** null if nothing can be pasted here */
  onPaste: (() => void) | null;
  /** shows the files that were added last */
  onRecent(): void;
  onHelp(): void;
  onClose(): void;
}

/** The context menu of the open folder. */
export function FolderMenu(props: FolderMenuProps) {
  const { t } = useLanguage();
  const { at, folder, list, listActions, look, history, uploads, onPaste, onRecent, onHelp, onClose } = props;
  const { may, dispatch } = props.changes;
  const { choose } = props.chooser;
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
      run: listActions.selectAll,
    });
    entries.push(
      ...sortColumns.map((column) => ({
        name: t(orderTitle(column, folder.time)),
        icon: "check" as const,
        begins: column === "name",
        isChosen: list.sort.column === column,
        run: () => listActions.sortBy(column),
      })),
    );
  }
  entries.push({ name: t("recent.title"), icon: "filePlus", keys: "Alt+R", begins: true, run: onRecent });
  if (history) entries.push(...historyEntries(t, history, folder.time));
  const other = look.layout === "list" ? "tiles" : "list";
  entries.push(
    { name: t(`look.${other}`), icon: other, begins: true, run: () => look.setLayout(other) },
    { name: t("refresh"), icon: "refresh", run: folder.refresh },
    { name: t("help.title"), icon: "info", keys: "?", begins: true, run: onHelp },
  );
  return <Menu label={t("folderMenu")} entries={entries} at={at} onClose={onClose} />;
}
