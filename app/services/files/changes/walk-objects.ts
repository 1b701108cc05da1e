import { type ChangeItem, keyOrPrefix } from "./change-items";

/** One object of an item, or an item whose objects are not known. */
export interface WalkedEntry<Entry> {
  /** the index of the item */
  index: number;
  /** the key of the object; for an empty folder, its prefix */
  key: string;
  /** undefined for a file, which has not been described yet, and for an empty folder */
  entry: Entry | undefined;
}

/**
 * All objects of the items, from the position of a request on. Pages of folders begin after a key, and not at a store's cursor, because
 * folders change meanwhile.
 * @param listPage lists the objects below a prefix, after a key
 */
export async function* walkObjects<Entry extends { key: string }>(
  items: readonly ChangeItem[],
  from: { index: number; after?: string | undefined },
  listPage: (prefix: string, after: string | undefined) => Promise<{ entries: Entry[]; next: string | null }>,
): AsyncGenerator<WalkedEntry<Entry>> {
  for (const [index, item] of items.entries()) {
    if (index < from.index) continue;
    const key = keyOrPrefix(item);
    let after = index === from.index ? from.after : undefined;
    if (!item.isFolder) {
      if (after === undefined) yield { index, key, entry: undefined };
      continue;
    }
    let isEmpty = after === undefined;
    for (let isLast = false; !isLast; ) {
      const { entries, next } = await listPage(key, after);
      for (const entry of entries) {
        isEmpty = false;
        yield { index, key: entry.key, entry };
      }
      isLast = next === null;
      // A page without objects to change: the request may still stop here.
      if (entries.length === 0 && next !== null) yield { index, key: next, entry: undefined };
      after = next ?? after;
    }
    if (isEmpty) yield { index, key, entry: undefined };
  }
}

/** The position of a request that has begun everything up to this object. */
export const positionAfter = ({ index, key }: WalkedEntry<unknown>) => ({ index, after: key });
