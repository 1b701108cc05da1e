import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { MiB, partSizeFor } from "../../../../../embed-element/shared/part-sizes";
import {
  abortedUploadSchema,
  completedUploadSchema,
  completeUploadSchema,
  createdUploadSchema,
  createUploadSchema,
  signedPartsSchema,
  signPartsSchema,
  storedPartsSchema,
  uploadHandleSchema,
} from "./uploads-contract.server";

const TiB = 1024 ** 4;
/** Where `value` is out of form, by path. */
const issuesOf = (schema: z.ZodType, value: object) =>
  schema.safeParse(value).error?.issues.map(({ path }) => path.join(".")) ?? [];

it("a part has 8 MiB, or as many whole MiB as 9,000 parts of the file need", () => {
  expect(partSizeFor(1, 8 * MiB)).toBe(8 * MiB);
  expect(partSizeFor(9_000 * 8 * MiB, 8 * MiB)).toBe(8 * MiB);
  expect(partSizeFor(9_000 * 8 * MiB + 1, 8 * MiB)).toBe(9 * MiB);
  expect(partSizeFor(5 * TiB, 8 * MiB)).toBe(583 * MiB);
});

describe("a request", () => {
  const file = { token: "t", bucket: "b", folderPath: "/", fileName: "a.txt", contentType: "a/b", size: 1 };
  const upload = { token: "t", upload: "u" };

  it("to create names a file of 1 byte to 5 TiB", () => {
    expect(createUploadSchema.parse(file)).toEqual({ ...file, ifNoneMatch: false });
    for (const size of [1, 5 * TiB]) expect(issuesOf(createUploadSchema, { ...file, size })).toEqual([]);
    for (const size of [0, 5 * TiB + 1, 1.5, "1", undefined]) {
      expect(issuesOf(createUploadSchema, { ...file, size })).toEqual(["size"]);
    }
    expect(issuesOf(createUploadSchema, { token: "t", more: 1 })).toEqual([
      "bucket",
      "folderPath",
      "fileName",
      "contentType",
      "size",
      "",
    ]);
    const folderPath = `/${"a".repeat(600)}`;
    expect(issuesOf(createUploadSchema, { ...file, folderPath, fileName: "b".repeat(600) })).toEqual([
      "fileName",
    ]);
  });

  it("names its upload by a handle of at most 8,192 characters, and nothing else", () => {
    expect(uploadHandleSchema.parse(upload)).toEqual(upload);
    expect(issuesOf(uploadHandleSchema, { ...upload, upload: "u".repeat(8_192) })).toEqual([]);
    for (const handle of ["", "u".repeat(8_193), 1, undefined]) {
      expect(issuesOf(uploadHandleSchema, { ...upload, upload: handle })).toEqual(["upload"]);
    }
    expect(issuesOf(uploadHandleSchema, { ...upload, bucket: "b" })).toEqual([""]);
  });

  it("to sign names one to a hundred parts, by numbers from 1 to 10,000", () => {
    const sign = (...parts: unknown[]) => issuesOf(signPartsSchema, { ...upload, parts });
    const parts = [{ number: 1, checksum: "AAAAAA==" }, { number: 10_000 }];
    expect(signPartsSchema.parse({ ...upload, parts })).toEqual({ ...upload, parts });
    expect(sign(...Array(100).fill({ number: 1 }))).toEqual([]);
    expect(sign(...Array(101).fill({ number: 1 }))).toEqual(["parts"]);
    expect(sign()).toEqual(["parts"]);
    for (const number of [0, 10_001, 1.5, "1", undefined])
      expect(sign({ number })).toEqual(["parts.0.number"]);
    for (const checksum of ["", "a b", "A".repeat(17), "=", "A===", 1]) {
      expect(sign({ number: 1, checksum })).toEqual(["parts.0.checksum"]);
    }
    const contentMd5 = "gnzLDuqKcGxMNKFokfhOew==";
    expect(sign({ number: 1, contentMd5 })).toEqual([]);
    for (const other of ["", "AAAAAA==", `${contentMd5}=`, contentMd5.replace("w==", "x=="), 1]) {
      expect(sign({ number: 1, contentMd5: other })).toEqual(["parts.0.contentMd5"]);
    }
    expect(sign({ number: 1, url: "x" })).toEqual(["parts.0"]);
    expect(issuesOf(signPartsSchema, { ...upload, parts: [{ number: 1 }], more: 1 })).toEqual([""]);
  });

  it("to complete may have a checksum, and a wish to overwrite", () => {
    const all = { ...upload, checksum: "AAAAAA==", overwrite: true };
    expect(completeUploadSchema.parse(all)).toEqual(all);
    expect(completeUploadSchema.parse(upload)).toEqual(upload);
    expect(issuesOf(completeUploadSchema, { ...upload, checksum: "a b", overwrite: 1, more: 1 })).toEqual([
      "checksum",
      "overwrite",
      "",
    ]);
  });
});

it("a response says all that a page needs", () => {
  expect(issuesOf(createdUploadSchema, {})).toEqual([
    "upload",
    "key",
    "partSize",
    "partCount",
    "checksum",
    "integrity",
  ]);
  const created = { upload: "u", key: "k", partSize: 1, partCount: 1, integrity: null };
  for (const checksum of ["CRC64NVME", "CRC32", null]) {
    expect(issuesOf(createdUploadSchema, { ...created, checksum })).toEqual([]);
  }
  expect(issuesOf(createdUploadSchema, { ...created, checksum: "MD5" })).toEqual(["checksum"]);
  expect(issuesOf(signedPartsSchema, { parts: [{}] })).toEqual([
    "parts.0.number",
    "parts.0.url",
    "parts.0.headers",
    "expiresAt",
    "serverTime",
  ]);
  expect(issuesOf(storedPartsSchema, {})).toEqual(["parts"]);
  expect(issuesOf(storedPartsSchema, { parts: [{ checksum: 1 }] })).toEqual([
    "parts.0.number",
    "parts.0.size",
    "parts.0.checksum",
  ]);
  expect(issuesOf(completedUploadSchema, {})).toEqual(["bucket", "key", "size", "etag"]);
  expect(issuesOf(abortedUploadSchema, { aborted: true })).toEqual([]);
  expect(issuesOf(abortedUploadSchema, { aborted: false })).toEqual([]);
});
