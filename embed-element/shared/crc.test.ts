import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChecksumAlgorithm, checksumAlgorithms } from "./checksums";
import { Crc, combineCrcs, crcFromBase64, crcToBase64 } from "./crc";

function crcOf(algorithm: ChecksumAlgorithm, ...pieces: Uint8Array[]): bigint {
  const crc = new Crc(algorithm);
  for (const piece of pieces) crc.update(piece);
  return crc.value;
}

/** Bit by bit, as the polynomial is defined. */
function slowly(width: number, polynomial: bigint, bytes: Uint8Array): bigint {
  const ones = (1n << BigInt(width)) - 1n;
  let value = ones;
  for (const byte of bytes) {
    value ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) value = value & 1n ? (value >> 1n) ^ polynomial : value >> 1n;
  }
  return value ^ ones;
}

test("the catalogue's check values", () => {
  const check = new TextEncoder().encode("123456789");
  expect(crcOf("CRC64NVME", check)).toBe(0xae8b14860a799888n);
  expect(crcToBase64("CRC64NVME", crcOf("CRC64NVME", check))).toBe("rosUhgp5mIg=");
  expect(crcOf("CRC32", check)).toBe(0xcbf43926n);
  expect(crcToBase64("CRC32", crcOf("CRC32", check))).toBe("y/Q5Jg==");
  expect(checksumAlgorithms.map((algorithm) => crcOf(algorithm))).toEqual([0n, 0n]);
});

describe.each([
  ["CRC64NVME", 64, 0x9a6c9329ac4bc9b5n],
  ["CRC32", 32, 0xedb88320n],
] as const)("%s", (algorithm, width, polynomial) => {
  const bytes = fc.uint8Array({ maxLength: 100 });

  test("is what its definition says, of any bytes in any pieces at any address", () => {
    fc.assert(
      fc.property(bytes, bytes, fc.nat(7), (first, second, offset) => {
        const moved = new Uint8Array(offset + second.length).subarray(offset);
        moved.set(second);
        const all = Uint8Array.of(...first, ...second);
        expect(crcOf(algorithm, first, moved)).toBe(slowly(width, polynomial, all));
      }),
    );
  });

  test("is read from base64 as it was written", () => {
    fc.assert(
      fc.property(bytes, (all) => {
        const crc = crcOf(algorithm, all);
        expect(crcFromBase64(crcToBase64(algorithm, crc))).toBe(crc);
      }),
    );
  });

  test("of a whole follows from those of its parts", () => {
    fc.assert(
      fc.property(bytes, bytes, (first, second) => {
        const sums = [first, second].map((part) => crcOf(algorithm, part)) as [bigint, bigint];
        const whole = crcOf(algorithm, first, second);
        expect(combineCrcs(algorithm, ...sums, second.length)).toBe(whole);
      }),
    );
  });

  test("of a long whole, too", () => {
    const part = new Uint8Array(8 * 1024 ** 2).map((_, index) => index * 31 + (index >> 9));
    const last = part.subarray(0, 1_234_567);
    const combined = combineCrcs(
      algorithm,
      combineCrcs(algorithm, crcOf(algorithm, part), crcOf(algorithm, part), part.length),
      crcOf(algorithm, last),
      last.length,
    );
    expect(combined).toBe(crcOf(algorithm, part, part, last));
  });
});
