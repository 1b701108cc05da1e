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
  { isFiltered, search, rows, total }: Pick<List, "isFiltered" | "search" | "rows" | "total">,
) {
  const { t } = useLanguage();
  const [announcement, announce] = useState("");
  const shown = rows.length;
  const loaded = total;
  const before = useRef(folder.status);

  useEffect(() => {
    // While results stream in, every page would be announced.
    if (isFiltered && search !== "running") announce(t("announcements.filtered", { count: shown }));
  }, [isFiltered, search, shown, t]);

  useEffect(() => {
    const came = before.current === "more";
    before.current = folder.status;
    if (came && folder.status === "ready") announce(t("announcements.loaded", { count: loaded }));
  }, [folder.status, loaded, t]);

  return { announcement, announce };
}
