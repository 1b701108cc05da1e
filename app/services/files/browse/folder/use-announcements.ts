import { useEffect, useRef, useState } from "react";
import { useLanguage } from "../../screen/language";
import type { Folder } from "./use-folder";
import type { List } from "./use-list";

/**
 * Announces to screen readers how many rows a filter leaves and when more pages have loaded.
 * @returns the latest announcement, and `announce` for announcements of other components
 */
export function useAnnouncements(
  folder: Pick<Folder, "status">,
  {
    isFiltered,
    filter,
    files,
    search,
    rows,
    total,
  }: Pick<List, "isFiltered" | "filter" | "files" | "search" | "rows" | "total">,
) {
  const { t } = useLanguage();
  const [announcement, announce] = useState("");
  const shown = useRef(rows.length);
  shown.current = rows.length;
  const loaded = total;
  const before = useRef(folder.status);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what another filter leaves is announced, and not what others add to it
  useEffect(() => {
    // While results stream in, every page would be announced.
    if (isFiltered && search !== "running") announce(t("announcements.filtered", { count: shown.current }));
  }, [isFiltered, filter, files, search, t]);

  useEffect(() => {
    const came = before.current === "more";
    before.current = folder.status;
    if (came && folder.status === "ready") announce(t("announcements.loaded", { count: loaded }));
  }, [folder.status, loaded, t]);

  return { announcement, announce };
}
