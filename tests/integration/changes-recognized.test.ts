/** A move that is cut off after its copy, of what has no ETag that its copy has too. */
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  PutBucketEncryptionCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import type { ChangeCalls } from "../support/change-calls";
import { aSecondLater, asks, cutAfter, openFaultyStore, persist } from "../support/cut-off-changes";

const { faulty, open } = await openFaultyStore();
const plain = await open();
const encrypted = await open();
const byDefault = { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: "aws:kms" } } as const;
const ServerSideEncryptionConfiguration = { Rules: [byDefault] };
await encrypted.store.send(
  new PutBucketEncryptionCommand({ Bucket: encrypted.bucket.name, ServerSideEncryptionConfiguration }),
);
let made = 0;

/** Of one part: a small file whose ETag and checksum are not those of its bytes. */
async function putByParts({ store, bucket }: ChangeCalls, Key: string, Body: string): Promise<void> {
  const at = { Bucket: bucket.name, Key };
  const checksum = { ChecksumAlgorithm: "CRC32", ChecksumType: "COMPOSITE" } as const;
  const { UploadId } = await store.send(new CreateMultipartUploadCommand({ ...at, ...checksum }));
  const part = { ...at, UploadId, PartNumber: 1, Body, ChecksumAlgorithm: "CRC32" } as const;
  const { ETag, ChecksumCRC32 } = await store.send(new UploadPartCommand(part));
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag, ChecksumCRC32 }] };
  await store.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload }));
}

const uploadsOf = async ({ store, bucket }: ChangeCalls) =>
  (await store.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }))).Uploads?.length ?? 0;

const kinds: [string, () => ChangeCalls, (calls: ChangeCalls, key: string, text: string) => Promise<void>][] =
  [
    ["uploaded in parts", () => plain, putByParts],
    ["encrypted by KMS", () => encrypted, (calls, key, text) => calls.bucket.put(key, text)],
    ["both", () => encrypted, putByParts],
  ];

describe.each(kinds)("a file that was %s", (_, callsOf, put) => {
  it.each(["fail", "keep-both", "replace"])("is moved by the same request (%s)", async (onConflict) => {
    const calls = callsOf();
    const at = `cut-${made++}`;
    await put(calls, `${at}/from/a.txt`, "bytes");
    await put(calls, `${at}/from/docs/b`, "more bytes");
    await aSecondLater();
    for (const items of [[{ key: `${at}/from/a.txt` }], [{ folderPath: `/${at}/from/docs` }]]) {
      cutAfter(faulty, asks.delete, 0, { reset: true });
      const moved = await persist(faulty, calls, "move", { items, to: `/${at}/to`, onConflict });
      expect(moved.failed).toEqual([]);
      expect(moved.failures).toBeGreaterThanOrEqual(1);
    }
    expect(await calls.below(at)).toEqual({ "from/": "", "to/a.txt": "bytes", "to/docs/b": "more bytes" });
    expect(await uploadsOf(calls)).toBe(0);
  });

  it("is not taken for another of its name and size, whichever is the younger", async () => {
    const calls = callsOf();
    const at = `other-${made++}`;
    await put(calls, `${at}/to/older`, "other");
    await put(calls, `${at}/from/younger`, "bytes");
    await aSecondLater();
    await put(calls, `${at}/to/younger`, "other");
    await put(calls, `${at}/from/older`, "bytes");
    const items = [{ key: `${at}/from/older` }, { key: `${at}/from/younger` }];
    const moved = await calls.change("move", { items, to: `/${at}/to`, onConflict: "fail" });
    expect(moved).toMatchObject({ done: 0, conflicts: [{ name: "older" }, { name: "younger" }] });
    expect(await uploadsOf(calls)).toBe(0);
  });
});

it.each([
  ["refuses", { error: { status: 403, code: "AccessDenied" } }],
  ["does not know", { error: { status: 501, code: "NotImplemented" } }],
])("where the store %s to compare, the name is taken, and both are there", async (_, fault) => {
  const at = `refused-${made++}`;
  await putByParts(plain, `${at}/from/a`, "bytes");
  await aSecondLater();
  await plain.bucket.put(`${at}/to/a`, "bytes");
  faulty.intercept = ({ method, query }) => (method === "PUT" && query.has("partNumber") ? fault : undefined);
  const items = [{ key: `${at}/from/a` }];
  const moved = await plain.change("move", { items, to: `/${at}/to`, onConflict: "fail" });
  expect(moved).toMatchObject({ done: 0, conflicts: [{ name: "a" }] });
  faulty.intercept = null;
  expect(await plain.below(at)).toEqual({ "from/a": "bytes", "to/a": "bytes" });
  expect(await uploadsOf(plain)).toBe(0);
});

it("a name that a file of the same bytes has is not taken: an earlier attempt has put it there", async () => {
  const at = `same-${made++}`;
  await plain.bucket.put(`${at}/from/a`, "same");
  await aSecondLater();
  await plain.bucket.put(`${at}/to/a`, "same");
  const request = { items: [{ key: `${at}/from/a` }], to: `/${at}/to`, onConflict: "fail" };
  expect(await plain.change("move", request)).toMatchObject({ done: 1, conflicts: [] });
  expect(await plain.below(at)).toEqual({ "from/": "", "to/a": "same" });
  expect(await plain.change("move", request)).toMatchObject({ done: 0, failed: [], conflicts: [] });
});
