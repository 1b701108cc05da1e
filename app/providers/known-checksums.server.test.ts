import { expect, it } from "vitest";
import { KnownChecksums } from "./known-checksums.server";

const all = ["CRC64NVME", "CRC32", null];

it("what a bucket took is tried first, and everything else after it", () => {
  const known = new KnownChecksums();
  expect(known.toTry("a")).toEqual(all);
  known.remember("a", null);
  known.remember("b", "CRC32");
  expect(known.toTry("a")).toEqual([null, "CRC64NVME", "CRC32"]);
  expect(known.toTry("b")).toEqual(["CRC32", "CRC64NVME", null]);
  expect(known.toTry("c")).toEqual(all);
});

it("it is asked anew after an hour", () => {
  let now = 0;
  const known = new KnownChecksums(() => now);
  known.remember("a", null);
  now = 3_599_999;
  expect(known.toTry("a")[0]).toBeNull();
  now = 3_600_000;
  expect(known.toTry("a")).toEqual(all);
});

it("a thousand buckets are remembered, those that were seen last", () => {
  const known = new KnownChecksums();
  for (let number = 0; number < 1_000; number++) known.remember(`bucket-${number}`, null);
  known.remember("bucket-0", null);
  known.remember("one more", null);
  expect(known.toTry("bucket-0")[0]).toBeNull();
  expect(known.toTry("bucket-1")).toEqual(all);
  expect(known.toTry("bucket-2")[0]).toBeNull();
  expect(known.toTry("one more")[0]).toBeNull();
});
