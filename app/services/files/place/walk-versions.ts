import type { StoreTools } from "../../../embed/service";
import {
  compareKeys,
  type ObjectVersion,
  type VersionPage,
  type VersionPosition,
} from "../../../providers/listings.server";
import type { ObjectName } from "../../../providers/object-changes.server";
import type { CallContext } from "../../../shared/request-context.server";

/** A key with its wanted versions, newest first; a subfolder; or a position within a key of which more versions have to be read. */
export type WalkedVersions = VersionsOfKey | { prefix: string } | { within: VersionPosition };

interface VersionsOfKey {
  key: string;
  versions: ObjectVersion[];
}

/** The position right after what was found, to continue a listing from. */
export function positionAfter(found: WalkedVersions): VersionPosition {
  if ("within" in found) return found.within;
  return { key: "prefix" in found ? found.prefix : found.key, versionId: undefined };
}

/** What a listing needs of one key. */
export interface WantedVersions {
  /** the versions to keep, a few at most, because a key may have millions */
  wanted: ObjectVersion[];
  /**
   * - `skip`: they would change nothing.
   * - `read`: they are needed together with the wanted ones, so the listing must not stop here.
   * - `read_or_stop`: they are needed, and a later request, which does not know the wanted ones, can continue here.
   */
  older: "skip" | "read" | "read_or_stop";
}

/**
 * Yields the keys with their wanted versions, in the order of the store. If the pages group subfolders, it yields those, too.
 * @param listPage returns the page of versions after a position
 * @param choose is given versions of one key, newest first: those that it wanted of earlier pages, and those of the current one
 */
export async function* walkVersions(
  after: VersionPosition | undefined,
  listPage: (after: VersionPosition | undefined) => Promise<VersionPage>,
  choose: (versions: readonly ObjectVersion[]) => WantedVersions,
): AsyncGenerator<WalkedVersions> {
  /** The wanted versions of the last key of a page. The next page may begin with more of them, so they are not yielded yet. */
  let open: ObjectVersion[] = [];
  for (let position = after, isLast = false; !isLast; ) {
    const { versions, prefixes, next } = await listPage(position);
    const found = inOrder(
      groupByKey([...open, ...versions]),
      prefixes.filter((prefix) => prefix !== position?.key),
    );
    open = [];
    isLast = next === null;
    position = next ?? undefined;
    for (const [index, one] of found.entries()) {
      if ("prefix" in one) {
        yield one;
        continue;
      }
      const { wanted, older } = choose(one.versions);
      if (next === null || index < found.length - 1) {
        yield { key: one.key, versions: wanted };
      } else if (older === "skip") {
        position = positionAfter(one);
        yield { key: one.key, versions: wanted };
      } else {
        open = wanted;
        if (older === "read_or_stop") yield { within: next };
      }
    }
  }
}

export function groupByKey<Item extends { key: string }>(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.key);
    if (group === undefined) groups.set(item.key, [item]);
    else group.push(item);
  }
  return groups;
}

function inOrder(
  groups: ReadonlyMap<string, ObjectVersion[]>,
  prefixes: readonly string[],
): (VersionsOfKey | { prefix: string })[] {
  const keys = [...groups].map(([key, versions]) => ({ key, versions }));
  const found = [...keys, ...prefixes.map((prefix) => ({ prefix }))];
  const nameOf = (one: (typeof found)[number]) => ("prefix" in one ? one.prefix : one.key);
  return prefixes.length === 0 ? found : found.sort((one, other) => compareKeys(nameOf(one), nameOf(other)));
}

/** Versions in one page of a file: most files have few. */
const PAGE_SIZE = 100;

/** The versions and delete markers of one file, newest first. @param pageSize number of versions in one page */
export async function* versionsOfFile(
  { bucket, key }: ObjectName,
  { objectStore, context }: Pick<StoreTools, "objectStore"> & { context?: CallContext },
  pageSize = PAGE_SIZE,
): AsyncGenerator<ObjectVersion> {
  let after: VersionPosition | undefined;
  do {
    const page = await objectStore.listVersions({ bucket, prefix: key, after, pageSize }, context);
    // The listing continues with longer keys that begin with this one.
    yield* page.versions.filter((version) => version.key === key);
    after = page.next?.key === key ? page.next : undefined;
  } while (after !== undefined);
}
