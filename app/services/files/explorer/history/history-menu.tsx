import type { FolderTime } from "../../history/folder-time";
import { Menu, type MenuEntry } from "../changes/menu";
import type { Point } from "../changes/use-changes";
import { useLanguage } from "../language";
import type { History } from "./use-history";

interface HistoryMenuProps {
  history: History;
  at: Point;
  time: FolderTime;
}

/** The menu of the toolbar's button: what leads to the times that are not shown. The folder's menu has the same entries. */
export default function HistoryMenu({ history, at, time }: HistoryMenuProps) {
  const { t } = useLanguage();
  const entries: MenuEntry[] = [];
  if (time.kind !== "now")
    entries.push({ name: t("past.now"), icon: "folder", begins: true, run: history.showNow });
  if (time.kind !== "deleted")
    entries.push({
      name: t("changes.deletedFiles"),
      icon: "trash",
      begins: time.kind === "now",
      run: history.showDeleted,
    });
  entries.push({ name: t("changes.asItWas"), icon: "clock", run: history.chooseMoment });
  return <Menu label={t("past.menu")} entries={entries} at={at} onClose={history.closeMenu} />;
}
