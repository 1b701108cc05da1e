import type { StoreTools } from "../../../embed/service";
import type { ObjectVersion, VersionPage, VersionPosition } from "../../../providers/listings.server";
import type { ObjectName } from "../../../providers/object-changes.server";
import type { CallContext } from "../../../shared/request-context.server";

/** A key with all its versions, newest first, or a subfolder. */
export type Found = { key: string; versions: ObjectVersion[] } | { prefix: string };

/** The position right after this key or subfolder, to continue a listing from. */
export const positionAfter = (found: Found): VersionPosition => ({
  key: "prefix" in found ? found.prefix : found.key,
  versionId: undefined,
});

/**
 * Yields the keys with their versions, in the order of the store. If the pages group subfolders, it yields those, too.
 * @param listPage returns the page of versions after a position
 */
export async function* walkVersions(
  after: VersionPosition | undefined,
  listPage: (after: VersionPosition | undefined) => Promise<VersionPage>,
): AsyncGenerator<Found> {
  /** The versions of the last key of a page. The next page may begin with more of them, so they are not yielded yet. */
  let open: ObjectVersion[] = [];
  for (let position = after, isLast = false; !isLast; ) {
    const { versions, prefixes, next } = await listPage(position);
    const found = inOrder(
      groupByKey([...open, ...versions]),
      prefixes.filter((prefix) => prefix !== position?.key),
    );
    const last = found.at(-1);
    open = next !== null && last !== undefined && "versions" in last ? last.versions : [];
    yield* open.length > 0 ? found.slice(0, -1) : found;
    isLast = next === null;
    position = next ?? undefined;
  }
}

function groupByKey(versions: readonly ObjectVersion[]): { key: string; versions: ObjectVersion[] }[] {
  const groups = new Map<string, ObjectVersion[]>();
  for (const version of versions) {
    const group = groups.get(version.key);
    if (group === undefined) groups.set(version.key, [version]);
    else group.push(version);
  }
  return [...groups].map(([key, ofKey]) => ({ key, versions: ofKey }));
}

/** Sorts by UTF-8 bytes, as stores do. */
function inOrder(
  groups: readonly { key: string; versions: ObjectVersion[] }[],
  prefixes: readonly string[],
): Found[] {
  const found: Found[] = [...groups, ...prefixes.map((prefix) => ({ prefix }))];
  const nameOf = (one: Found) => Buffer.from("prefix" in one ? one.prefix : one.key);
  return prefixes.length === 0
    ? found
    : found.sort((one, other) => Buffer.compare(nameOf(one), nameOf(other)));
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
    // The listing goes on with keys that only begin with this one.
    yield* page.versions.filter((version) => version.key === key);
    after = page.next?.key === key ? page.next : undefined;
  } while (after !== undefined);
}
