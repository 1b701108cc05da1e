import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { StoreFault } from "../../local/object-store";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { query } from "../../tests/support/databases/postgres";
import { newBucketName, openBucket } from "../../tests/support/files/bucket";
import { CREDENTIALS, signedWith, startStoreForTests } from "../../tests/support/files/object-store";
import { createObjectStore, type ObjectStore } from "../providers/object-store.server";
import { standardError } from "../shared/log.server";
import { catalogueWorkers } from "./catalogue-workers.server";
import { addCatalogue, findCatalogue, readStatus } from "./catalogues.server";
import { ChangedObjects } from "./changed-objects.server";
import { scanCatalogue } from "./scan-catalogue.server";
import { ScanWorker } from "./scan-worker.server";
import { MAX_WAITING_KEYS } from "./waiting-keys.sql.server";

const MAX_LAG_SECONDS = 3_600;

let own: OwnDatabase;
let store: Awaited<ReturnType<typeof startStoreForTests>>;
let objectStore: ObjectStore;
/** called before the store answers a listing of a bucket; may return a fault */
let beforeListing: ((bucket: string) => Promise<StoreFault | undefined>) | undefined;
beforeAll(async () => {
  own = await startOwnDatabase();
  store = await startStoreForTests({
    intercept: ({ method, bucket, key }) =>
      method === "GET" && key === "" ? beforeListing?.(bucket) : undefined,
  });
  objectStore = createObjectStore({
    ...signedWith(CREDENTIALS),
    endpoint: store.endpoint,
    forcePathStyle: true,
    timeoutSeconds: 30,
  });
});
afterEach(async () => {
  beforeListing = undefined;
  vi.restoreAllMocks();
  await query(own.url, "DELETE FROM catalogue_ranges; DELETE FROM catalogues");
});
afterAll(async () => {
  await store?.close();
  await own?.stop();
});

const newWorker = () => new ScanWorker({ database: own.database, objectStore }, MAX_LAG_SECONDS);

/** A bucket with some objects, whose catalogue was scanned so many seconds ago; undefined: never */
async function newBucket(ageSeconds?: number) {
  const bucket = openBucket({ endpoint: store.endpoint, ...CREDENTIALS }, newBucketName());
  const { name } = bucket;
  await bucket.create();
  await bucket.put("a", "text");
  const catalogue = await addCatalogue(own.database, name);
  if (ageSeconds !== undefined) {
    await scanCatalogue({ database: own.database, objectStore }, catalogue, {
      signal: new AbortController().signal,
    });
    const scannedAt = new Date(Date.now() - ageSeconds * 1_000);
    await own.database.catalogue.update({ where: { bucket: name }, data: { scannedAt } });
  }
  const ageNow = async () =>
    Date.now() - ((await findCatalogue(own.database, name))?.scannedAt?.getTime() ?? Number.NaN);
  return { ...bucket, catalogue, ageNow };
}

it("scans two at once: what has never been scanned, then the oldest, and leaves alone what is new enough", async () => {
  const newest = await newBucket(MAX_LAG_SECONDS / 2 - 60);
  const old = await newBucket(MAX_LAG_SECONDS / 2 + 10);
  const older = await newBucket(MAX_LAG_SECONDS);
  const never = await newBucket();
  const order: string[][] = [];
  const worker = newWorker();
  for (;;) {
    const before = await readStatus(own.database);
    if ((await worker.runDue()) === 0) break;
    const after = await readStatus(own.database);
    const scanned = after.filter(
      ({ bucket, lastScan }) =>
        lastScan?.startedAt !== before.find((status) => status.bucket === bucket)?.lastScan?.startedAt,
    );
    order.push(scanned.map(({ bucket }) => bucket));
  }
  expect(order).toEqual([[never.name, older.name].sort(), [old.name]]);
  expect(await newest.ageNow()).toBeGreaterThan(60_000);
});

it("repairs what nobody has told, and says how much that was", async () => {
  const bucket = await newBucket(MAX_LAG_SECONDS);
  await bucket.remove("a");
  await bucket.put("b", "text");
  await newWorker().runDue();
  expect(await readStatus(own.database, bucket.name)).toMatchObject([
    { lastScan: { objects: 1, differences: 2 }, scan: null },
  ]);
});

it("leaves a scan to the process that is at it, and goes on with it when that stops", async () => {
  const bucket = await newBucket();
  const other = newWorker();
  let begun = () => {};
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let goOn = () => {};
  beforeListing = () => {
    begun();
    return new Promise((resolve) => {
      goOn = () => resolve(undefined);
    });
  };
  const running = other.runDue();
  await isBegun;
  const worker = newWorker();
  expect(await worker.runDue()).toBe(0);

  beforeListing = undefined;
  const stopped = other.stop();
  goOn();
  await Promise.all([running, stopped]);
  expect(await readStatus(own.database, bucket.name)).toMatchObject([{ state: "incomplete" }]);
  expect(await worker.runDue()).toBe(1);
  expect(await readStatus(own.database, bucket.name)).toMatchObject([{ state: "complete", scan: null }]);
});

it("a bucket whose scan takes long holds up no other", async () => {
  const [large, first, second] = [await newBucket(), await newBucket(), await newBucket(MAX_LAG_SECONDS)];
  let goOn = () => {};
  const answered = new Promise<undefined>((resolve) => {
    goOn = () => resolve(undefined);
  });
  beforeListing = async (bucket) => (bucket === large.name ? answered : undefined);
  const worker = newWorker();
  worker.start();
  await expect.poll(first.ageNow).toBeLessThan(60_000);
  await expect.poll(second.ageNow).toBeLessThan(60_000);
  expect(await large.ageNow()).toBeNaN();
  goOn();
  await expect.poll(large.ageNow).toBeLessThan(60_000);
  await worker.stop();
});

it("a bucket whose store is away leaves its place to another after a few attempts", async () => {
  const logged = vi.spyOn(standardError, "write").mockReturnValue();
  const [away, ...others] = [await newBucket(), await newBucket(), await newBucket(MAX_LAG_SECONDS)];
  beforeListing = async (bucket) =>
    bucket === away.name ? { error: { status: 503, code: "SlowDown" } } : undefined;
  const worker = newWorker();
  while ((await worker.runDue()) > 0);
  for (const { ageNow } of others) expect(await ageNow()).toBeLessThan(60_000);
  expect(logged.mock.calls.filter(([line]) => line.includes(away.name))).toHaveLength(1);
});

it("a bucket that cannot be listed holds up no other", async () => {
  const logged = vi.spyOn(standardError, "write").mockReturnValue();
  const gone = newBucketName();
  await addCatalogue(own.database, gone);
  const bucket = await newBucket(MAX_LAG_SECONDS);
  const worker = newWorker();
  while ((await worker.runDue()) > 0);
  expect(await bucket.ageNow()).toBeLessThan(60_000);
  expect(logged.mock.calls.filter(([line]) => line.includes(gone))).toHaveLength(1);
});

it("scans at once what more has changed in than may wait, until a scan has begun after it", async () => {
  const bucket = await newBucket(0);
  const worker = newWorker();
  expect(await worker.runDue()).toBe(0);
  const waiting = async () => {
    const sql = "SELECT FROM catalogue_waiting_keys WHERE catalogue_id = $1";
    return (await query(own.url, sql, [bucket.catalogue.id])).length;
  };
  await query(
    own.url,
    `INSERT INTO catalogue_waiting_keys (catalogue_id, key, changed_at, due_at)
     SELECT $1, number, now() AT TIME ZONE 'UTC', now() FROM generate_series(1, ${MAX_WAITING_KEYS}) AS number`,
    [bucket.catalogue.id],
  );
  const changes = new ChangedObjects({ database: own.database, objectStore });
  const note = async (key: string) => {
    const { observed } = await changes.note([{ bucket: bucket.name, key }]);
    await observed;
  };
  await bucket.put("b", "text");
  await note("b");
  expect(await waiting()).toBe(MAX_WAITING_KEYS + 1);

  beforeListing = async () => {
    beforeListing = undefined;
    // The scan that is under way may have passed it.
    await note("c");
    return undefined;
  };
  expect([await worker.runDue(), await worker.runDue(), await worker.runDue()]).toEqual([1, 1, 0]);
  expect(await readStatus(own.database, bucket.name)).toMatchObject([{ lastScan: { objects: 2 } }]);
  expect(await waiting()).toBe(MAX_WAITING_KEYS);
});

it("there is no worker while nobody uses catalogues", () => {
  expect(catalogueWorkers({ database: own.database, objectStore }, undefined)).toEqual([]);
});
