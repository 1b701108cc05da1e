import type { FolderTime } from "platform-embed-element/client";
import { type Translate, useLanguage } from "../screen/language";
import { Menu, type MenuEntry, type Point } from "../screen/menu";
import type { History } from "./use-history";

interface HistoryMenuProps {
  history: History;
  at: Point;
  time: FolderTime;
}

/** The menu of the toolbar's button. The folder's menu has the same entries. */
export function HistoryMenu({ history, at, time }: HistoryMenuProps) {
  const { t } = useLanguage();
  const entries = historyEntries(t, history, time);
  return <Menu label={t("past.menu")} entries={entries} at={at} onClose={history.closeMenu} />;
}

/** What leads to the times that are not shown. */
export function historyEntries(t: Translate, history: History, time: FolderTime): MenuEntry[] {
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
  return entries;
}
