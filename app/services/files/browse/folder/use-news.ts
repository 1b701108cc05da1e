import type { FolderNews } from "platform-embed-element/client";
import { useEffect, useRef, useState } from "react";
import { useLanguage } from "../../screen/language";
import type { Folder } from "./use-folder";

/** How long what others have added or changed is marked. */
const MARKED_MS = 6_000;
/** What happens within this time is one announcement. */
const SUMMARY_MS = 3_000;

const none: ReadonlySet<string> = new Set();

/**
 * Shows in the open folder what others change, while somebody can see it: browsers open only some connections to one server. A screen reader
 * hears a summary.
 * @returns the ids of rows that others have added or changed a moment ago
 */
export function useNews(
  { follow }: Pick<Folder, "follow">,
  isLive: boolean,
  announce: (announcement: string) => void,
): ReadonlySet<string> {
  const { t } = useLanguage();
  const [marked, setMarked] = useState(none);
  const latest = useRef({ announce, t });
  latest.current = { announce, t };

  useEffect(() => {
    if (!isLive) return;
    const timers = new Set<ReturnType<typeof setTimeout>>();
    const later = (act: () => void, milliseconds: number) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        act();
      }, milliseconds);
      timers.add(timer);
    };
    let summary: { added: Set<string>; gone: Set<string> } | null = null;
    const tell = () => {
      const { added, gone } = summary ?? { added: none, gone: none };
      summary = null;
      const { announce, t } = latest.current;
      if (gone.size === 0) announce(t("announcements.othersAdded", { count: added.size }));
      else if (added.size === 0) announce(t("announcements.othersDeleted", { count: gone.size }));
      else announce(t("announcements.othersChanged", { count: added.size + gone.size }));
    };
    const onNews = ({ added, gone }: FolderNews) => {
      if (added.length > 0) {
        setMarked((before) => new Set([...before, ...added]));
        later(
          () => setMarked((before) => new Set([...before].filter((id) => !added.includes(id)))),
          MARKED_MS,
        );
      }
      if (summary === null) later(tell, SUMMARY_MS);
      summary ??= { added: new Set(), gone: new Set() };
      for (const id of added) summary.added.add(id);
      for (const id of gone) summary.gone.add(id);
    };
    let stop: (() => void) | null = null;
    const look = () => {
      if (document.visibilityState === "visible") stop ??= follow(onNews);
      else {
        stop?.();
        stop = null;
      }
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      stop?.();
      for (const timer of timers) clearTimeout(timer);
    };
  }, [follow, isLive]);

  return marked;
}
