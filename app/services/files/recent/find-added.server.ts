import type { StoredEvent } from "../../../events/stored-event.server";

/** A file that somebody has added. */
export interface AddedFile {
  /** where it should be now */
  key: string;
  event: StoredEvent;
}

/** Types of events that `findAdded` needs to see. */
export const addingTypes = ["file.uploaded", "file.copied", "file.moved"] as const;

/**
 * Finds what was added, and where it should be now: a file that was moved later is found at its new key, and one that was replaced is not
 * found. Whether it still exists, only the store can tell.
 * @param pages events of `addingTypes`, newest first. An event without `data.from` has its source outside of what may be seen, so moving it
 * has added the file.
 */
export async function* findAdded(pages: AsyncIterable<readonly StoredEvent[]>): AsyncGenerator<AddedFile> {
  /** Where the content went that a key had before the event that is looked at; null if it was replaced. */
  const later = new Map<string, string | null>();
  for await (const events of pages) {
    for (const event of events) {
      if (!("key" in event.subject)) continue;
      const { key } = event.subject;
      const latest = later.get(key);
      const now = latest === undefined ? key : latest;
      later.set(key, null);
      const { from } = event.data;
      if (event.type === "file.moved" && typeof from === "string") later.set(from, now);
      else if (now !== null) yield { key: now, event };
    }
  }
}
