import { useLanguage } from "../../screen/language";
import { columnTitle, type SortColumn } from "./arrange-rows";
import type { Folder } from "./use-folder";
import type { List } from "./use-list";

export type ListActions = ReturnType<typeof useListActions>;

/** What concerns all rows of the open folder: another order, and selecting them. */
export function useListActions(
  folder: Pick<Folder, "complete" | "more" | "time">,
  list: Pick<List, "isFiltered" | "sort" | "setSort" | "selection">,
  announce: (sentence: string) => void,
) {
  const { t } = useLanguage();

  /** For what needs all rows of the folder. Search results are not loaded by page. */
  const loadAll = () => {
    if (!folder.complete && !list.isFiltered) void folder.more({ all: true });
  };

  const sortBy = (column: SortColumn) => {
    loadAll();
    // By date or size, the newest or largest come first.
    const descending =
      list.sort.column === column ? !list.sort.descending : column === "modified" || column === "size";
    list.setSort({ column, descending });
    const direction = t(`announcements.${descending ? "descending" : "ascending"}`);
    announce(t("announcements.sorted", { column: t(columnTitle(column, folder.time)), direction }));
  };

  const selectAll = () => {
    loadAll();
    list.selection.all();
  };

  return { loadAll, sortBy, selectAll };
}
