import { type ChangeItem, keyOrPrefix } from "./change-items";

/** One object of an item, or an item of which it is not known yet what there is. */
export interface Found<Entry> {
  /** of the item */
  index: number;
  /** the object's; of a folder that holds nothing, what its objects' keys would start with */
  key: string;
  /** undefined for a file, which is looked at when its turn comes, and for a folder that holds nothing */
  entry: Entry | undefined;
}

/**
 * The objects of all items, from where a request has come to. Folders are listed by what comes after a key: they change while they are
 * walked through.
 * @param listPage what there is below a prefix, after a key
 */
export async function* walkObjects<Entry extends { key: string }>(
  items: readonly ChangeItem[],
  from: { index: number; after?: string | undefined },
  listPage: (prefix: string, after: string | undefined) => Promise<{ entries: Entry[]; next: string | null }>,
): AsyncGenerator<Found<Entry>> {
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
      // Nothing to be changed on this page: whoever works through the folder may stop here all the same.
      if (entries.length === 0 && next !== null) yield { index, key: next, entry: undefined };
      after = next ?? after;
    }
    if (isEmpty) yield { index, key, entry: undefined };
  }
}

/** Where a request goes on that has begun everything up to this. */
export const positionAfter = ({ index, key }: Found<unknown>) => ({ index, after: key });
