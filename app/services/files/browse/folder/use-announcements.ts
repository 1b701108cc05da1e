import { useEffect, useRef, useState } from "react";
import { useLanguage } from "../../screen/language";
import type { Folder } from "./use-folder";
import type { List } from "./use-list";

/**
 * Announces to screen readers how many rows a filter leaves and when more pages have loaded.
 * @returns the latest announcement, and `announce` for announcements of other components
 */
export function useAnnouncements(
  folder: Pick<Folder, "phase">,
  { filter, search, rows, total }: Pick<List, "filter" | "search" | "rows" | "total">,
) {
  const { t } = useLanguage();
  const [announcement, announce] = useState("");
  const shown = rows.length;
  const loaded = total;
  const phase = useRef(folder.phase);

  useEffect(() => {
    // While results stream in, every page would be announced.
    if (filter !== "" && search !== "running") announce(t("announcements.filtered", { count: shown }));
  }, [filter, search, shown, t]);

  useEffect(() => {
    const came = phase.current === "more";
    phase.current = folder.phase;
    if (came && folder.phase === "ready") announce(t("announcements.loaded", { count: loaded }));
  }, [folder.phase, loaded, t]);

  return { announcement, announce };
}
