import fc from "fast-check";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { StoreFault } from "../../local/object-store";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { readPlan } from "../../tests/support/databases/plan";
import { makeTestFolder, query } from "../../tests/support/databases/postgres";
import { anyObjects } from "../../tests/support/files/any-objects";
import { newBucketName, openBucket } from "../../tests/support/files/bucket";
import { writeObjects } from "../../tests/support/files/many-objects";
import { CREDENTIALS, signedWith, startStoreForTests } from "../../tests/support/files/object-store";
import { createObjectStore, type ObjectStore } from "../providers/object-store.server";
import { mapConcurrently } from "../shared/map-concurrently";
import { addCatalogue, findCatalogue, readStatus, removeCatalogue } from "./catalogues.server";
import { checkCatalogue, type Difference } from "./check-catalogue.server";
import { readClock, writeObserved } from "./objects.sql.server";
import { applyStep, beginScan, readOpenRanges, splitRange, takeRange } from "./scan.sql.server";
import { scanCatalogue } from "./scan-catalogue.server";
import { fromStoredKey } from "./stored-key";

const LARGE = "large";
/** Some folders with very different numbers of files, more than a page in some of them. */
const largeKeys = Array.from({ length: 6_500 }, (_, number) => {
  const folder = number < 4_000 ? "photos/2026" : `customer-${number % 40}`;
  return `${folder}/${number.toString(16).padStart(6, "0")}.jpg`;
});

let own: OwnDatabase;
let store: Awaited<ReturnType<typeof startStoreForTests>>;
let objectStore: ObjectStore;
/** called before the store answers a listing; may return a fault */
let beforeListing: (() => Promise<StoreFault | undefined>) | undefined;
beforeAll(async () => {
  own = await startOwnDatabase();
  const dataDir = await makeTestFolder();
  writeObjects(dataDir, LARGE, largeKeys);
  store = await startStoreForTests({
    dataDir,
    intercept: ({ method, key }) => (method === "GET" && key === "" ? beforeListing?.() : undefined),
  });
  objectStore = createObjectStore({
    ...signedWith(CREDENTIALS),
    endpoint: store.endpoint,
    forcePathStyle: true,
    timeoutSeconds: 30,
  });
});
afterEach(() => {
  beforeListing = undefined;
});
afterAll(async () => {
  await store?.close();
  await own?.stop();
});

const neverStopped = () => new AbortController().signal;

/** A bucket of a test's own, with a catalogue. */
async function newBucket(name = newBucketName()) {
  const bucket = openBucket({ endpoint: store.endpoint, ...CREDENTIALS }, name);
  if (name !== LARGE) await bucket.create();
  const catalogue = await addCatalogue(own.database, name);
  const scan = (signal = neverStopped(), options = {}, from: Pick<ObjectStore, "listBelow"> = objectStore) =>
    scanCatalogue({ database: own.database, objectStore: from }, catalogue, { signal, ...options });
  return { ...bucket, catalogue, scan };
}
type Bucket = Awaited<ReturnType<typeof newBucket>>;

/** What the catalogue has, as a list in the order of the store: key, size and etag. */
async function rowsOf({ catalogue }: Pick<Bucket, "catalogue">) {
  const rows = await query<{ key: string; size: string; etag: string }>(
    own.url,
    "SELECT key, size, etag FROM catalogue_objects WHERE catalogue_id = $1 AND NOT is_deleted ORDER BY key",
    [catalogue.id],
  );
  return rows.map(({ key, size, etag }) => ({ key: fromStoredKey(key), size: Number(size), etag }));
}

/** The same of the bucket. */
async function objectsOf({ name }: Pick<Bucket, "name">) {
  const found = [];
  for (let after: string | undefined | null; after !== null; ) {
    const page = await objectStore.listBelow({ bucket: name, prefix: "", after });
    found.push(...page.entries.map(({ key, size, etag }) => ({ key, size, etag })));
    after = page.next;
  }
  return found;
}

const expectEqual = async (bucket: Bucket) => expect(await rowsOf(bucket)).toEqual(await objectsOf(bucket));

async function check({ catalogue }: Bucket): Promise<Difference[]> {
  const found = [];
  for await (const { differences } of checkCatalogue(
    { database: own.database, objectStore },
    catalogue,
    neverStopped(),
  ))
    found.push(...differences);
  return found;
}

/**
 * A store that holds back the first page of each worker of a scan. When all have been listed, something else happens, and only then they arrive.
 */
function storeWithLatePages(
  meanwhile: () => Promise<unknown>,
  pageSize = 1_000,
): Pick<ObjectStore, "listBelow"> {
  const workers = 4;
  let listed = 0;
  let allListed = () => {};
  const happened = new Promise<void>((resolve) => {
    allListed = resolve;
  }).then(meanwhile);
  return {
    async listBelow(page) {
      const found = await objectStore.listBelow({ pageSize, ...page });
      listed += 1;
      if (listed === workers) allListed();
      if (listed <= workers) await happened;
      return found;
    },
  };
}

/** As after a crash: nobody renews the claims of ranges. */
const expireLeases = () =>
  query(own.url, "UPDATE catalogue_ranges SET taken_until = now() AT TIME ZONE 'UTC'");

const statusOf = async ({ name }: Bucket) => (await readStatus(own.database, name))[0];

describe("a scan", () => {
  it("makes the catalogue equal to the bucket, whatever its keys, and once more when they change", async () => {
    await fc.assert(
      fc.asyncProperty(anyObjects, anyObjects, async (before, after) => {
        const bucket = await newBucket();
        const put = (objects: readonly (readonly [string, string])[]) =>
          mapConcurrently(objects, 4, ([key, text]) => bucket.put(`k${key}`, Buffer.from(text)));
        await put(before);
        await bucket.scan();
        await expectEqual(bucket);
        expect(await check(bucket)).toEqual([]);
        const kept = new Set(after.map(([key]) => key));
        const removed = before.filter(([key]) => !kept.has(key));
        for (const [key] of removed) await bucket.remove(`k${key}`);
        await put(after.map(([key, text]) => [key, text && `${text} 2`]));
        await bucket.scan();
        await expectEqual(bucket);
      }),
      { numRuns: 10 },
    );
  });

  it("of an empty bucket ends, and counts nothing", async () => {
    const bucket = await newBucket();
    expect(await bucket.scan()).toEqual({ objects: 0, differences: 0 });
    expect(await statusOf(bucket)).toMatchObject({ state: "complete", lastScan: { objects: 0 }, scan: null });
  });

  it("folds names as searches do", async () => {
    const bucket = await newBucket();
    await bucket.put("Straße/Café.txt", "coffee");
    await bucket.put("own folder/", "content");
    await bucket.scan();
    const rows = await query(
      own.url,
      "SELECT folded_name FROM catalogue_objects WHERE catalogue_id = $1 ORDER BY key",
      [bucket.catalogue.id],
    );
    expect(rows).toEqual([{ folded_name: "CAFE.TXT" }, { folded_name: "OWN FOLDER/" }]);
  });

  it("writes only what differs", async () => {
    const bucket = await newBucket();
    for (const key of ["a", "b", "c"]) await bucket.put(key, key);
    expect(await bucket.scan()).toEqual({ objects: 3, differences: 3 });
    const places = () =>
      query(own.url, "SELECT ctid, key FROM catalogue_objects WHERE catalogue_id = $1", [
        bucket.catalogue.id,
      ]);
    const before = await places();
    expect(await bucket.scan()).toEqual({ objects: 3, differences: 0 });
    expect(await places()).toEqual(before);
    await bucket.put("b", "other");
    await bucket.remove("c");
    await bucket.put("d", "d");
    expect(await bucket.scan()).toEqual({ objects: 3, differences: 3 });
    await expectEqual(bucket);
  });

  it("of a large bucket divides it, and lists several ranges at once", async () => {
    const bucket = await newBucket(LARGE);
    let running = 0;
    let most = 0;
    beforeListing = async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running -= 1;
      return undefined;
    };
    const seen: number[] = [];
    const result = await bucket.scan(neverStopped(), { onProgress: (objects: number) => seen.push(objects) });
    expect(result).toEqual({ objects: largeKeys.length, differences: largeKeys.length });
    expect(seen.at(-1)).toBe(largeKeys.length);
    expect(most).toBeGreaterThan(1);
    await expectEqual(bucket);
    await removeCatalogue(own.database, bucket.catalogue, { signal: neverStopped() });
  });
});

describe("a scan that is cut off", () => {
  it("goes on where it was killed, and lists nothing twice that was listed", async () => {
    const bucket = await newBucket(LARGE);
    const kill = new AbortController();
    let isKilled = false;
    let running = 0;
    // A killed process does nothing any more, and gets no answers.
    const until = <Result>(work: () => Promise<Result>) => {
      if (isKilled) return new Promise<never>(() => {});
      running += 1;
      return work().finally(() => {
        running -= 1;
      });
    };
    const dying = {
      database: new Proxy(own.database, {
        get: (target, name) =>
          name === "$driverQuery"
            ? (...given: Parameters<typeof target.$driverQuery>) => until(() => target.$driverQuery(...given))
            : Reflect.get(target, name),
      }),
      objectStore: {
        listBelow: (...given: Parameters<ObjectStore["listBelow"]>) =>
          until(() => objectStore.listBelow(...given)),
      },
    };
    const listed = new Promise<number>((resolve) => {
      const onProgress = (objects: number) => {
        if (objects < 2_000) return;
        isKilled = true;
        resolve(objects);
      };
      void scanCatalogue(dying, bucket.catalogue, { signal: kill.signal, onProgress });
    });
    expect(await listed).toBeLessThan(largeKeys.length);
    // PostgreSQL completes the statements that it has got.
    await expect.poll(() => running).toBe(0);
    const { objects = 0 } = (await statusOf(bucket))?.scan ?? {};
    expect(objects).toBeGreaterThanOrEqual(2_000);
    expect((await statusOf(bucket))?.state).toBe("incomplete");

    await expireLeases();
    const steps: number[] = [];
    const result = await bucket.scan(neverStopped(), {
      onProgress: (_: number, here: number) => steps.push(here),
    });
    expect(result).toEqual({ objects: largeKeys.length, differences: largeKeys.length });
    expect(steps.at(-1)).toBe(largeKeys.length - objects);
    await expectEqual(bucket);
    await removeCatalogue(own.database, bucket.catalogue, { signal: neverStopped() });
  });

  it("by its operator gives its ranges back, and is no complete one", async () => {
    const bucket = await newBucket(LARGE);
    const stop = new AbortController();
    expect(await bucket.scan(stop.signal, { onProgress: () => stop.abort() })).toBeUndefined();
    expect(await statusOf(bucket)).toMatchObject({ state: "incomplete", lastScan: null });
    expect(await bucket.scan()).toMatchObject({ objects: largeKeys.length });
    await expectEqual(bucket);
    await removeCatalogue(own.database, bucket.catalogue, { signal: neverStopped() });
  });

  it("by a store that is away for a moment goes on by itself", async () => {
    const bucket = await newBucket();
    await bucket.put("a", "a");
    let refused = 0;
    // More often than one call repeats its request.
    beforeListing = async () =>
      ++refused <= 20 ? { error: { status: 503, code: "ServiceUnavailable" } } : undefined;
    expect(await bucket.scan()).toEqual({ objects: 1, differences: 1 });
    expect(refused).toBeGreaterThan(20);
  });

  it("ends with the error of the store, and can be repeated", async () => {
    const bucket = await newBucket();
    await bucket.put("a", "a");
    const failing = { listBelow: () => Promise.reject(new Error("refused")) };
    const broken = scanCatalogue({ database: own.database, objectStore: failing }, bucket.catalogue, {
      signal: neverStopped(),
    });
    await expect(broken).rejects.toThrow("refused");
    await expireLeases();
    await bucket.scan();
    await expectEqual(bucket);
  });
});

describe("scans at once", () => {
  it("share the work: each object is found once", async () => {
    const bucket = await newBucket(LARGE);
    const results = await Promise.all([bucket.scan(), bucket.scan(), bucket.scan()]);
    expect(results).toEqual(Array(3).fill({ objects: largeKeys.length, differences: largeKeys.length }));
    await expectEqual(bucket);
    await removeCatalogue(own.database, bucket.catalogue, { signal: neverStopped() });
  });

  it("with a page that was listed long ago change nothing: another process has listed that part since", async () => {
    const bucket = await newBucket();
    for (const key of ["a", "gone"]) await bucket.put(key, "old");
    const late = storeWithLatePages(async () => {
      await bucket.put("a", "new content");
      await bucket.remove("gone");
      await expireLeases();
      await bucket.scan();
      await expectEqual(bucket);
    });
    await bucket.scan(neverStopped(), {}, late);
    await expectEqual(bucket);
    expect((await rowsOf(bucket)).map(({ key }) => key)).toEqual(["a"]);
  });

  it("with a page that was listed long ago change nothing, also while the other process is not done with the range", async () => {
    const bucket = await newBucket();
    const { id } = bucket.catalogue;
    for (const key of ["a", "b", "c"]) await bucket.put(key, key);
    const late = storeWithLatePages(async () => {
      await bucket.remove("b");
      await expireLeases();
      const range = await takeRange(own.database, id);
      const { entries } = await objectStore.listBelow({ bucket: bucket.name, prefix: "", pageSize: 1 });
      if (range === undefined) throw new Error("There is no range.");
      const step = { catalogueId: id, range, objects: entries, end: "b", askedAt: range.now };
      expect(await applyStep(own.database, step)).toMatchObject({ isListed: false });
      await expireLeases();
    }, 2);
    expect(await bucket.scan(neverStopped(), {}, late)).toMatchObject({ objects: 2 });
    await expectEqual(bucket);
  });
});

it("a step does not wait for a change that waits for it", async () => {
  const bucket = await newBucket();
  const { id } = bucket.catalogue;
  for (const key of ["a", "b"]) await bucket.put(key, key);
  await bucket.scan();
  await bucket.remove("a");
  await bucket.put("b", "longer");
  await beginScan(own.database, id);
  const range = await takeRange(own.database, id);
  if (range === undefined) throw new Error("There is no range.");
  const { entries } = await objectStore.listBelow({ bucket: bucket.name, prefix: "" });

  const other = new Client({ connectionString: own.url });
  await other.connect();
  const change = (key: string) =>
    other.query("UPDATE catalogue_objects SET size = 0 WHERE catalogue_id = $1 AND key = $2", [id, key]);
  // So the step is what fails in a deadlock.
  await other.query("SET deadlock_timeout = '1min'; BEGIN");
  await change("a");
  const step = { catalogueId: id, range, objects: entries, end: null, askedAt: range.now };
  const applied = applyStep(own.database, step);
  const waits =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await expect.poll(() => query(own.url, waits)).toHaveLength(1);
  await change("b");
  await other.query("COMMIT");
  await other.end();
  expect(await applied).toMatchObject({ isListed: true });
  await expectEqual(bucket);
});

describe("a part of a range that somebody else has taken", () => {
  it("is not touched by a page that was listed before", async () => {
    const bucket = await newBucket();
    const { database } = own;
    const { id } = bucket.catalogue;
    for (const key of ["a", "b", "c", "d"]) await bucket.put(key, key);
    const late = storeWithLatePages(async () => {
      // Another process takes what comes after b, and lists it, when c is gone.
      const [range] = await readOpenRanges(database, id);
      const part = range && (await splitRange(database, range, "b"));
      if (part === undefined) throw new Error("The range was not divided.");
      await bucket.remove("c");
      const { entries } = await objectStore.listBelow({ bucket: bucket.name, prefix: "", after: "b" });
      const step = { catalogueId: id, range: part, objects: entries, end: null, askedAt: part.now };
      expect(await applyStep(database, step)).toMatchObject({ isListed: true });
    });
    expect(await bucket.scan(neverStopped(), {}, late)).toMatchObject({ objects: 3 });
    await expectEqual(bucket);
  });
});

describe("a change during a scan", () => {
  const object = (text: string) => ({
    size: text.length,
    etag: `"${text}"`,
    lastModified: new Date("2026-11-01T00:00:00Z"),
  });

  it("that was observed after the store was asked is not undone", async () => {
    const bucket = await newBucket();
    for (const key of ["changed", "deleted", "kept"]) await bucket.put(key, "before");
    await bucket.scan();
    await bucket.put("added by others", "new");
    // The page of the scan is on its way, with what the store held before.
    const late = storeWithLatePages(async () => {
      const asOf = await readClock(own.database);
      await writeObserved(own.database, [
        { bucket: bucket.name, key: "changed", asOf, object: object("after") },
        { bucket: bucket.name, key: "created", asOf, object: object("after") },
        { bucket: bucket.name, key: "deleted", asOf, object: null },
      ]);
    });
    await bucket.scan(neverStopped(), {}, late);
    const rows = await rowsOf(bucket);
    expect(rows.map(({ key }) => key)).toEqual(["added by others", "changed", "created", "kept"]);
    expect(rows.find(({ key }) => key === "changed")?.etag).toBe('"after"');
    // The next scan has asked later, so it counts.
    await bucket.scan();
    await expectEqual(bucket);
  });

  it("that was observed before the store was asked is repaired by what the store says", async () => {
    const bucket = await newBucket();
    await bucket.put("a", "a");
    await bucket.scan();
    await writeObserved(own.database, [
      { bucket: bucket.name, key: "a", asOf: await readClock(own.database), object: null },
      { bucket: bucket.name, key: "never was", asOf: await readClock(own.database), object: object("x") },
    ]);
    expect((await rowsOf(bucket)).map(({ key }) => key)).toEqual(["never was"]);
    expect(await bucket.scan()).toEqual({ objects: 1, differences: 2 });
    await expectEqual(bucket);
  });

  it("is right at once for what is observed, and after the next scan for what others do", async () => {
    const bucket = await newBucket(LARGE);
    const extra = "customer-1/zzz";
    let calls = 0;
    beforeListing = async () => {
      if (++calls !== 3) return undefined;
      await bucket.put(extra, "new");
      await bucket.remove(largeKeys[10] ?? "");
      return undefined;
    };
    await bucket.scan();
    await bucket.scan();
    await expectEqual(bucket);
    await bucket.remove(extra);
    await bucket.put(largeKeys[10] ?? "", Buffer.alloc(0));
    await removeCatalogue(own.database, bucket.catalogue, { signal: neverStopped() });
  });

  it("that is older than the row changes nothing", async () => {
    const bucket = await newBucket();
    const now = Date.now();
    const note = (ageMs: number, text: string | null) =>
      writeObserved(own.database, [
        {
          bucket: bucket.name,
          key: "a",
          asOf: new Date(now - ageMs).toISOString(),
          object: text === null ? null : object(text),
        },
      ]);
    await note(5_000, "second");
    await note(60_000, "first");
    expect(await rowsOf(bucket)).toMatchObject([{ etag: '"second"' }]);
    await note(1_000, null);
    await note(4_000, "late");
    expect(await rowsOf(bucket)).toEqual([]);
    await note(0, "again");
    expect(await rowsOf(bucket)).toMatchObject([{ etag: '"again"' }]);
  });

  it("leaves the row of a deleted object for a day", async () => {
    const bucket = await newBucket();
    const count = async () =>
      (await query(own.url, "SELECT 1 FROM catalogue_objects WHERE catalogue_id = $1", [bucket.catalogue.id]))
        .length;
    const note = (key: string, ageMs: number) =>
      writeObserved(own.database, [
        { bucket: bucket.name, key, asOf: new Date(Date.now() - ageMs).toISOString(), object: null },
      ]);
    await note("yesterday", 25 * 3_600_000);
    await note("today", 3_600_000);
    expect(await count()).toBe(2);
    expect(await bucket.scan()).toEqual({ objects: 0, differences: 0 });
    expect(await count()).toBe(1);
  });

  it("in a bucket without a catalogue is not kept", async () => {
    await writeObserved(own.database, [
      { bucket: "unknown", key: "a", asOf: await readClock(own.database), object: object("a") },
    ]);
    expect(
      await query(own.url, "SELECT 1 FROM catalogue_objects WHERE key = 'a' AND etag = '\"a\"'"),
    ).toEqual([]);
  });
});

describe("a bucket that was emptied", () => {
  it("is emptied in the catalogue, in steps", async () => {
    const bucket = await newBucket();
    await bucket.put("m", "stays");
    await query(
      own.url,
      `INSERT INTO catalogue_objects (catalogue_id, key, folded_name, size, etag, last_modified, as_of)
       SELECT $1, n || '/file', 'FILE', 1, '"x"', now(), now() - interval '1 hour' FROM generate_series(1, 12000) AS n`,
      [bucket.catalogue.id],
    );
    expect(await bucket.scan()).toEqual({ objects: 1, differences: 12_001 });
    await expectEqual(bucket);
  });
});

describe("a check", () => {
  it("names what differs, and changes nothing", async () => {
    const bucket = await newBucket();
    for (const key of ["a", "b", "c\0", "d"]) await bucket.put(key, "x");
    await bucket.scan();
    await bucket.put("b", "longer");
    await bucket.remove("c\0");
    await bucket.put("é", "new");
    const differences = await check(bucket);
    expect(differences).toEqual([
      {
        key: "b",
        kind: "different",
        members: expect.arrayContaining([{ name: "size", bucket: "6", catalogue: "1" }]),
      },
      { key: "c\0", kind: "extra" },
      { key: "é", kind: "missing" },
    ]);
    expect(await check(bucket)).toEqual(differences);
  });

  it("does not name what has changed between its two questions", async () => {
    const bucket = await newBucket();
    await bucket.put("a", "a");
    await bucket.scan();
    // Each page tells of an object that is gone when it is asked for again.
    let pages = 0;
    const restless: Pick<ObjectStore, "listBelow"> = {
      async listBelow(page) {
        const listed = await objectStore.listBelow(page);
        const [first] = listed.entries;
        return ++pages === 1 && first
          ? { ...listed, entries: [...listed.entries, { ...first, key: "b" }] }
          : listed;
      },
    };
    const found = [];
    for await (const page of checkCatalogue(
      { database: own.database, objectStore: restless },
      bucket.catalogue,
      neverStopped(),
    ))
      found.push(page);
    expect(found).toEqual([{ objects: 2, differences: [] }]);
    expect(pages).toBe(2);
  });
});

describe("removing", () => {
  it("removes rows and ranges, and what is observed or scanned at the same time does not bring them back", async () => {
    const bucket = await newBucket(LARGE);
    const scan = bucket.scan();
    await expect.poll(() => rowsOf(bucket).then(({ length }) => length)).toBeGreaterThan(0);
    const isRemoved = await removeCatalogue(own.database, bucket.catalogue, { signal: neverStopped() });
    expect(isRemoved).toBe(true);
    expect(await scan).toBeUndefined();
    await writeObserved(own.database, [
      { bucket: LARGE, key: "late", asOf: await readClock(own.database), object: null },
    ]);
    expect(await findCatalogue(own.database, LARGE)).toBeNull();
    for (const table of ["catalogue_objects", "catalogue_ranges"])
      expect(
        await query(own.url, `SELECT 1 FROM ${table} WHERE catalogue_id = $1`, [bucket.catalogue.id]),
      ).toEqual([]);
  });

  it("goes on after an interruption", async () => {
    const bucket = await newBucket(LARGE);
    await bucket.scan();
    const stop = new AbortController();
    const options = { signal: stop.signal, onRows: () => stop.abort() };
    expect(await removeCatalogue(own.database, bucket.catalogue, options)).toBe(false);
    expect((await statusOf(bucket))?.state).toBe("being removed");
    expect(await bucket.scan()).toBeUndefined();
    expect(await removeCatalogue(own.database, bucket.catalogue, { signal: neverStopped() })).toBe(true);
    expect(await rowsOf(bucket)).toEqual([]);
  });
});

it("a step reads no more rows than its part of the catalogue has, by the index", async () => {
  const { catalogue } = await newBucket();
  await query(
    own.url,
    `INSERT INTO catalogue_objects (catalogue_id, key, folded_name, size, etag, last_modified, as_of)
     SELECT $1, lpad(n::text, 6, '0'), 'NAME', 1, '"x"', '2026-01-01', '2026-01-01' FROM generate_series(0, 29999) AS n`,
    [catalogue.id],
  );
  const keyOf = (number: number) => String(number).padStart(6, "0");
  // Every second object is different, and some are gone.
  const objects = Array.from({ length: 800 }, (_, number) => ({
    key: keyOf(10_000 + number),
    size: number % 2,
    etag: '"x"',
    lastModified: new Date("2026-01-01T00:00:00Z"),
    modified: 0,
  }));
  const askedAt = await readClock(own.database);
  const [row] = await query<{ id: string }>(
    own.url,
    "INSERT INTO catalogue_ranges (catalogue_id, after_key, taken_until) VALUES ($1, $2, now()) RETURNING id::text",
    [catalogue.id, keyOf(9_999)],
  );
  const range = { id: row?.id ?? "", after: keyOf(9_999), until: null, now: askedAt };
  const step = { catalogueId: catalogue.id, range, objects, end: keyOf(10_999), askedAt };
  for (const isAnalyzed of [false, true]) {
    if (isAnalyzed) await query(own.url, "ANALYZE catalogue_objects");
    let statement: { text: string; values: readonly unknown[] } = { text: "", values: [] };
    const explaining = {
      $driverQuery: async (asked: typeof statement) => {
        statement = asked;
        return [];
      },
    };
    await applyStep(explaining, step);
    const { nodes, read } = await readPlan(own.url, statement.text, statement.values);
    expect(nodes).not.toContain("Seq Scan");
    expect(read).toBeLessThan(3_000);
    await query(own.url, "UPDATE catalogue_ranges SET after_key = $2 WHERE id = $1", [range.id, range.after]);
  }
});

it("a row takes less than 350 bytes with its index", async () => {
  const { catalogue } = await newBucket();
  await query(own.url, "TRUNCATE catalogue_objects");
  await query(
    own.url,
    `INSERT INTO catalogue_objects (catalogue_id, key, folded_name, size, etag, last_modified, as_of)
     SELECT $1, 'customers/' || n % 500 || '/documents/2026/invoice-' || n || '.pdf', 'INVOICE-' || n || '.PDF', n, '"' || md5(n::text) || '"', now(), now()
     FROM generate_series(1, 50000) AS n ORDER BY md5(n::text)`,
    [catalogue.id],
  );
  const [{ bytes } = { bytes: 0 }] = await query<{ bytes: number }>(
    own.url,
    "SELECT pg_total_relation_size('catalogue_objects')::float8 / 50000 AS bytes",
  );
  expect(bytes).toBeLessThan(350);
});
