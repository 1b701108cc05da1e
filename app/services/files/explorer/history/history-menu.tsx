import type { TimeView } from "../../history/time-view";
import { Menu, type MenuEntry } from "../changes/menu";
import type { Point } from "../changes/use-changes";
import { type Translate, useLanguage } from "../language";
import type { History } from "./use-history";

interface HistoryMenuProps {
  history: History;
  at: Point;
  view: TimeView;
}

/** The menu of the toolbar's button. The folder's menu has the same entries. */
export default function HistoryMenu({ history, at, view }: HistoryMenuProps) {
  const { t } = useLanguage();
  const entries = historyEntries(t, history, view);
  return <Menu label={t("past.menu")} entries={entries} at={at} onClose={history.closeMenu} />;
}

/** What leads to the views that are not shown. */
export function historyEntries(t: Translate, history: History, view: TimeView): MenuEntry[] {
  const entries: MenuEntry[] = [];
  if (view.kind !== "now")
    entries.push({ name: t("past.now"), icon: "folder", begins: true, run: history.showNow });
  if (view.kind !== "deleted")
    entries.push({
      name: t("changes.deletedFiles"),
      icon: "trash",
      begins: view.kind === "now",
      run: history.showDeleted,
    });
  entries.push({ name: t("changes.asItWas"), icon: "clock", run: history.chooseMoment });
  return entries;
}
