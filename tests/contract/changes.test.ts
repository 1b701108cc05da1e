/** What changes take for granted. A store without conditions or versions is asked without them. */
import {
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetObjectTaggingCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Endpoint, getText, openEndpoint, putText } from "./endpoint";
import { type BucketToChange, openOwnBucket } from "./own-bucket";

let endpoint: Endpoint;
let own: BucketToChange;
beforeAll(async () => {
  endpoint = await openEndpoint();
  own = await openOwnBucket(endpoint);
});
afterAll(async () => {
  if (own.reasonToSkip === undefined) await removeVersions();
  await endpoint?.close();
});

async function removeVersions() {
  const { client } = endpoint;
  const Bucket = own.name;
  const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }));
  for (const { Key, VersionId } of [...Versions, ...DeleteMarkers]) {
    await client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }));
  }
  await client.send(new DeleteBucketCommand({ Bucket }));
}

it("a copy is only made of the object that was read, and never overwrites", async () => {
  const { product, bucket, prefix } = endpoint;
  await putText(endpoint, `${prefix}from`, "content");
  await putText(endpoint, `${prefix}taken`, "taken");
  const source = await product.describeObject({ bucket, key: `${prefix}from` });
  if (source === null) throw new Error("There is no object.");
  const of = { bucket, key: `${prefix}from`, size: source.size, etag: source.etag, overwrite: true };
  await product.copyObject({ ...of, to: `${prefix}to` });
  expect(await getText(endpoint, `${prefix}to`)).toBe("content");
  const stale = { ...of, etag: '"00000000000000000000000000000000"', to: `${prefix}stale` };
  await expect(product.copyObject(stale)).rejects.toMatchObject({ code: "name_taken" });
  if (endpoint.foreign) return;
  const over = product.copyObject({ ...of, to: `${prefix}taken`, overwrite: false });
  await expect(over).rejects.toMatchObject({ code: "name_taken" });
});

it("a copy keeps tags and storage class", async () => {
  const { product, client, bucket, prefix } = endpoint;
  const [key, to] = [`${prefix}classed`, `${prefix}classed copy`];
  const more = { Tagging: "kind=a", StorageClass: "STANDARD_IA" } as const;
  const command = new PutObjectCommand({ Bucket: bucket, Key: key, Body: "content", ...more });
  const put = await client.send(command).catch((error: Error) => error);
  if (put instanceof Error && endpoint.foreign) return console.info(`Not here: ${put.name}.`);
  const [listed] = (await product.listBelow({ bucket, prefix: key, after: undefined, pageSize: 1 })).entries;
  if (listed === undefined) throw new Error("There is no object.");
  await product.copyObject({ ...listed, bucket, key, to, overwrite: true });
  const copy = await product.describeObject({ bucket, key: to });
  expect(copy?.storageClass).toBe(listed.storageClass);
  const { TagSet } = await client.send(new GetObjectTaggingCommand({ Bucket: bucket, Key: to }));
  expect(TagSet).toEqual([{ Key: "kind", Value: "a" }]);
  if (!endpoint.foreign) expect(copy?.storageClass).toBe("STANDARD_IA");
});

it("the keys below a folder are listed after a given key, in order", async () => {
  const { product, bucket, prefix } = endpoint;
  for (const key of ["l/a", "l/b/c", "l/d"]) await putText(endpoint, prefix + key, "x");
  const page = await product.listBelow({ bucket, prefix: `${prefix}l/`, after: `${prefix}l/a`, pageSize: 1 });
  expect(page).toMatchObject({ entries: [{ key: `${prefix}l/b/c` }], next: `${prefix}l/b/c` });
});

it("removing the delete marker restores an object, and can be repeated", async () => {
  if (own.reasonToSkip !== undefined) return console.info(own.reasonToSkip);
  const { product, client } = endpoint;
  const bucket = own.name;
  expect(await product.keepsVersions(bucket)).toBe(false);
  const enable = { Bucket: bucket, VersioningConfiguration: { Status: "Enabled" } } as const;
  await client.send(new PutBucketVersioningCommand(enable));
  if (!(await product.keepsVersions(bucket))) return console.info("This endpoint keeps no versions.");
  const key = "undone";
  await putText({ ...endpoint, bucket }, key, "content");
  const { marker } = await product.removeObject({ bucket, key });
  const page = { bucket, prefix: key, after: undefined, pageSize: 1 };
  expect((await product.listVersionsBelow(page)).entries).toMatchObject([{ key, marker }]);
  expect(await product.describeObject({ bucket, key })).toBeNull();
  for (let times = 0; times < 2; times++) await product.removeObject({ bucket, key, version: marker ?? "" });
  expect(await getText({ ...endpoint, bucket }, key)).toBe("content");
});
