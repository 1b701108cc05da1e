import { folderOf, rowId } from "platform-embed-element/client";
import type { Folder } from "../browse/folder/use-folder";
import type { Navigation } from "../browse/folder/use-navigation";
import type { ChangeCommands, Command, OpenCommand } from "../changes/use-change-commands";
import type { Details } from "../details/use-details";
import type { Downloads } from "../downloads/use-downloads";
import { ActionIcon } from "../page-requests/file-actions";
import { actionsFor } from "../page-requests/selected-items";
import type { PageRequests } from "../page-requests/use-page-requests";
import { useLanguage } from "../screen/language";
import { Menu, type MenuEntry } from "../screen/menu";

export interface RowMenuProps {
  /** the rows, the time at which they are shown, and where the menu opens */
  opened: OpenCommand;
  folder: Pick<Folder, "path">;
  navigation: Pick<Navigation, "open">;
  changes: Pick<ChangeCommands, "may" | "dispatch">;
  downloads: Pick<Downloads, "allowed" | "start">;
  details: Pick<Details, "show" | "showVersions">;
  requests: Pick<PageRequests, "picker" | "actions" | "run">;
  /** @param id of a row */
  onPreview(id: string): void;
  onClose(): void;
}

/** The context menu of a row or of the selection, with the actions that the token allows there. */
export function RowMenu(props: RowMenuProps) {
  const { t } = useLanguage();
  const { opened, folder, navigation, downloads, details, requests, onPreview, onClose } = props;
  const { may, dispatch } = props.changes;
  const { rows, time, at } = opened;
  const isNow = time.kind === "now";
  const [first] = rows;
  if (!first || !at) return null;
  const only = rows.length === 1 ? first : null;
  const entries: (MenuEntry | false)[] = [];
  const change = (command: Command, entry: Omit<MenuEntry, "run">) =>
    may[command] && { ...entry, run: () => dispatch(command, rows) };

  if (only?.type === "folder")
    entries.push({ name: t("changes.open"), icon: "folder", run: () => navigation.open(only.path) });
  if (only?.type === "file" && downloads.allowed)
    entries.push({ name: t("changes.preview"), icon: "eye", run: () => onPreview(rowId(only)) });
  // A folder of deleted files may be gone.
  if (isNow && only && folderOf(only) !== folder.path)
    entries.push({
      name: t("search.openIts"),
      icon: "folder",
      run: () => navigation.open(folderOf(only), rowId(only)),
    });
  if (downloads.allowed && requests.picker === null)
    entries.push({ name: t("download"), icon: "download", run: () => downloads.start(rows) });
  entries.push(
    change("restore", { name: t("changes.restore"), icon: "undo", begins: true }),
    change("purge", { name: t("versions.purge"), icon: "trash", isDangerous: true }),
  );
  // Away from "Copy to…", as in Windows. By touch alone, "Move to…" and "Copy to…" take fewer steps.
  if (matchMedia("(any-pointer: fine)").matches)
    entries.push(
      change("cut", { name: t("changes.cut"), icon: "cut", keys: "Control+X", begins: true }),
      change("clip", { name: t("changes.clip"), icon: "copy", keys: "Control+C" }),
    );
  if (only)
    entries.push(change("rename", { name: t("changes.rename"), icon: "rename", keys: "F2", begins: true }));
  entries.push(
    change("move", { name: t("changes.moveTo"), icon: "folderMove", begins: only === null }),
    change("copy", { name: t("changes.copyTo"), icon: "folderCopy" }),
  );
  entries.push(
    // The page's actions are for files as they are now.
    ...(isNow ? actionsFor(requests.actions, rows) : []).map((action, index) => ({
      name: action.label,
      icon: <ActionIcon path={action.icon} />,
      begins: index === 0,
      run: () => requests.run(action, rows),
    })),
  );
  if (only)
    entries.push({
      name: t("look.details"),
      icon: "info",
      keys: "Alt+Enter",
      begins: true,
      run: () => details.show(only),
    });
  const { showVersions } = details;
  if (isNow && only?.type === "file" && showVersions)
    entries.push({ name: t("versions.title"), icon: "clock", run: () => showVersions(only) });
  entries.push(
    change("delete", {
      name: t("changes.delete"),
      icon: "trash",
      keys: "Delete",
      begins: true,
      isDangerous: true,
    }),
  );
  const possible = entries.filter((entry) => entry !== false);
  if (possible.length === 0) return null;
  const label = t("changes.menuOf", { count: rows.length, name: first.name });
  return <Menu label={label} entries={possible} at={at} onClose={onClose} />;
}
