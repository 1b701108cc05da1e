import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { expect, it } from "vitest";
import { readBlob } from "../../../../embed-element/shared/read-blob";
import { startMd5 } from "./start-md5";

const MiB = 1024 ** 2;

it.each([0, 5, 3 * MiB, 33 * MiB])("reads %i bytes, with their MD5 or their checksum", async (size) => {
  const bytes = randomBytes(size);
  const blob = new Blob([bytes]);
  const hashed = await readBlob(blob, "MD5", startMd5);
  expect([hashed.md5, hashed.checksum]).toEqual([createHash("md5").update(bytes).digest("base64"), null]);
  const summed = await readBlob(blob, "CRC32");
  expect([summed.md5, summed.checksum]).toEqual([null, BigInt(crc32(bytes))]);
  for (const { body } of [hashed, summed]) {
    expect(Buffer.from(await body.arrayBuffer()).equals(bytes)).toBe(true);
  }
});
