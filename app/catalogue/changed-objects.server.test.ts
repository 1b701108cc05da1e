import { Client } from "pg";
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import type { StoreFault } from "../../local/object-store";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { query } from "../../tests/support/databases/postgres";
import { newBucketName, openBucket } from "../../tests/support/files/bucket";
import { CREDENTIALS, signedWith, startStoreForTests } from "../../tests/support/files/object-store";
import { Events } from "../events/events.server";
import { createDatabase } from "../providers/database.server";
import { createObjectStore, type ObjectStore } from "../providers/object-store.server";
import { standardError } from "../shared/log.server";
import { addCatalogue, removeCatalogue } from "./catalogues.server";
import { ChangedObjects } from "./changed-objects.server";
import { checkCatalogue, type Difference } from "./check-catalogue.server";
import { ObserveWorker } from "./observe-worker.server";

let own: OwnDatabase;
let store: Awaited<ReturnType<typeof startStoreForTests>>;
let objectStore: ObjectStore;
let listings = 0;
/** called before the store answers a listing of a bucket; may return a fault */
let beforeListing: ((bucket: string) => Promise<StoreFault | undefined>) | undefined;
beforeAll(async () => {
  own = await startOwnDatabase();
  store = await startStoreForTests({
    intercept: ({ method, bucket, key }) => {
      if (method !== "GET" || key !== "") return undefined;
      listings += 1;
      return beforeListing?.(bucket);
    },
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
  await query(own.url, "DELETE FROM catalogue_waiting_keys");
});
afterAll(async () => {
  await store?.close();
  await own?.stop();
});

/** A bucket of a test's own, and what tells its catalogue of changes. */
async function newBucket({ hasCatalogue = true } = {}) {
  const bucket = openBucket({ endpoint: store.endpoint, ...CREDENTIALS }, newBucketName());
  await bucket.create();
  const catalogue = hasCatalogue ? await addCatalogue(own.database, bucket.name) : undefined;
  const tools = { database: own.database, objectStore };
  const events = new Events(own.database, new ChangedObjects(tools));
  const record = (
    type: "file.uploaded" | "file.moved" | "file.deleted" | "file.download_signed",
    key: string,
    data = {},
  ) => events.record({ type, companyId: null, bucket: bucket.name, key, data });
  return { ...bucket, catalogue, events, record, worker: new ObserveWorker(tools) };
}
type Bucket = Awaited<ReturnType<typeof newBucket>>;

async function differences({ catalogue }: Bucket): Promise<Difference[]> {
  const found: Difference[] = [];
  if (catalogue === undefined) throw new Error("The bucket has no catalogue.");
  const tools = { database: own.database, objectStore };
  for await (const page of checkCatalogue(tools, catalogue, new AbortController().signal))
    found.push(...page.differences);
  return found;
}

const keysOf = async (table: string, { catalogue }: Bucket) => {
  const condition = table === "catalogue_objects" ? "AND NOT is_deleted" : "";
  const sql = `SELECT key FROM ${table} WHERE catalogue_id = $1 ${condition} ORDER BY key`;
  return (await query<{ key: string }>(own.url, sql, [catalogue?.id])).map(({ key }) => key);
};
const waiting = (bucket: Bucket) => keysOf("catalogue_waiting_keys", bucket);
const rows = (bucket: Bucket) => keysOf("catalogue_objects", bucket);
const eventKeys = async ({ name }: Bucket) =>
  (await query<{ key: string }>(own.url, "SELECT key FROM events WHERE bucket = $1", [name])).map(
    ({ key }) => key,
  );
const passLease = () =>
  query(own.url, "UPDATE catalogue_waiting_keys SET due_at = due_at - interval '1 minute'");
/** Notes changes, about which the process does not ask: it is killed. */
const note = ({ name }: Bucket, count: number) => {
  const keys = Array.from({ length: count }, (_, number) => ({ bucket: name, key: `${number}` }));
  const objectStore = { listBelow: () => new Promise<never>(() => {}) };
  return new ChangedObjects({ database: own.database, objectStore }).note(keys);
};
const muteLog = () => vi.spyOn(standardError, "write").mockReturnValue();

it("what the service has changed is in the catalogue when the event is written", async () => {
  const bucket = await newBucket();
  await bucket.put("a", "text");
  await bucket.record("file.uploaded", "a");
  expect(await rows(bucket)).toEqual(["a"]);

  await bucket.remove("a");
  await bucket.put("b\0", "text");
  await bucket.record("file.moved", "b\0", { from: "a" });
  expect(await rows(bucket)).toEqual(["b\u0001\u0001"]);

  await bucket.remove("b\0");
  await bucket.record("file.deleted", "b\0");
  expect(await rows(bucket)).toEqual([]);
  expect(await differences(bucket)).toEqual([]);
  expect(await waiting(bucket)).toEqual([]);
});

it("hundreds of changes at once are all in it", async () => {
  const bucket = await newBucket();
  const keys = Array.from({ length: 250 }, (_, number) => `${number}`);
  await Promise.all(keys.map((key) => bucket.put(key, "text")));
  await Promise.all(keys.map((key) => bucket.record("file.uploaded", key)));
  await expect.poll(() => waiting(bucket), { timeout: 20_000 }).toEqual([]);
  expect(await differences(bucket)).toEqual([]);
});

it("asks nothing about buckets without a catalogue, and nothing about downloads and quotas", async () => {
  const without = await newBucket({ hasCatalogue: false });
  const before = listings;
  await without.put("a", "text");
  await without.record("file.uploaded", "a");
  const bucket = await newBucket();
  await bucket.put("a", "text");
  await bucket.record("file.download_signed", "a");
  const data = { percent: 80, usedBytes: 8, maxBytes: 10, paths: ["/"] };
  const usage = { type: "usage.threshold", companyId: null, bucket: bucket.name, key: "", data } as const;
  await bucket.events.record(usage);
  expect(listings).toBe(before);
  const sql = "SELECT key FROM catalogue_objects WHERE catalogue_id = $1";
  expect(await query(own.url, sql, [bucket.catalogue?.id])).toEqual([]);
});

it("an event does not wait for a store that is away, and the worker asks later", async () => {
  muteLog();
  const bucket = await newBucket();
  await bucket.put("a", "text");
  beforeListing = async () => ({ error: { status: 503, code: "SlowDown" } });
  await bucket.record("file.uploaded", "a");
  expect(await eventKeys(bucket)).toEqual(["a"]);
  await passLease();
  await bucket.worker.runDue();
  expect(await waiting(bucket)).toEqual(["a"]);

  beforeListing = undefined;
  await passLease();
  // A process that has not seen the store away.
  const { worker } = await newBucket();
  await worker.runDue();
  expect(await waiting(bucket)).toEqual([]);
  expect(await rows(bucket)).toEqual(["a"]);
});

it("takes what the store has said before it was away", async () => {
  muteLog();
  const bucket = await newBucket();
  const keys = Array.from({ length: 10 }, (_, number) => `${number}`);
  for (const key of keys) await bucket.put(key, "text");
  let answers = 0;
  beforeListing = async () => (++answers <= 5 ? undefined : { error: { status: 503, code: "SlowDown" } });
  const changes = new ChangedObjects({ database: own.database, objectStore });
  const { observed } = await changes.note(keys.map((key) => ({ bucket: bucket.name, key })));
  await observed;
  const known = await rows(bucket);
  expect(known.length).toBeGreaterThan(0);
  expect([...known, ...(await waiting(bucket))].sort()).toEqual(keys);
});

it("a worker asks about what a killed process was told", async () => {
  const bucket = await newBucket();
  await bucket.put("0", "text");
  // It was killed after this statement.
  await note(bucket, 1);
  expect(await bucket.worker.runDue()).toBe(0);
  await passLease();
  await bucket.worker.runDue();
  expect(await rows(bucket)).toEqual(["0"]);
  expect(await waiting(bucket)).toEqual([]);
});

it("a change while the store is asked about the one before is not forgotten", async () => {
  const bucket = await newBucket();
  const changes = new ChangedObjects({ database: own.database, objectStore });
  const noteAgain = () => changes.note([{ bucket: bucket.name, key: "a" }]);
  await bucket.put("a", "first");
  let second: Promise<{ observed: Promise<unknown> }> | undefined;
  beforeListing = async () => {
    beforeListing = undefined;
    second = bucket.put("a", "second, longer").then(noteAgain);
    await second;
    return undefined;
  };
  const first = await noteAgain();
  await first.observed;
  await (await second)?.observed;
  expect(await differences(bucket)).toEqual([]);
  expect(await waiting(bucket)).toEqual([]);
});

it("what is renewed while the store is asked waits further", async () => {
  const bucket = await newBucket();
  beforeListing = async () => {
    await query(
      own.url,
      "UPDATE catalogue_waiting_keys SET changed_at = clock_timestamp() AT TIME ZONE 'UTC'",
    );
    return undefined;
  };
  await bucket.record("file.deleted", "a");
  expect(await waiting(bucket)).toEqual(["a"]);
});

it("what the store refuses does not hold up other keys, and is left to the next scan", async () => {
  muteLog();
  const bucket = await newBucket();
  const refused = openBucket({ endpoint: store.endpoint, ...CREDENTIALS }, newBucketName());
  await addCatalogue(own.database, refused.name);
  await bucket.put("a", "text");
  const changes = new ChangedObjects({ database: own.database, objectStore });
  const { observed } = await changes.note([
    { bucket: refused.name, key: "a" },
    { bucket: bucket.name, key: "a" },
  ]);
  await observed;
  expect(await rows(bucket)).toEqual(["a"]);
  expect(await query(own.url, "SELECT FROM catalogue_waiting_keys")).toHaveLength(0);
});

it("a change that is in a deadlock with another statement is written at once", async () => {
  const bucket = await newBucket();
  // PostgreSQL looks for a deadlock only once. On a slow machine, a second may pass before there is one.
  const url = `${own.url}?options=${encodeURIComponent("-c deadlock_timeout=3s")}`;
  const database = createDatabase({ url, poolSize: 2 });
  onTestFinished(() => database.$disconnect());
  const changes = new ChangedObjects({ database, objectStore });
  const noteBoth = async () => {
    for (const key of ["a", "b"]) await bucket.put(key, "text");
    const { observed } = await changes.note(["a", "b"].map((key) => ({ bucket: bucket.name, key })));
    await observed;
  };
  await noteBoth();
  const other = new Client({ connectionString: own.url });
  await other.connect();
  const update = (key: string) =>
    other.query("UPDATE catalogue_objects SET size = 0 WHERE catalogue_id = $1 AND key = $2", [
      bucket.catalogue?.id,
      key,
    ]);
  // So the other one is chosen to fail.
  await other.query("SET deadlock_timeout = '1min'; BEGIN");
  await update("b");
  const noted = noteBoth();
  const waits =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await expect.poll(() => query(own.url, waits)).toHaveLength(1);
  await update("a");
  await other.query("COMMIT");
  await noted;
  await other.end();
  expect(await waiting(bucket)).toEqual([]);
  expect(await differences(bucket)).toEqual([]);
});

it("a flood of changes in a bucket whose store does not answer holds up no other", async () => {
  muteLog();
  const [flooded, bucket] = [await newBucket(), await newBucket()];
  let answer = () => {};
  const answered = new Promise<undefined>((resolve) => {
    answer = () => resolve(undefined);
  });
  beforeListing = async (name) => (name === flooded.name ? answered : undefined);
  const changes = new ChangedObjects({ database: own.database, objectStore });
  const keys = Array.from({ length: 150 }, (_, number) => `${number}`);
  const flood = await changes.note(keys.map((key) => ({ bucket: flooded.name, key })));
  await bucket.put("a", "text");
  const { observed } = await changes.note([{ bucket: bucket.name, key: "a" }]);
  await observed;
  expect(await rows(bucket)).toEqual(["a"]);
  expect(await waiting(flooded)).toHaveLength(150);
  answer();
  await flood.observed;
  expect(await waiting(flooded)).toEqual([]);
});

it("a worker asks about few keys of many, and about other buckets meanwhile", async () => {
  const [flooded, bucket] = [await newBucket(), await newBucket()];
  await note(flooded, 300);
  await passLease();
  await note(bucket, 1);
  await passLease();
  expect(await bucket.worker.runDue()).toBe(2);
  expect(await waiting(flooded)).toHaveLength(200);
  expect(await waiting(bucket)).toEqual([]);
});

it("a store that is away puts off its own bucket only", async () => {
  muteLog();
  const [away, bucket] = [await newBucket(), await newBucket()];
  beforeListing = async (name) =>
    name === away.name ? { error: { status: 503, code: "SlowDown" } } : undefined;
  const askAgain = async () => {
    await note(away, 1);
    await note(bucket, 1);
    await passLease();
    return bucket.worker.runDue();
  };
  expect(await askAgain()).toBe(2);
  expect(await waiting(bucket)).toEqual([]);
  expect(await askAgain()).toBe(1);
  expect(await waiting(bucket)).toEqual([]);
  expect(await waiting(away)).toEqual(["0"]);
});

it("a catalogue that is removed forgets its keys, and no event is lost by it", async () => {
  muteLog();
  const bucket = await newBucket();
  beforeListing = async () => ({ error: { status: 503, code: "SlowDown" } });
  await bucket.record("file.deleted", "a");
  expect(await waiting(bucket)).toEqual(["a"]);
  if (bucket.catalogue)
    await removeCatalogue(own.database, bucket.catalogue, { signal: new AbortController().signal });
  await bucket.record("file.deleted", "b");
  expect(await waiting(bucket)).toEqual([]);
  expect((await eventKeys(bucket)).sort()).toEqual(["a", "b"]);
});

it("a failing catalogue loses no event", async () => {
  muteLog();
  const bucket = await newBucket();
  await query(own.url, "ALTER TABLE catalogue_waiting_keys RENAME TO elsewhere");
  try {
    await bucket.record("file.deleted", "a");
    expect(await eventKeys(bucket)).toEqual(["a"]);
  } finally {
    await query(own.url, "ALTER TABLE elsewhere RENAME TO catalogue_waiting_keys");
  }
});
