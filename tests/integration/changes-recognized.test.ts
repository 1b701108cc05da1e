/** Moves that are interrupted after the copy, for objects whose ETag differs from their copy's. */
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutBucketEncryptionCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import { UPLOAD_MARK } from "../../app/providers/presigned-urls.server";
import type { ChangeCalls } from "../support/files/change-calls";
import {
  aSecondLater,
  asks,
  cutAfter,
  openFaultyStore,
  repeatUntilDone,
  secondsAgo,
} from "../support/files/cut-off-changes";

const { faulty, open } = await openFaultyStore();
const plain = await open();
const encrypted = await open();
const byDefault = { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: "aws:kms" } } as const;
const ServerSideEncryptionConfiguration = { Rules: [byDefault] };
await encrypted.store.send(
  new PutBucketEncryptionCommand({ Bucket: encrypted.bucket.name, ServerSideEncryptionConfiguration }),
);
let made = 0;

/** Uploads a small file as one part, which gives it an ETag different from a copy's. */
async function putByParts(
  { store, bucket }: ChangeCalls,
  Key: string,
  Body: string,
  ChecksumType: "FULL_OBJECT" | "COMPOSITE" = "FULL_OBJECT",
): Promise<void> {
  const at = { Bucket: bucket.name, Key };
  const checksum = { ChecksumAlgorithm: "CRC32", ChecksumType } as const;
  const { UploadId } = await store.send(new CreateMultipartUploadCommand({ ...at, ...checksum }));
  const part = { ...at, UploadId, PartNumber: 1, Body, ChecksumAlgorithm: "CRC32" } as const;
  const { ETag, ChecksumCRC32 } = await store.send(new UploadPartCommand(part));
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag, ChecksumCRC32 }] };
  await store.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload }));
}

/** Amazon S3 and current SDKs do so by default. */
async function putWithChecksum({ store, bucket }: ChangeCalls, Key: string, Body: string): Promise<void> {
  await store.send(new PutObjectCommand({ Bucket: bucket.name, Key, Body, ChecksumAlgorithm: "CRC32" }));
}

const kinds: [string, () => ChangeCalls, (calls: ChangeCalls, key: string, text: string) => Promise<void>][] =
  [
    ["uploaded in parts", () => plain, putByParts],
    ["encrypted by KMS", () => encrypted, putWithChecksum],
    ["both", () => encrypted, putByParts],
  ];

describe.each(kinds)("a file that was %s, with a full-object checksum", (_, callsOf, put) => {
  it.each(["fail", "keep-both", "replace"])("is moved by repeating the request (%s)", async (onConflict) => {
    const calls = callsOf();
    const at = `cut-${made++}`;
    await put(calls, `${at}/from/a.txt`, "bytes");
    await put(calls, `${at}/from/docs/b`, "more bytes");
    await aSecondLater();
    for (const items of [[{ key: `${at}/from/a.txt` }], [{ folderPath: `/${at}/from/docs` }]]) {
      cutAfter(faulty, asks.delete, 0, { reset: true });
      const moved = await repeatUntilDone(faulty, calls, "move", { items, to: `/${at}/to`, onConflict });
      expect(moved.failed).toEqual([]);
      expect(moved.failures).toBeGreaterThanOrEqual(1);
    }
    expect(await calls.below(at)).toEqual({ "from/": "", "to/a.txt": "bytes", "to/docs/b": "more bytes" });
  });

  it("is not mistaken for another file with its name and size, whichever is newer", async () => {
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
  });
});

it("without a matching ETag or checksum the name counts as taken, both files are kept, and replacing finishes the move", async () => {
  const at = `untold-${made++}`;
  await secondsAgo(() => putByParts(plain, `${at}/from/a`, "bytes", "COMPOSITE"));
  const request = { items: [{ key: `${at}/from/a` }], to: `/${at}/to` };
  cutAfter(faulty, asks.delete, 0, { reset: true });
  await plain.ask("move", { ...request, onConflict: "fail" });
  faulty.intercept = null;
  const moved = await plain.change("move", { ...request, onConflict: "fail" });
  expect(moved).toMatchObject({ done: 0, conflicts: [{ name: "a" }] });
  expect(await plain.below(at)).toMatchObject({ "from/a": "bytes", "to/a": "bytes" });
  expect(await plain.change("move", { ...request, onConflict: "replace" })).toMatchObject({ done: 1 });
  expect(await plain.below(at)).toEqual({ "from/": "", "to/a": "bytes" });
});

it("a name does not count as taken if its file has the same bytes: an earlier attempt made the copy", async () => {
  const at = `same-${made++}`;
  await plain.bucket.put(`${at}/from/a`, "same");
  await aSecondLater();
  await plain.bucket.put(`${at}/to/a`, "same");
  const request = { items: [{ key: `${at}/from/a` }], to: `/${at}/to`, onConflict: "fail" };
  expect(await plain.change("move", request)).toMatchObject({ done: 1, conflicts: [] });
  expect(await plain.below(at)).toEqual({ "from/": "", "to/a": "same" });
  expect(await plain.change("move", request)).toMatchObject({ done: 0, failed: [], conflicts: [] });
});

describe("an upload of the same bytes is not the copy that a move has made", () => {
  const put = (Key: string, mark: string, Body = "same") =>
    plain.store.send(
      new PutObjectCommand({
        Bucket: plain.bucket.name,
        Key,
        Body: Buffer.from(Body),
        Metadata: { [UPLOAD_MARK]: mark },
      }),
    );

  it.each(["same", ""])("and its name is taken (%j)", async (text) => {
    const at = `marks-${made++}`;
    await put(`${at}/from/a`, "one", text);
    await aSecondLater();
    await put(`${at}/to/a`, "other", text);
    const request = { items: [{ key: `${at}/from/a` }], to: `/${at}/to`, onConflict: "fail" };
    const moved = await plain.change("move", request);
    expect(moved).toMatchObject({ done: 0, conflicts: [{ name: "a" }] });
    expect(await plain.below(at)).toEqual({ "from/a": text, "to/a": text });
  });

  it("also if it comes while a folder is being moved", async () => {
    const at = `marks-${made++}`;
    await put(`${at}/from/docs/a`, "one");
    await put(`${at}/from/docs/b`, "one");
    await aSecondLater();
    const request = { items: [{ folderPath: `/${at}/from/docs` }], to: `/${at}/to`, onConflict: "fail" };
    const { body } = await plain.ask("move", request);
    await put(`${at}/to/docs/a`, "other");
    const moved = await plain.change("move", { ...request, cursor: body.cursor });
    expect(moved).toMatchObject({ done: 1, failed: [{ key: `${at}/from/docs/a`, code: "name_taken" }] });
    expect(await plain.below(at)).toMatchObject({ "from/docs/a": "same", "to/docs/a": "same" });
  });

  it("but a copy that an earlier attempt has made is finished", async () => {
    const at = `marks-${made++}`;
    await secondsAgo(() => put(`${at}/from/a`, "one"));
    const request = { items: [{ key: `${at}/from/a` }], to: `/${at}/to`, onConflict: "fail" };
    cutAfter(faulty, asks.delete, 0, { reset: true });
    await plain.ask("move", request);
    faulty.intercept = null;
    expect(await plain.change("move", request)).toMatchObject({ done: 1, conflicts: [] });
    expect(await plain.below(at)).toEqual({ "from/": "", "to/a": "same" });
  });
});
