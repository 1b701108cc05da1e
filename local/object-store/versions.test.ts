import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BUCKET as Bucket,
  CREDENTIALS,
  clientFor,
  startStoreForTests,
} from "../../tests/support/files/object-store";
import { startObjectStore } from "./index";

let store: Awaited<ReturnType<typeof startStoreForTests>>;
beforeAll(async () => {
  store = await startStoreForTests();
});
afterAll(() => store?.close());

const version = (Status: "Enabled" | "Suspended") =>
  store.client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
const put = (Key: string, Body: string) => store.client.send(new PutObjectCommand({ Bucket, Key, Body }));
const remove = (Key: string, VersionId?: string) =>
  store.client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }));
const get = async (Key: string, VersionId?: string, client = store.client) => {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, VersionId }));
  return Body?.transformToString();
};
async function list(Prefix: string, client = store.client) {
  const { Versions = [], DeleteMarkers = [] } = await client.send(
    new ListObjectVersionsCommand({ Bucket, Prefix }),
  );
  return { versions: Versions, markers: DeleteMarkers };
}

describe("a bucket that keeps versions", () => {
  it("keeps what was there before as the version null, and every version since", async () => {
    await put("kept/a", "first");
    await version("Enabled");
    const { VersionId: second } = await put("kept/a", "second");
    const { VersionId: marker, DeleteMarker } = await remove("kept/a");
    expect(DeleteMarker).toBe(true);
    await expect(get("kept/a")).rejects.toMatchObject({ name: "NoSuchKey" });
    await expect(get("kept/a", marker)).rejects.toMatchObject({ $metadata: { httpStatusCode: 405 } });
    expect(await get("kept/a", "null")).toBe("first");
    expect(await get("kept/a", second)).toBe("second");
    const { versions, markers } = await list("kept/");
    expect(versions.map(({ VersionId, IsLatest }) => [VersionId, IsLatest])).toEqual([
      [second, false],
      ["null", false],
    ]);
    expect(markers).toMatchObject([{ Key: "kept/a", VersionId: marker, IsLatest: true }]);
    const { KeyCount } = await store.client.send(new ListObjectsV2Command({ Bucket, Prefix: "kept/" }));
    expect(KeyCount).toBe(0);

    expect(await remove("kept/a", marker)).toMatchObject({ DeleteMarker: true, VersionId: marker });
    expect(await get("kept/a")).toBe("second");
    expect((await remove("kept/a", marker)).DeleteMarker).toBeUndefined();
    await remove("kept/a", second);
    expect(await get("kept/a")).toBe("first");
    await remove("kept/a", "null");
    expect(await list("kept/")).toEqual({ versions: [], markers: [] });
    await expect(get("kept/a", "null")).rejects.toMatchObject({ name: "NoSuchVersion" });
  });

  it("says which version was written, read and copied", async () => {
    const { VersionId: written } = await put("said/a", "text");
    const head = await store.client.send(new HeadObjectCommand({ Bucket, Key: "said/a" }));
    expect(head.VersionId).toBe(written);
    const copy = new CopyObjectCommand({ Bucket, Key: "said/b", CopySource: `${Bucket}/said/a` });
    const { VersionId: copied } = await store.client.send(copy);
    expect(await get("said/b", copied)).toBe("text");
  });

  it("leaves a second marker where something is deleted twice, and one where there was nothing", async () => {
    await put("twice/a", "text");
    await remove("twice/a");
    const { VersionId } = await remove("twice/a");
    await remove("twice/a", VersionId);
    await expect(get("twice/a")).rejects.toMatchObject({ name: "NoSuchKey" });
    expect((await remove("twice/nothing")).DeleteMarker).toBe(true);
  });

  it("deletes several objects", async () => {
    await put("several/a", "text");
    const { Deleted } = await store.client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: "several/a" }] } }),
    );
    expect(Deleted).toMatchObject([{ Key: "several/a", DeleteMarker: true }]);
    await remove("several/a", Deleted?.[0]?.DeleteMarkerVersionId);
    expect(await get("several/a")).toBe("text");
  });

  it("lists versions page by page", async () => {
    for (const key of ["paged/a", "paged/b", "paged/c"]) {
      for (const text of ["1", "2", "3"]) await put(key, text);
    }
    const seen: (string | undefined)[] = [];
    let KeyMarker: string | undefined;
    let VersionIdMarker: string | undefined;
    for (let pages = 0; pages < 5; pages++) {
      const page = await store.client.send(
        new ListObjectVersionsCommand({ Bucket, Prefix: "paged/", MaxKeys: 2, KeyMarker, VersionIdMarker }),
      );
      seen.push(...(page.Versions ?? []).map(({ Key, VersionId }) => `${Key} ${VersionId}`));
      ({ NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page);
    }
    expect(seen).toHaveLength(9);
    expect(new Set(seen).size).toBe(9);
    const after = new ListObjectVersionsCommand({ Bucket, Prefix: "paged/", KeyMarker: "paged/a" });
    expect((await store.client.send(after)).Versions?.[0]?.Key).toBe("paged/b");
  });

  it("groups what is in subfolders, at any page size, and continues after a group", async () => {
    for (const key of ["grouped/a", "grouped/b/1", "grouped/b/2", "grouped/c", "grouped/d/1"]) {
      for (const text of ["1", "2"]) await put(key, text);
    }
    await remove("grouped/d/1");
    await remove("grouped/c");
    const whole = ["a", "a", "b/", "c marker", "c", "c", "d/"];
    for (const MaxKeys of [1, 2, 3, 7]) {
      const seen: string[] = [];
      let next: { KeyMarker?: string; VersionIdMarker?: string } | undefined = {};
      while (next !== undefined) {
        const input = { Bucket, Prefix: "grouped/", Delimiter: "/", MaxKeys, ...next };
        const page: ListObjectVersionsCommandOutput = await store.client.send(
          new ListObjectVersionsCommand(input),
        );
        const { Versions = [], DeleteMarkers = [], CommonPrefixes = [] } = page;
        expect(Versions.length + DeleteMarkers.length + CommonPrefixes.length).toBeLessThanOrEqual(MaxKeys);
        seen.push(
          ...Versions.map(({ Key = "" }) => Key),
          ...DeleteMarkers.map(({ Key }) => `${Key} marker`),
          ...CommonPrefixes.map(({ Prefix = "" }) => Prefix),
        );
        const { IsTruncated, NextKeyMarker, NextVersionIdMarker } = page;
        next = IsTruncated
          ? {
              ...(NextKeyMarker && { KeyMarker: NextKeyMarker }),
              ...(NextVersionIdMarker && { VersionIdMarker: NextVersionIdMarker }),
            }
          : undefined;
      }
      expect(seen.map((key) => key.slice("grouped/".length)).sort()).toEqual([...whole].sort());
    }
    const none = new ListObjectVersionsCommand({ Bucket, Prefix: "grouped/", MaxKeys: 0 });
    expect(await store.client.send(none)).toMatchObject({ IsTruncated: false });
    const markerWithoutKey = store.client.send(
      new ListObjectVersionsCommand({ Bucket, VersionIdMarker: "null" }),
    );
    await expect(markerWithoutKey).rejects.toMatchObject({ name: "InvalidArgument" });
  });

  it("copies an older version, and says which one that was", async () => {
    const { VersionId: first } = await put("older/a", "first");
    await put("older/a", "second");
    const CopySource = `${Bucket}/older/a?versionId=${first}`;
    const copied = await store.client.send(new CopyObjectCommand({ Bucket, Key: "older/a", CopySource }));
    expect(copied.CopySourceVersionId).toBe(first);
    expect(await get("older/a")).toBe("first");
    expect((await list("older/a")).versions).toHaveLength(3);
    const { VersionId: marker } = await remove("older/a");
    const ofMarker = new CopyObjectCommand({
      Bucket,
      Key: "older/b",
      CopySource: `${Bucket}/older/a?versionId=${marker}`,
    });
    await expect(store.client.send(ofMarker)).rejects.toMatchObject({ name: "InvalidRequest" });
  });

  it("deletes several versions for good", async () => {
    const { VersionId: first } = await put("purged/a", "first");
    await put("purged/a", "second");
    const { VersionId: marker } = await remove("purged/a");
    const Objects = [first, marker].map((VersionId) => ({ Key: "purged/a", VersionId }));
    const { Deleted } = await store.client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(Deleted).toEqual([
      { Key: "purged/a", VersionId: first },
      { Key: "purged/a", VersionId: marker, DeleteMarker: true, DeleteMarkerVersionId: marker },
    ]);
    expect(await get("purged/a")).toBe("second");
  });

  it("can be made to look older", async () => {
    await put("aged/a", "first");
    await put("aged/a", "second");
    await remove("aged/a");
    const times = ["2026-03-03T00:00:00.000Z", "2026-02-02T00:00:00.000Z", "2026-01-01T00:00:00.000Z"];
    store.setTimes(Bucket, "aged/a", times.map(Date.parse));
    const { versions, markers } = await list("aged/a");
    expect([...markers, ...versions].map(({ LastModified }) => LastModified?.toISOString())).toEqual(times);
    expect(await get("aged/a", versions[1]?.VersionId)).toBe("first");
  });

  it("when versions are suspended, writes and deletes the version null", async () => {
    const { VersionId } = await put("suspended", "kept");
    await version("Suspended");
    await put("suspended", "null 1");
    await put("suspended", "null 2");
    expect((await list("suspended")).versions.map((each) => each.VersionId)).toEqual(["null", VersionId]);
    expect(await remove("suspended")).toMatchObject({ DeleteMarker: true, VersionId: "null" });
    expect((await list("suspended")).versions.map((each) => each.VersionId)).toEqual([VersionId]);
    await version("Enabled");
  });

  it("has it all after a start", async () => {
    const { VersionId } = await put("started", "first");
    await put("started", "second");
    await remove("started");
    const before = await list("started");
    const other = await startObjectStore({ port: 0, dataDir: store.dataDir, ...CREDENTIALS });
    const client = clientFor(other.endpoint);
    expect(await list("started", client)).toEqual({
      versions: before.versions,
      markers: before.markers,
    });
    expect(await get("started", VersionId, client)).toBe("first");
    client.destroy();
    await other.close();
  });
});
