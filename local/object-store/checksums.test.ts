import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ChecksumAlgorithm,
  combineChecksums,
  readAlgorithm,
  readChecksumType,
  startDigest,
} from "./checksums";

function checksum(algorithm: ChecksumAlgorithm, ...chunks: Uint8Array[]): string {
  const digest = startDigest(algorithm);
  for (const chunk of chunks) digest.update(chunk);
  return digest.digest().toString("base64");
}

// "123456789" is the check input of the catalogue of parametrised CRC algorithms.
it.each<[ChecksumAlgorithm, string]>([
  ["CRC32", "cbf43926"],
  ["CRC32C", "e3069283"],
  ["CRC64NVME", "ae8b14860a799888"],
  ["SHA1", "f7c3bc1d808e04732adf679965ccc34ca7ae3441"],
])("%s of 123456789 is %s", (algorithm, hex) => {
  expect(checksum(algorithm, Buffer.from("123456789"))).toBe(Buffer.from(hex, "hex").toString("base64"));
});

describe.each<ChecksumAlgorithm>(["CRC32", "CRC32C", "CRC64NVME"])("%s", (algorithm) => {
  it("of the whole follows from those of the parts, whatever their sizes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 8 }), (chunks) => {
        const parts = chunks.map((chunk) => ({ value: checksum(algorithm, chunk), size: chunk.length }));
        expect(combineChecksums(algorithm, "FULL_OBJECT", parts).value).toBe(checksum(algorithm, ...chunks));
      }),
    );
  });

  it("of 10,000 parts of 5 GiB is combined", () => {
    const part = { value: checksum(algorithm, randomBytes(10)), size: 5 * 1024 ** 3 };
    const { value } = combineChecksums(algorithm, "FULL_OBJECT", new Array(10_000).fill(part));
    expect(Buffer.from(value, "base64")).toHaveLength(algorithm === "CRC64NVME" ? 8 : 4);
  });
});

it("a composite checksum is that of the parts' checksums, with their number", () => {
  const [first, second] = [Buffer.from("first"), Buffer.from("second")];
  const parts = [first, second].map((part) => ({ value: checksum("SHA256", part), size: part.length }));
  const inner = parts.map(({ value }) => Buffer.from(value, "base64"));
  expect(combineChecksums("SHA256", "COMPOSITE", parts)).toEqual({
    algorithm: "SHA256",
    type: "COMPOSITE",
    value: `${checksum("SHA256", ...inner)}-2`,
  });
});

it("algorithms and types that are not to be had together are refused", () => {
  expect(readAlgorithm("crc64nvme")).toBe("CRC64NVME");
  expect(() => readAlgorithm("XXHASH64")).toThrow("does not know");
  expect(() => readAlgorithm("constructor")).toThrow("does not know");
  expect(readChecksumType("CRC32", undefined)).toBe("COMPOSITE");
  expect(readChecksumType("CRC64NVME", undefined)).toBe("FULL_OBJECT");
  expect(() => readChecksumType("CRC64NVME", "COMPOSITE")).toThrow("cannot be used");
  expect(() => readChecksumType("SHA256", "FULL_OBJECT")).toThrow("cannot be used");
});
