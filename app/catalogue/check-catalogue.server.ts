import type { Database } from "../providers/database.server";
import { compareKeys, type ListedObject } from "../providers/listings.server";
import type { ObjectStore } from "../providers/object-store.server";
import type { Catalogue } from "./catalogues.server";
import { type KnownObject, readObjects } from "./objects.sql.server";

/** Rows read by one statement. */
const MAX_ROWS = 5_000;

/** How a catalogue differs from its bucket at one key. */
export interface Difference {
  key: string;
  /** `missing`: only the bucket has the object; `extra`: only the catalogue has it; `different`: both have one */
  kind: "missing" | "extra" | "different";
  /** of `different`: the members that differ, as the bucket and the catalogue have them */
  members?: { name: string; bucket: string; catalogue: string }[];
}

interface CheckTools {
  database: Database;
  objectStore: Pick<ObjectStore, "listBelow">;
}

/**
 * Compares a catalogue with its bucket, page by page, and changes nothing. What differs is compared once more, because the bucket may have
 * changed between the two questions.
 * @param signal stops the check
 * @returns for each page how many objects the bucket has and what differs. The last page may have no objects
 * @throws AppError as `ObjectStore.list`
 */
export async function* checkCatalogue(
  { database, objectStore }: CheckTools,
  { id, bucket }: Pick<Catalogue, "id" | "bucket">,
  signal: AbortSignal,
): AsyncGenerator<{ objects: number; differences: Difference[] }> {
  let after: string | null = "";
  while (after !== null && !signal.aborted) {
    const begin: string = after;
    const listed = await objectStore.listBelow({ bucket, prefix: "", after: begin || undefined });
    const differences = await compare(listed.entries, begin, listed.next);
    yield {
      objects: listed.entries.length,
      differences: differences.length === 0 ? [] : await confirm(differences, begin, listed.next),
    };
    after = listed.next;
  }

  /** Compares the objects that come after `begin` and not after `end`. */
  async function compare(entries: readonly ListedObject[], begin: string, end: string | null) {
    const inBucket = new Map(entries.map((entry) => [entry.key, entry]));
    const differences: Difference[] = [];
    let position = begin;
    for (let isRead = false; !isRead; ) {
      const known = await readObjects(database, id, { after: position, until: end, limit: MAX_ROWS });
      for (const row of known) {
        const object = inBucket.get(row.key);
        inBucket.delete(row.key);
        const members = object && differingMembers(object, row);
        if (members === undefined) differences.push({ key: row.key, kind: "extra" });
        else if (members.length > 0) differences.push({ key: row.key, kind: "different", members });
      }
      position = known.at(-1)?.key ?? position;
      isRead = known.length < MAX_ROWS;
    }
    for (const key of inBucket.keys()) differences.push({ key, kind: "missing" });
    return differences.sort((one, other) => compareKeys(one.key, other.key));
  }

  /** Lists the keys once more. Only a difference that is the same counts. */
  async function confirm(differences: readonly Difference[], begin: string, end: string | null) {
    const entries: ListedObject[] = [];
    for (let next: string | null = begin; next !== null; ) {
      const page: Awaited<ReturnType<typeof objectStore.listBelow>> = await objectStore.listBelow({
        bucket,
        prefix: "",
        after: next || undefined,
      });
      const within = page.entries.filter(({ key }) => end === null || compareKeys(key, end) <= 0);
      entries.push(...within);
      next = within.length === page.entries.length ? page.next : null;
    }
    const before = new Set(differences.map((difference) => JSON.stringify(difference)));
    const now = await compare(entries, begin, end);
    return now.filter((difference) => before.has(JSON.stringify(difference)));
  }
}

function differingMembers(object: ListedObject, row: KnownObject) {
  const pairs: [name: string, bucket: string, catalogue: string][] = [
    ["size", String(object.size), String(row.size)],
    ["etag", object.etag, row.etag],
    ["lastModified", object.lastModified.toISOString(), row.lastModified.toISOString()],
    ["storageClass", object.storageClass ?? "STANDARD", row.storageClass ?? "STANDARD"],
  ];
  return pairs
    .filter(([, bucket, catalogue]) => bucket !== catalogue)
    .map(([name, bucket, catalogue]) => ({ name, bucket, catalogue }));
}
