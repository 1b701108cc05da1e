import type { FileOrder } from "platform-embed-element/client";
import { useLanguage } from "../../screen/language";
import { columnTitle, type Sort, type SortColumn } from "./arrange-rows";
import type { Folder } from "./use-folder";
import type { List } from "./use-list";

export type ListActions = ReturnType<typeof useListActions>;

/**
 * What concerns all rows of the open folder: another order, and selecting them.
 * @param knowsOrders the platform may know which files come first of all, so that not all rows have to be loaded
 */
export function useListActions(
  folder: Pick<Folder, "complete" | "more" | "sort" | "time">,
  list: Pick<List, "isFiltered" | "sort" | "setSort" | "selection">,
  announce: (sentence: string) => void,
  knowsOrders: boolean,
) {
  const { t } = useLanguage();

  /** For what needs all rows of the folder. Search results are not loaded by page. */
  const loadAll = () => {
    if (!folder.complete && !list.isFiltered) void folder.more({ all: true });
  };

  const sortBy = (column: SortColumn) => {
    // By date or size, the newest or largest come first.
    const descending =
      list.sort.column === column ? !list.sort.descending : column === "modified" || column === "size";
    if (knowsOrders && !list.isFiltered) void folder.sort(orderOf({ column, descending }));
    else loadAll();
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

/** The order that the platform may know; null: none. */
function orderOf({ column, descending }: Sort): FileOrder | null {
  if (column === "modified") return descending ? "newest" : "oldest";
  if (column === "size") return descending ? "largest" : "smallest";
  return null;
}
