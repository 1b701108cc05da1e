import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../../tests/support/databases/own-database";
import { newBucketName, openBucket } from "../../../tests/support/files/bucket";
import { CREDENTIALS, signedWith, startStoreForTests } from "../../../tests/support/files/object-store";
import { createObjectStore, type ObjectStore } from "../../providers/object-store.server";
import { addCatalogue } from "../catalogues.server";
import { scanCatalogue } from "../scan-catalogue.server";
import { countUsage, type UsageTools } from "./count-usage.server";
import { listUsage } from "./list-usage.server";

let own: OwnDatabase;
let store: Awaited<ReturnType<typeof startStoreForTests>>;
let objectStore: ObjectStore;
beforeAll(async () => {
  own = await startOwnDatabase();
  store = await startStoreForTests({});
  objectStore = createObjectStore({
    ...signedWith(CREDENTIALS),
    endpoint: store.endpoint,
    forcePathStyle: true,
    timeoutSeconds: 30,
  });
});
afterAll(async () => {
  await store?.close();
  await own?.stop();
});

const { signal } = new AbortController();

async function newBucket() {
  const bucket = openBucket({ endpoint: store.endpoint, ...CREDENTIALS }, newBucketName());
  await bucket.create();
  const catalogue = await addCatalogue(own.database, bucket.name);
  const scan = () => scanCatalogue({ database: own.database, objectStore }, catalogue, { signal });
  return { ...bucket, catalogue, scan };
}

async function count(paths: Record<string, string[]> = {}, from: Partial<ObjectStore> = {}) {
  const skipped: string[] = [];
  const pathsOf = new Map(Object.entries(paths).map(([bucket, of]) => [bucket, new Set(of)]));
  const tools: UsageTools = { database: own.database, objectStore: { ...objectStore, ...from } };
  const written = await countUsage(tools, pathsOf, {
    signal,
    onSkipped: (sentence) => skipped.push(sentence),
  });
  return { written, skipped };
}

const usageOf = async (bucket: string, path = "/") => {
  const { days } = await listUsage(own.database, { bucket, path });
  return days.map(({ day: _, ...counted }) => counted);
};

it("counts objects, older versions and unfinished uploads of a bucket and of the paths of policies", async () => {
  const bucket = await newBucket();
  await bucket.keepVersions();
  await bucket.put("a/one", "12345");
  await bucket.put("a/one", "1234567");
  await bucket.put("a0", "123");
  await bucket.put("b/\u0001two", "12");
  await bucket.put("b/gone", "1234");
  await bucket.remove("b/gone");
  const upload = await objectStore.createUpload({
    bucket: bucket.name,
    key: "b/film",
    contentType: "video/mp4",
    uploadMark: "mark",
  });
  const part = await objectStore.presignPart(upload, { number: 1, size: 9 }, 60);
  await fetch(part.url, { method: "PUT", headers: part.headers, body: "123456789" });
  await bucket.scan();
  await expect(count({ [bucket.name]: ["/a", "/b", "/"] })).resolves.toEqual({ written: 3, skipped: [] });
  expect(await usageOf(bucket.name)).toEqual([
    { objects: 3, bytes: 12, versionBytes: 9, unfinishedBytes: 9 },
  ]);
  expect(await usageOf(bucket.name, "/a")).toEqual([
    { objects: 1, bytes: 7, versionBytes: 5, unfinishedBytes: 0 },
  ]);
  expect(await usageOf(bucket.name, "/b")).toEqual([
    { objects: 1, bytes: 2, versionBytes: 4, unfinishedBytes: 9 },
  ]);
  expect(await usageOf(bucket.name, "/c")).toEqual([]);
});

it("writes one row a day, also if several count at once or once more", async () => {
  const bucket = await newBucket();
  await bucket.put("one", "12345");
  await bucket.scan();
  const counted = await Promise.all([count(), count(), count()]);
  expect(counted.reduce((sum, { written }) => sum + written, 0)).toBe(1);
  await bucket.put("two", "12345");
  await bucket.scan();
  await expect(count()).resolves.toMatchObject({ written: 0 });
  await expect(usageOf(bucket.name)).resolves.toMatchObject([{ objects: 1 }]);
});

it("leaves out a bucket whose catalogue is incomplete or being removed", async () => {
  const incomplete = await newBucket();
  const removed = await newBucket();
  await removed.scan();
  await own.database.catalogue.update({
    where: { bucket: removed.name },
    data: { isBeingRemoved: true },
  });
  await count();
  await expect(usageOf(incomplete.name)).resolves.toEqual([]);
  await expect(usageOf(removed.name)).resolves.toEqual([]);
});

it("says why versions or unfinished uploads are not counted", async () => {
  const bucket = await newBucket();
  await bucket.scan();
  const next = { key: "k", versionId: "v" };
  const listVersions = vi.fn(async () => ({ versions: [], prefixes: [], next }));
  const uploads = Array.from({ length: 101 }, (_, number) => ({ key: `k${number}`, uploadId: "u" }));
  const listUnfinishedUploads = async () => ({ uploads, isAll: true });
  const { skipped } = await count({}, { listVersions, listUnfinishedUploads });
  expect(listVersions).toHaveBeenCalledTimes(20);
  expect(skipped).toEqual([
    `${bucket.name}/: versions are not counted, because there are more than 20000.`,
    `${bucket.name}/: unfinished uploads are not counted, because there are more than 100.`,
  ]);
  await expect(usageOf(bucket.name)).resolves.toEqual([
    { objects: 0, bytes: 0, versionBytes: null, unfinishedBytes: null },
  ]);
});
