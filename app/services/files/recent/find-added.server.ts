import type { StoredEvent } from "../../../events/stored-event.server";

/** A file that somebody has added. */
export interface AddedFile {
  /** where it should be now */
  key: string;
  event: StoredEvent;
}

/** Types of events that `findAdded` needs to see. */
export const readTypes = [
  "file.uploaded",
  "file.copied",
  "file.moved",
  "file.deleted",
  "file.restored",
] as const;

/**
 * Finds what was added, and where it should be now: a file that was moved later is found at its new key, and one that was replaced or deleted is
 * not found. Whether it still exists, only the store can tell.
 * @param pages events of `readTypes`, newest first. An event without `data.from` has its source outside of what may be seen, so moving it
 * has added the file.
 */
export async function* findAdded(pages: AsyncIterable<readonly StoredEvent[]>): AsyncGenerator<AddedFile> {
  /** Where the content went that a key had before the event that is looked at; null if it was replaced or deleted. */
  const later = new Map<string, string | null>();
  for await (const events of pages) {
    for (const event of events) {
      if (!("key" in event.subject)) continue;
      const { key } = event.subject;
      const { from } = event.data;
      const latest = later.get(key);
      const now = latest === undefined ? key : latest;
      if (event.type === "file.deleted" || (event.type === "file.restored" && from === undefined)) {
        // What is known already is newer: of a file that was deleted and restored, the restoration.
        if (latest === undefined) later.set(key, event.type === "file.restored" ? key : null);
        continue;
      }
      later.set(key, null);
      if (event.type === "file.moved" && typeof from === "string") later.set(from, now);
      else if (event.type !== "file.restored" && now !== null) yield { key: now, event };
    }
  }
}
