import type { FolderNews, FollowedSearch } from "platform-embed-element/client";
import { useEffect, useRef, useState } from "react";
import { useLanguage } from "../../screen/language";
import type { Folder } from "./use-folder";
import type { List } from "./use-list";

/** How long what others have added or changed is marked. */
const MARKED_MS = 6_000;
/** What happens within this time is one announcement. */
const SUMMARY_MS = 3_000;

const none: ReadonlySet<string> = new Set();

/**
 * Shows in the open folder, and in what a search has found below it, what others change, while somebody can see it: browsers open only some
 * connections to one server. A screen reader hears a summary.
 * @returns the ids of rows that others have added or changed a moment ago
 */
export function useNews(
  { follow }: Pick<Folder, "follow">,
  list: Pick<List, "search" | "found" | "isShown" | "applyChanges">,
  isLive: boolean,
  announce: (announcement: string) => void,
): ReadonlySet<string> {
  const { t } = useLanguage();
  const [marked, setMarked] = useState(none);
  const latest = useRef({ announce, t, list });
  latest.current = { announce, t, list };
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());
  const summary = useRef<{ added: Set<string>; gone: Set<string> } | null>(null);
  useEffect(() => {
    const running = timers.current;
    return () => running.forEach(clearTimeout);
  }, []);
  const isSearch = list.search !== "none";

  useEffect(() => {
    if (!isLive) return;
    const later = (act: () => void, milliseconds: number) => {
      const timer = setTimeout(() => {
        timers.current.delete(timer);
        act();
      }, milliseconds);
      timers.current.add(timer);
    };
    const tell = () => {
      const { added, gone } = summary.current ?? { added: none, gone: none };
      summary.current = null;
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
      if (summary.current === null) later(tell, SUMMARY_MS);
      summary.current ??= { added: new Set(), gone: new Set() };
      for (const id of added) summary.current.added.add(id);
      for (const id of gone) summary.current.gone.add(id);
    };
    const search: FollowedSearch = {
      getRows: () => latest.current.list.found,
      finds: (row) => latest.current.list.isShown(row),
      applyChanges: (added, gone) => latest.current.list.applyChanges(added, gone),
    };
    let stop: (() => void) | null = null;
    const look = () => {
      if (document.visibilityState === "visible") stop ??= follow(onNews, isSearch ? search : undefined);
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
    };
  }, [follow, isLive, isSearch]);

  return marked;
}
