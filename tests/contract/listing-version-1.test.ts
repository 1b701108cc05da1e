import { ListObjectsCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeListed, type Endpoint, openEndpoint, putText } from "./endpoint";

let endpoint: Endpoint;

beforeAll(async () => {
  endpoint = await openEndpoint();
  const names = ["a b.txt", "folder/", "folder/1", "folder/2", "other/1", "x+y", "z", "é/1"];
  await Promise.all(names.map((name) => putText(endpoint, endpoint.prefix + name)));
});
afterAll(() => endpoint?.close());

/** Every page, as a client of ListObjects version 1 turns them: by NextMarker, and without one by the last key. */
async function listAll(pageSize: number, delimiter?: string, encoded = false) {
  const decode = encoded ? decodeListed : (name: string) => name;
  const found: { keys: string[]; folders: string[]; pages: number } = { keys: [], folders: [], pages: 0 };
  let marker: string | undefined;
  for (let truncated = true; truncated; ) {
    const page = await endpoint.client.send(
      new ListObjectsCommand({
        Bucket: endpoint.bucket,
        Prefix: endpoint.prefix,
        Delimiter: delimiter,
        MaxKeys: pageSize,
        Marker: marker,
        EncodingType: encoded ? "url" : undefined,
      }),
    );
    const keys = (page.Contents ?? []).map(({ Key = "" }) => decode(Key));
    const folders = (page.CommonPrefixes ?? []).map(({ Prefix = "" }) => decode(Prefix));
    expect(keys.length + folders.length).toBeLessThanOrEqual(pageSize);
    truncated = page.IsTruncated ?? false;
    if (truncated && delimiter !== undefined) expect(page.NextMarker).toBeTruthy();
    marker = page.NextMarker === undefined ? keys.at(-1) : decode(page.NextMarker);
    found.keys.push(...keys);
    found.folders.push(...folders);
    found.pages += 1;
    // An endless listing would be one that does not continue from its marker.
    expect(found.pages).toBeLessThan(20);
  }
  return found;
}

describe.each([false, true])("ListObjects version 1, with names encoded: %s", (encoded) => {
  it.each([1, 3, 1000])("lists every key once, in pages of %i", async (pageSize) => {
    const { keys, folders } = await listAll(pageSize, undefined, encoded);
    expect(keys.map((key) => key.slice(endpoint.prefix.length))).toEqual([
      "a b.txt",
      "folder/",
      "folder/1",
      "folder/2",
      "other/1",
      "x+y",
      "z",
      "é/1",
    ]);
    expect(folders).toEqual([]);
  });

  it.each([1, 3, 1000])("groups keys into folders, in pages of %i", async (pageSize) => {
    const { keys, folders, pages } = await listAll(pageSize, "/", encoded);
    expect(keys.map((key) => key.slice(endpoint.prefix.length))).toEqual(["a b.txt", "x+y", "z"]);
    expect(folders.map((key) => key.slice(endpoint.prefix.length))).toEqual(["folder/", "other/", "é/"]);
    expect(pages).toBe(Math.ceil(6 / pageSize));
  });
});
