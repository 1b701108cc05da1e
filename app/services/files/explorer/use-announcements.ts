import { useEffect, useRef, useState } from "react";
import type { Folder } from "./folder/use-folder";
import type { List } from "./folder/use-list";
import { useLanguage } from "./language";

/**
 * What a screen reader announces by itself: how many rows a filter leaves, and that further pages are loaded.
 * @returns the latest announcement, and `announce` for all others
 */
export function useAnnouncements(folder: Folder, { filter, search, rows }: List) {
  const { t } = useLanguage();
  const [announcement, announce] = useState("");
  const shown = rows.length;
  const loaded = folder.rows.length;
  const phase = useRef(folder.phase);

  useEffect(() => {
    // While hits stream in, their number would be said again and again.
    if (filter !== "" && search !== "running") announce(t("announcements.filtered", { count: shown }));
  }, [filter, search, shown, t]);

  useEffect(() => {
    const came = phase.current === "more" || phase.current === "all";
    phase.current = folder.phase;
    if (came && folder.phase === "ready") announce(t("announcements.loaded", { count: loaded }));
  }, [folder.phase, loaded, t]);

  return { announcement, announce };
}
