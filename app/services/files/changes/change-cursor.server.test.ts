import { expect, it } from "vitest";
import type { ServiceTools } from "../../../embed/service";
import { MAX_CHANGE_CURSOR_LENGTH } from "../place/contract/storage-contract.server";
import { continueRequest, type Progress } from "./change-cursor.server";

const tools = { signingSecrets: ["secret"], nowSeconds: 1_000 } as unknown as ServiceTools;
const request = { companyId: "c", bucket: "b" };
const cursorAt = (progress: Progress) => continueRequest(request, undefined, tools).cursorAt(progress) ?? "";

it("a cursor holds as many large copies as are begun at once, whatever their keys", () => {
  const large = Array.from({ length: 16 }, (_, index) => ({
    index,
    key: "\u0001".repeat(1_024),
    uploadId: "u".repeat(250),
    mark: "m".repeat(36),
    size: 5 * 1024 ** 4,
    etag: "e".repeat(40),
  }));
  const progress = { index: 999, after: "k".repeat(1_024), numbers: Array(1_000).fill(999), large };
  const cursor = cursorAt(progress);
  expect(cursor.length).toBeLessThanOrEqual(MAX_CHANGE_CURSOR_LENGTH);
  expect(continueRequest(request, cursor, tools).progress).toEqual(progress);
});

it("a cursor tells its caller nothing", () => {
  const large = {
    index: 0,
    key: "docs/film.mp4",
    uploadId: "upload-7",
    mark: "mark-7",
    size: 7,
    etag: "etag-7",
  };
  const cursor = cursorAt({ index: 0, after: "docs/last.txt", large: [large] });
  const read = cursor
    .split(".")
    .map((part) => Buffer.from(part, "base64url").toString("latin1"))
    .join();
  expect(read).not.toMatch(/docs|upload-7|mark-7|etag-7|index/);
});

it("a cursor serves its own request, for a day, if we have made it", () => {
  const cursor = cursorAt({ index: 7 });
  const read = (changes: Partial<ServiceTools>, bucket = "b") =>
    continueRequest({ ...request, bucket }, cursor, { ...tools, ...changes }).progress;
  expect(read({ nowSeconds: 1_000 + 24 * 3600 - 1, signingSecrets: ["newer", "secret"] })).toEqual({
    index: 7,
  });
  const refused = expect.objectContaining({ code: "invalid_request" });
  expect(() => read({}, "another")).toThrow(refused);
  expect(() => read({ nowSeconds: 1_000 + 24 * 3600 })).toThrow(refused);
  expect(() => read({ signingSecrets: ["newer"] })).toThrow(refused);
  for (const changed of [cursor.slice(0, -4), `${cursor}AAAA`, cursor.replace(/^./, "B"), "x", "x.y"])
    expect(() => continueRequest(request, changed, tools)).toThrow(refused);
});
