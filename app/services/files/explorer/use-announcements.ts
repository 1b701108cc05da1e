import { useEffect, useRef, useState } from "react";
import type { Folder } from "./folder/use-folder";
import type { Language } from "./language";

/**
 * What a screen reader is told without being asked: how many rows a filter leaves, and that further pages have come.
 * The answer is the latest sentence, and `say` for all others.
 */
export function useAnnouncements(
  { copy, formats }: Language,
  folder: Folder,
  filter: string,
  shown: number,
): { said: string; say(sentence: string): void } {
  const [said, say] = useState("");
  const loaded = folder.rows.length;
  const phase = useRef(folder.phase);

  useEffect(() => {
    if (filter !== "") say(copy.announce.filtered(formats.number(shown)));
  }, [filter, shown, copy, formats]);

  useEffect(() => {
    const came = phase.current === "more" || phase.current === "all";
    phase.current = folder.phase;
    if (came && folder.phase === "ready") say(copy.announce.loaded(formats.number(loaded)));
  }, [folder.phase, loaded, copy, formats]);

  return { said, say };
}
