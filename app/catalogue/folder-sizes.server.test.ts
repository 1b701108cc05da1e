import fc from "fast-check";
import { isFolderMarker } from "platform-embed-element/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { readPlan } from "../../tests/support/databases/plan";
import { query } from "../../tests/support/databases/postgres";
import { anyObjects } from "../../tests/support/files/any-objects";
import { newBucketName } from "../../tests/support/files/bucket";
import { addCatalogue } from "./catalogues.server";
import { sumFolders } from "./folder-sizes.server";
import { sumParts } from "./folder-sizes.sql.server";
import { rangeOf } from "./key-range";
import { readClock, writeObserved } from "./objects.sql.server";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startOwnDatabase();
});
afterAll(() => own?.stop());

const long = { limitMs: 60_000 };

/** A catalogue with these objects, by key and size; null: it was deleted. */
async function catalogueOf(objects: readonly (readonly [key: string, size: number | null])[]) {
  const bucket = newBucketName();
  const catalogue = await addCatalogue(own.database, bucket);
  const asOf = await readClock(own.database);
  await writeObserved(
    own.database,
    objects.map(([key, size]) => ({
      bucket,
      key,
      asOf,
      object: size === null ? null : { size, etag: '"e"', lastModified: new Date(0) },
    })),
  );
  return catalogue;
}

/** A catalogue with as many rows as PostgreSQL makes itself. @param key an expression of `n` */
async function largeCatalogue(key: string, rows: number) {
  const catalogue = await addCatalogue(own.database, newBucketName());
  await query(
    own.url,
    `INSERT INTO catalogue_objects (catalogue_id, key, folded_name, size, etag, last_modified, as_of)
     SELECT $1, ${key}, 'NAME', n, '"x"', '2026-01-01', '2026-01-01' FROM generate_series(1, ${rows}) AS n`,
    [catalogue.id],
  );
  return catalogue;
}

describe("the sizes of folders", () => {
  it("are those of all files below them, whatever the keys", async () => {
    await fc.assert(
      fc.asyncProperty(anyObjects, async (objects) => {
        const sized = objects.map(([key, text]) => [key, text.length] as const);
        const catalogue = await catalogueOf(sized);
        const folders = sized.flatMap(([key]) => {
          const names = key.split("/").slice(0, -1);
          return names.map((_, depth) => `${names.slice(0, depth + 1).join("/")}/`);
        });
        const prefixes = [...new Set(["", ...folders])];
        const expected = prefixes.map((prefix) => {
          const below = sized.filter(([key]) => key.startsWith(prefix));
          const files = below.filter(([key, size]) => !isFolderMarker(key, size));
          const bytes = files.reduce((sum, [, size]) => sum + size, 0);
          return { objects: below.length, files: files.length, bytes };
        });
        expect(await sumFolders(own.database, "c", catalogue, prefixes, long)).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  it("have no file of a folder beside them, none of another bucket, and no deleted one", async () => {
    await catalogueOf([["a/other bucket", 100]]);
    const catalogue = await catalogueOf([
      ["a/", 0],
      ["a/content/", 5],
      ["a/1", 10],
      ["a/b/2", 20],
      ["a/deleted", null],
      ["a", 1],
      ["a!", 1],
      ["a0", 1],
      ["ab/3", 1],
      ["A/4", 1],
      ["%/5", 40],
      ["a%/6", 80],
      ["a_/7", 160],
      ["n\0/8", 320],
      ["n\u0001/9", 640],
    ]);
    const prefixes = ["a/", "ab/", "%/", "a%/", "a_/", "n\0/", "n\u0001/", "none/"];
    expect(await sumFolders(own.database, "c", catalogue, prefixes, long)).toEqual([
      { objects: 4, files: 3, bytes: 35 },
      { objects: 1, files: 1, bytes: 1 },
      { objects: 1, files: 1, bytes: 40 },
      { objects: 1, files: 1, bytes: 80 },
      { objects: 1, files: 1, bytes: 160 },
      { objects: 1, files: 1, bytes: 320 },
      { objects: 1, files: 1, bytes: 640 },
      { objects: 0, files: 0, bytes: 0 },
    ]);
  });

  it("are found over several statements, and small folders are not held up by large ones", async () => {
    const catalogue = await largeCatalogue(
      "CASE WHEN n % 100 = 0 THEN 'small-' || n % 300 ELSE 'large' END || '/' || n",
      150_000,
    );
    const prefixes = ["large/", "small-0/", "small-100/", "small-200/"];
    let statements = 0;
    const counting: Pick<typeof own.database, "$queryInTurn"> = {
      $queryInTurn: (...asked) => {
        statements += 1;
        return own.database.$queryInTurn(...asked);
      },
    };
    const sizes = await sumFolders(counting, "c", catalogue, prefixes, long);
    expect(sizes.map((size) => size?.files)).toEqual([148_500, 500, 500, 500]);
    expect(sizes.reduce((sum, size) => sum + (size?.bytes ?? 0), 0)).toBe((150_000 * 150_001) / 2);
    expect(statements).toBe(3);
    // One statement is all that there is time for.
    const stop = new AbortController();
    const stopping: typeof counting = {
      $queryInTurn: async (...asked) => {
        const rows = await own.database.$queryInTurn(...asked);
        stop.abort();
        return rows;
      },
    };
    const some = await sumFolders(stopping, "c", catalogue, prefixes, { ...long, signal: stop.signal });
    expect(some.map((size) => size?.files)).toEqual([undefined, 500, 500, 500]);
    expect(await sumFolders(own.database, "c", catalogue, prefixes, { limitMs: 0 })).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it("are read from the index alone, and no more rows than a statement may read", async () => {
    const catalogue = await largeCatalogue("'customers/' || n % 50 || '/' || n", 60_000);
    await query(own.url, "VACUUM catalogue_objects");
    const folders = Array.from({ length: 50 }, (_, folder) => rangeOf(`customers/${folder}/`));
    for (const isAnalyzed of [false, true]) {
      if (isAnalyzed) await query(own.url, "ANALYZE catalogue_objects");
      for (const [ranges, limit] of [
        [folders, 500],
        [[rangeOf("customers/")], 20_000],
        [[rangeOf("")], 20_000],
      ] as const) {
        let statement: { text: string; values: readonly unknown[] } = { text: "", values: [] };
        const explaining = {
          $queryInTurn: async (_: string, asked: typeof statement) => {
            statement = asked;
            return [];
          },
        };
        await sumParts(explaining, "c", catalogue.id, ranges, limit);
        const { nodes, read } = await readPlan(own.url, statement.text, statement.values);
        expect(nodes).toContain("Index Only Scan");
        expect(nodes).not.toContain("Seq Scan");
        expect(nodes).not.toContain("Sort");
        expect(read).toBe(ranges.length * limit);
      }
    }
  });
});
