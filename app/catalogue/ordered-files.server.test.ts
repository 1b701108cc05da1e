import fc from "fast-check";
import { isFolderMarker } from "platform-embed-element/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { query } from "../../tests/support/databases/postgres";
import { anyObjects } from "../../tests/support/files/any-objects";
import { newBucketName } from "../../tests/support/files/bucket";
import { compareKeys } from "../providers/listings.server";
import { addCatalogue } from "./catalogues.server";
import { readClock, writeObserved } from "./objects.sql.server";
import { readOrderedPage } from "./ordered-files.server";
import { comparePlaces, type FileOrder, fileOrders, type PlaceInOrder } from "./ordered-files.sql.server";
import { toStoredKey } from "./stored-key";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startOwnDatabase();
});
afterAll(() => own?.stop());

const limitMs = 60_000;

interface Known {
  key: string;
  size: number;
  lastModified: Date;
}

async function catalogueOf(objects: readonly Known[]) {
  const bucket = newBucketName();
  const catalogue = await addCatalogue(own.database, bucket);
  const asOf = await readClock(own.database);
  await writeObserved(
    own.database,
    objects.map(({ key, ...object }) => ({
      bucket,
      key,
      asOf,
      object: { ...object, etag: `"${object.size}"` },
    })),
  );
  return catalogue;
}

/** All pages of a folder. */
async function readAll(catalogue: { id: number }, prefix: string, order: FileOrder, pageSize: number) {
  const folders: string[] = [];
  const files: string[] = [];
  for (let after: PlaceInOrder | null = null; ; ) {
    const page = await readOrderedPage(own.database, "c", catalogue, prefix, {
      order,
      after,
      pageSize,
      limitMs,
    });
    if (page === undefined) throw new Error("There are too many folders.");
    expect(page.folders.length + page.files.length).toBeLessThanOrEqual(pageSize);
    folders.push(...page.folders);
    files.push(...page.files.map(({ key }) => key));
    after = page.next;
    if (after === null) return { folders, files };
  }
}

describe("a folder in an order by date or size", () => {
  it("has the folders and files that the store lists there, in that order, whatever the keys and the size of pages", async () => {
    const dated = fc.tuple(anyObjects, fc.array(fc.nat(3), { minLength: 8, maxLength: 8 }));
    await fc.assert(
      fc.asyncProperty(dated, fc.integer({ min: 1, max: 4 }), async ([objects, days], more) => {
        const known = objects.map(([key, text], at) => ({
          key,
          size: text.length,
          lastModified: new Date(Date.UTC(2026, 1, 1 + (days[at] ?? 0), 0, 0, 0, 123)),
        }));
        const catalogue = await catalogueOf(known);
        const prefixes = new Set(["", ...known.map(({ key }) => key.slice(0, key.indexOf("/") + 1))]);
        for (const prefix of prefixes) {
          const inFolder = known.filter(({ key }) => key.startsWith(prefix));
          const rest = (key: string) => key.slice(prefix.length);
          const folders = inFolder.filter(({ key }) => rest(key).includes("/"));
          const files = inFolder.filter(
            ({ key, size }) => !rest(key).includes("/") && !isFolderMarker(key, size),
          );
          const names = new Set(folders.map(({ key }) => key.slice(0, key.indexOf("/", prefix.length) + 1)));
          for (const order of fileOrders) {
            const valueIn = ({ size, lastModified }: Known) =>
              order === "newest" || order === "oldest" ? lastModified.getTime() : size;
            const inOrder = files
              .map((file) => ({ key: file.key, value: valueIn(file) }))
              .sort((one, other) => comparePlaces(stored(one), stored(other), order));
            expect(await readAll(catalogue, prefix, order, names.size + more)).toEqual({
              folders: [...names].sort(compareKeys),
              files: inOrder.map(({ key }) => key),
            });
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  it("is read page by page, past subfolders with more keys than a statement reads", async () => {
    const catalogue = await addCatalogue(own.database, newBucketName());
    await query(
      own.url,
      `INSERT INTO catalogue_objects (catalogue_id, key, folded_name, size, etag, last_modified, as_of, is_deleted)
       SELECT $1, 'f/' || CASE n % 4 WHEN 0 THEN 'b/' WHEN 1 THEN 'deleted first/' WHEN 2 THEN 'z/' ELSE '' END || lpad(n::text, 6, '0'), 'NAME', n, '"x"',
         '2026-01-01', '2026-01-01', n % 4 = 1 AND n < 120000 FROM generate_series(1, 122000) AS n`,
      [catalogue.id],
    );
    let rows = 0;
    let statements = 0;
    const counting: Pick<typeof own.database, "$queryInTurn"> = {
      $queryInTurn: async (...asked) => {
        statements += 1;
        const found = await own.database.$queryInTurn(...asked);
        rows += (found[0] as { rows?: number } | undefined)?.rows ?? 0;
        return found;
      },
    };
    const options = { order: "largest" as const, pageSize: 100, limitMs };
    const first = await readOrderedPage(counting, "c", catalogue, "f/", { ...options, after: null });
    expect(first?.folders).toEqual(["f/b/", "f/deleted first/", "f/z/"]);
    expect(first?.files.map(({ size }) => size)).toEqual(
      Array.from({ length: 97 }, (_, number) => 121_999 - number * 4),
    );
    expect(rows).toBeLessThan(122_000);
    expect(statements).toBeLessThan(9);
    const second = await readOrderedPage(counting, "c", catalogue, "f/", {
      ...options,
      after: first?.next ?? null,
    });
    expect(second?.folders).toEqual([]);
    expect(second?.files.map(({ size }) => size)).toEqual(
      Array.from({ length: 100 }, (_, number) => 121_999 - (97 + number) * 4),
    );
  });

  it("is not told if the folders alone fill the page, or it takes too long", async () => {
    const lastModified = new Date(0);
    const known = ["a/1", "b/2", "c/3", "4"].map((key) => ({ key, size: 1, lastModified }));
    const catalogue = await catalogueOf(known);
    const options = { order: "newest" as const, after: null, limitMs };
    const read = (more: object) =>
      readOrderedPage(own.database, "c", catalogue, "", { ...options, pageSize: 4, ...more });
    expect(await read({})).toMatchObject({ next: null, files: [{ key: "4" }] });
    expect(await read({ pageSize: 3 })).toBeUndefined();
    expect(await read({ limitMs: 0 })).toBeUndefined();
    expect(await read({ signal: AbortSignal.abort() })).toBeUndefined();
  });
});

const stored = ({ key, value }: PlaceInOrder): PlaceInOrder => ({ key: toStoredKey(key), value });
