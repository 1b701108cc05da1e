import { folderOf, rowId } from "../folder/folder-state";
import { useLanguage } from "../language";
import type { ExplorerState } from "../use-explorer";
import { Menu, type MenuEntry } from "./menu";
import type { Asked, Command } from "./use-changes";

interface RowMenuProps {
  explorer: ExplorerState;
  asked: Asked;
  onCommand(asked: Asked): void;
  onClose(): void;
}

/** What can be done with a row, or with all that are selected: only what the token allows, and where it does. */
export function RowMenu({ explorer, asked: { rows, at }, onCommand, onClose }: RowMenuProps) {
  const { t } = useLanguage();
  const { navigation, downloads, changes, setPreviewed, setDetailed } = explorer;
  const [first] = rows;
  if (!first || !at) return null;
  const only = rows.length === 1 ? first : null;
  const entries: (MenuEntry | false)[] = [];
  const change = (command: Command, entry: Omit<MenuEntry, "run">) =>
    changes.may[command] && { ...entry, run: () => onCommand({ command, rows }) };

  if (only?.type === "folder")
    entries.push({ name: t("changes.open"), icon: "folder", run: () => navigation.open(only.path) });
  if (only?.type === "file" && downloads.allowed)
    entries.push({ name: t("changes.preview"), icon: "eye", run: () => setPreviewed(rowId(only)) });
  if (only && folderOf(only) !== explorer.folder.path)
    entries.push({
      name: t("search.openIts"),
      icon: "folder",
      run: () => navigation.open(folderOf(only), rowId(only)),
    });
  if (downloads.allowed)
    entries.push({ name: t("download"), icon: "download", run: () => downloads.start(rows) });
  if (only)
    entries.push(change("rename", { name: t("changes.rename"), icon: "rename", keys: "F2", begins: true }));
  entries.push(
    change("move", { name: t("changes.moveTo"), icon: "folderMove", begins: only === null }),
    change("copy", { name: t("changes.copyTo"), icon: "copy" }),
    change("cut", { name: t("changes.cut"), icon: "cut", keys: "Control+X", begins: true }),
    change("clip", { name: t("changes.clip"), icon: "copy", keys: "Control+C" }),
  );
  if (only)
    entries.push({
      name: t("look.details"),
      icon: "info",
      keys: "Alt+Enter",
      begins: true,
      run: () => setDetailed(only),
    });
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
