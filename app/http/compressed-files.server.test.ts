import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compressedFiles } from "./compressed-files.server";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "compressed-files-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("a compressed file", () => {
  it("is made once for each encoding, also for requests at the same time", async () => {
    await writeFile(join(folder, "a.js"), "content");
    const read = compressedFiles(folder);
    const [first, second] = await Promise.all([read("/a.js", "gzip"), read("/a.js", "gzip")]);
    expect(second).toBe(first);
    expect(await read("/a.js", "gzip")).toBe(first);
    const other = await read("/a.js", "br");
    expect(gunzipSync(first.bytes).toString()).toBe("content");
    expect(brotliDecompressSync(other.bytes).toString()).toBe("content");
    expect(other.etag).not.toBe(first.etag);
  });

  it("that cannot be read is tried again by the next request", async () => {
    const read = compressedFiles(folder);
    await expect(read("/a.js", "gzip")).rejects.toThrow("ENOENT");
    await writeFile(join(folder, "a.js"), "content");
    expect(gunzipSync((await read("/a.js", "gzip")).bytes).toString()).toBe("content");
  });
});
