import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { FilesClient } from "platform-embed-element/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchObject } from "./fetch-object";

const packed = gzipSync(Buffer.alloc(1_000_000));
const store = createServer((_, response) => {
  response.writeHead(200, { "Content-Encoding": "gzip", "Content-Length": packed.length });
  response.end(packed);
});
beforeAll(() => once(store.listen(0, "127.0.0.1"), "listening"));
afterAll(() => store.close());

const read = (limit: number) => {
  const url = `http://127.0.0.1:${(store.address() as AddressInfo).port}/`;
  const client = { downloads: { url: async () => url } } as unknown as FilesClient;
  return fetchObject(client, { key: "photo.heic" }, limit, AbortSignal.timeout(10_000));
};

test("a file that its content encoding unpacks to more than is previewed is not read to its end", async () => {
  expect(packed.length).toBeLessThan(2_000);
  await expect(read(100_000)).rejects.toMatchObject({ code: "failed" });
});

test("a file with a content encoding is previewed up to the limit", async () => {
  await expect(read(1_000_000)).resolves.toHaveLength(1_000_000);
});
