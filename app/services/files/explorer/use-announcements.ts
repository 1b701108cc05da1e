import { useEffect, useRef, useState } from "react";
import type { Folder } from "./folder/use-folder";
import type { List } from "./folder/use-list";
import { useLanguage } from "./language";

/**
 * What a screen reader announces by itself: how many rows a filter leaves, and that further pages are loaded.
 * @returns the latest announcement, and `announce` for all others
 */
export function useAnnouncements(folder: Folder, { filter, rows: { length: shown } }: List) {
  const { messages, formats } = useLanguage();
  const [announcement, announce] = useState("");
  const loaded = folder.rows.length;
  const phase = useRef(folder.phase);

  useEffect(() => {
    if (filter !== "") announce(messages.announcements.filtered(formats.number(shown)));
  }, [filter, shown, messages, formats]);

  useEffect(() => {
    const came = phase.current === "more" || phase.current === "all";
    phase.current = folder.phase;
    if (came && folder.phase === "ready") announce(messages.announcements.loaded(formats.number(loaded)));
  }, [folder.phase, loaded, messages, formats]);

  return { announcement, announce };
}
