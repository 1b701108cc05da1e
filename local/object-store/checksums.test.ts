import { expect, it } from "vitest";
import type { ChecksumAlgorithm } from "../../embed-element/shared/checksums";
import { Crc, crcToBase64 } from "../../embed-element/shared/crc";
import { combineChecksums, readAlgorithm, readChecksumType } from "./checksums";

function checksum(algorithm: ChecksumAlgorithm, bytes: Uint8Array): string {
  const crc = new Crc(algorithm);
  crc.update(bytes);
  return crcToBase64(algorithm, crc.value);
}

// "123456789" is the check input of the catalogue of parametrised CRC algorithms.
it.each([
  ["CRC32", "cbf43926"],
  ["CRC64NVME", "ae8b14860a799888"],
] as const)("%s of a whole object follows from those of its parts", (algorithm, hex) => {
  const parts = ["1234", "", "56789"].map((text) => ({
    value: checksum(algorithm, Buffer.from(text)),
    size: text.length,
  }));
  expect(combineChecksums(algorithm, "FULL_OBJECT", parts)).toEqual({
    algorithm,
    type: "FULL_OBJECT",
    value: Buffer.from(hex, "hex").toString("base64"),
  });
});

it("a composite checksum is that of the parts' checksums, with their number", () => {
  const values = ["first", "second"].map((text) => checksum("CRC32", Buffer.from(text)));
  const inner = Buffer.concat(values.map((value) => Buffer.from(value, "base64")));
  const parts = values.map((value) => ({ value, size: 1 }));
  const { value } = combineChecksums("CRC32", "COMPOSITE", parts);
  expect(value).toBe(`${checksum("CRC32", inner)}-2`);
});

it("algorithms and types that S3 does not combine are refused", () => {
  expect(readAlgorithm("crc64nvme")).toBe("CRC64NVME");
  expect(() => readAlgorithm("XXHASH64")).toThrow("does not support");
  expect(() => readAlgorithm("constructor")).toThrow("does not support");
  expect(readChecksumType("CRC32", undefined)).toBe("COMPOSITE");
  expect(readChecksumType("CRC64NVME", undefined)).toBe("FULL_OBJECT");
  expect(() => readChecksumType("CRC64NVME", "COMPOSITE")).toThrow("cannot be used");
  expect(() => readChecksumType("CRC32", "ANY")).toThrow("cannot be used");
});
