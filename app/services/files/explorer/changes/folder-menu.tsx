import { orderTitle, type SortColumn, sortColumns } from "../folder/folder-state";
import type { Folder } from "../folder/use-folder";
import type { List } from "../folder/use-list";
import { useLanguage } from "../language";
import type { FileChooser } from "../uploads/file-chooser";
import type { Layout } from "../use-explorer";
import { Menu, type MenuEntry } from "./menu";
import type { Changes, Command, Point } from "./use-changes";

/** What the menu of the open folder does besides changing files. */
export interface FolderActions extends Pick<FileChooser, "choose"> {
  mayUpload: boolean;
  sortBy(column: SortColumn): void;
  selectAll(): void;
  layout: Layout;
  setLayout(layout: Layout): void;
  /** Leaves the past; undefined where it is not shown. */
  onNow?: (() => void) | undefined;
  /** Shows the deleted files; undefined if the token or the bucket does not allow it. */
  onDeleted?: (() => void) | undefined;
  /** Asks for a moment, and shows the folder as it was then; undefined as `onDeleted`. */
  onMoment?: (() => void) | undefined;
}

interface FolderMenuProps extends FolderActions {
  at: Point;
  folder: Pick<Folder, "refresh" | "time">;
  list: Pick<List, "rows" | "sort">;
  may: Changes["may"];
  /** null if nothing can be pasted here */
  onPaste: (() => void) | null;
  onCommand(command: Command): void;
  onClose(): void;
}

/** The context menu of the open folder. */
export function FolderMenu(props: FolderMenuProps) {
  const { t } = useLanguage();
  const { at, folder, list, may, choose, layout, onPaste } = props;
  const entries: MenuEntry[] = [];
  if (may["new-folder"])
    entries.push({
      name: t("changes.newFolder"),
      icon: "folderPlus",
      run: () => props.onCommand("new-folder"),
    });
  if (props.mayUpload)
    entries.push(
      { name: t("uploadFiles"), icon: "upload", run: () => choose("files") },
      { name: t("uploadFolder"), icon: "folderUp", run: () => choose("folder") },
    );
  if (onPaste) entries.push({ name: t("changes.paste"), icon: "paste", keys: "Control+V", run: onPaste });
  if (list.rows.length > 0) {
    if (may.restore)
      entries.push({ name: t("changes.restoreAll"), icon: "undo", run: () => props.onCommand("restore") });
    if (may.purge)
      entries.push({
        name: t("changes.purgeAll"),
        icon: "trash",
        isDangerous: true,
        run: () => props.onCommand("purge"),
      });
    entries.push({
      name: t("selectAll"),
      icon: "selectAll",
      keys: "Control+A",
      begins: true,
      run: props.selectAll,
    });
    entries.push(
      ...sortColumns.map((column) => ({
        name: t(orderTitle(column, folder.time)),
        icon: "check" as const,
        begins: column === "name",
        isChosen: list.sort.column === column,
        run: () => props.sortBy(column),
      })),
    );
  }
  if (props.onNow) entries.push({ name: t("past.now"), icon: "folder", begins: true, run: props.onNow });
  if (props.onDeleted)
    entries.push({
      name: t("changes.deletedFiles"),
      icon: "trash",
      begins: !props.onNow,
      run: props.onDeleted,
    });
  if (props.onMoment)
    entries.push({
      name: t("changes.asItWas"),
      icon: "clock",
      begins: !props.onNow && !props.onDeleted,
      run: props.onMoment,
    });
  const other = layout === "list" ? "tiles" : "list";
  entries.push(
    { name: t(`look.${other}`), icon: other, begins: true, run: () => props.setLayout(other) },
    { name: t("refresh"), icon: "refresh", run: folder.refresh },
  );
  return <Menu label={t("folderMenu")} entries={entries} at={at} onClose={props.onClose} />;
}
