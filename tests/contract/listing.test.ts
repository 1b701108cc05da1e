import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  decodeListed,
  type Endpoint,
  getText,
  openEndpoint,
  presignGet,
  presignPut,
  putText,
} from "./endpoint";

let endpoint: Endpoint;

beforeAll(async () => {
  endpoint = await openEndpoint();
});
afterAll(() => endpoint?.close());

/** Names that a careless store or client bends. `.` and `..` as whole segments are not among them: a path cannot hold them. */
const ODD_NAMES = [
  "a//b",
  "a/",
  "/a",
  "%2e%2e",
  "%",
  "%zz",
  "a b",
  " a ",
  "a+b",
  "a&b=c",
  "a?b#c",
  "a'b\"c<d>",
  "a*b(c)!",
  "a:b@c;d,e$f",
  "a\\b",
  "[a]{b}|^`~",
  "...",
  "naïve.txt",
  "nai\u0308ve.txt",
  "日本語",
  "🌞.txt",
  "\u{10fffd}",
  "\uffee",
  "constructor",
  "__proto__",
];

interface Page {
  keys: string[];
  folders: string[];
}

/** Every page of a listing, by continuation token. `encoded` asks for names by `encoding-type=url`. */
async function listAll(
  prefix: string,
  pageSize: number,
  delimiter?: string,
  encoded = false,
): Promise<Page[]> {
  const decode = encoded ? decodeListed : (name: string) => name;
  const pages: Page[] = [];
  let token: string | undefined;
  do {
    const page = await endpoint.client.send(
      new ListObjectsV2Command({
        Bucket: endpoint.bucket,
        Prefix: prefix,
        Delimiter: delimiter,
        MaxKeys: pageSize,
        ContinuationToken: token,
        EncodingType: encoded ? "url" : undefined,
      }),
    );
    const keys = (page.Contents ?? []).map(({ Key = "" }) => decode(Key));
    const folders = (page.CommonPrefixes ?? []).map(({ Prefix = "" }) => decode(Prefix));
    expect(keys.length + folders.length).toBe(page.KeyCount);
    expect(keys.length + folders.length).toBeLessThanOrEqual(pageSize);
    expect(page.IsTruncated).toBe(page.NextContinuationToken !== undefined);
    pages.push({ keys, folders });
    token = page.NextContinuationToken;
  } while (token !== undefined);
  return pages;
}

function inByteOrder(keys: Iterable<string>): string[] {
  return [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** Every page of a folder, as the product lists it. */
async function listFolder(prefix: string, pageSize: number): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | undefined;
  do {
    const page = await endpoint.product.list({ bucket: endpoint.bucket, prefix, cursor, pageSize });
    pages.push({ keys: page.objects.map((object) => object.key), folders: page.prefixes });
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

describe("a listing", () => {
  it("with a delimiter is complete and has no duplicates at any page size", async () => {
    const prefix = `${endpoint.prefix}tree/`;
    const keys = ["", "a.txt", "b/", "b/1", "b/2", "b/c/1", "b.txt", "b0", "d/e/f/g", "ü/1", "z.txt"].map(
      (name) => prefix + name,
    );
    await Promise.all(keys.map((key) => putText(endpoint, key)));
    for (const pageSize of [1, 7, 1000]) {
      const pages = await listFolder(prefix, pageSize);
      expect(pages.flatMap((page) => page.folders)).toEqual(["b/", "d/", "ü/"].map((name) => prefix + name));
      expect(pages.flatMap((page) => page.keys)).toEqual(
        ["", "a.txt", "b.txt", "b0", "z.txt"].map((name) => prefix + name),
      );
      expect(pages.length).toBe(Math.max(1, Math.ceil(8 / pageSize)));
    }
  });

  it("without a delimiter is in byte order and complete at any page size", async () => {
    const prefix = `${endpoint.prefix}flat/`;
    const keys = inByteOrder(
      ["z", "Z", "a", "\u{1f31e}", "\uffee", "é", "e", "0", "-", "~"].map((name) => prefix + name),
    );
    await Promise.all(keys.map((key) => putText(endpoint, key)));
    for (const pageSize of [1, 7, 1000]) {
      expect((await listAll(prefix, pageSize)).flatMap((page) => page.keys)).toEqual(keys);
    }
  });

  it("of an empty bucket is one empty page", async () => {
    expect(await listFolder(`${endpoint.prefix}nothing/`, 7)).toEqual([{ keys: [], folders: [] }]);
  });

  it("refuses an unknown continuation token and a missing bucket", async () => {
    const { product, bucket, foreign } = endpoint;
    const page = { prefix: "", pageSize: 7 };
    // Swift answers InternalError: a refusal too.
    const code = foreign ? expect.any(String) : "invalid_request";
    await expect(product.list({ ...page, bucket, cursor: "not a token" })).rejects.toMatchObject({ code });
    const missing = `missing-${endpoint.prefix.slice(0, -1)}`;
    await expect(product.list({ ...page, bucket: missing, cursor: undefined })).rejects.toMatchObject({
      code: "bucket_not_found",
    });
  });

  it("contains a file's size, time and ETag", async () => {
    const key = `${endpoint.prefix}described`;
    await putText(endpoint, key, "hello");
    const page = { bucket: endpoint.bucket, prefix: key, cursor: undefined, pageSize: 7 };
    const [file] = (await endpoint.product.list(page)).objects;
    expect(file).toMatchObject({ key, size: 5, etag: '"5d41402abc4b2a76b9719d911017c592"' });
    expect(Math.abs(Date.now() - (file?.lastModified.getTime() ?? 0))).toBeLessThan(15 * 60 * 1000);
  });
});

describe("a key", () => {
  it.each(ODD_NAMES)("%j is unchanged in a listing and a download", async (name) => {
    const key = `${endpoint.prefix}odd/${name}`;
    await putText(endpoint, key, `content of ${name}`);
    expect(await getText(endpoint, key)).toBe(`content of ${name}`);
    const download = await fetch(await presignGet(endpoint, key));
    expect(await download.text()).toBe(`content of ${name}`);
    for (const encoded of [false, true]) {
      const pages = await listAll(key, 1000, undefined, encoded);
      expect(pages.flatMap((page) => page.keys)).toContain(key);
    }
  });

  it("may be 1024 bytes long, and no longer", async () => {
    const longest = endpoint.prefix + "é".repeat(1024).slice(0, (1024 - endpoint.prefix.length) >> 1);
    const key = longest.padEnd(longest.length + 1024 - Buffer.byteLength(longest), "x");
    expect(Buffer.byteLength(key)).toBe(1024);
    await putText(endpoint, key);
    expect(await getText(endpoint, key)).toBe(key);
    // S3 documents a 400; stores call it KeyTooLongError, KeyTooLong and InvalidObjectName.
    await expect(putText(endpoint, `${key}x`)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
  });

  const name = fc
    .string({ unit: "binary", minLength: 1, maxLength: 40 })
    // XML has no room for control characters, and a path none for `.` and `..`.
    .filter(
      (text) => !/[\p{Cc}\ufffe\uffff]/u.test(text) && !text.split("/").some((part) => /^\.\.?$/.test(part)),
    );

  it("with any characters survives put, list and get", async () => {
    const runs = endpoint.foreign ? 10 : 100;
    let run = 0;
    await fc.assert(
      fc.asyncProperty(name, async (text) => {
        const prefix = `${endpoint.prefix}any-${run++}/`;
        const { url, headers } = await presignPut(endpoint, prefix + text);
        expect((await fetch(url, { method: "PUT", body: text, headers })).status).toBe(200);
        expect(await (await fetch(await presignGet(endpoint, prefix + text))).text()).toBe(text);
        expect(await getText(endpoint, prefix + text)).toBe(text);
        expect(await listAll(prefix, 1000)).toEqual([{ keys: [prefix + text], folders: [] }]);
      }),
      { numRuns: runs },
    );
  });

  it("appears once, whatever the keys, the delimiter and the page size", async () => {
    const keyNames = fc.uniqueArray(fc.stringMatching(/^[ab/.é🌞]{1,6}$/u), { minLength: 1, maxLength: 12 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        keyNames,
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (names, pageSize, grouped) => {
          const usable = names.filter((text) => !text.split("/").some((part) => /^\.\.?$/.test(part)));
          const prefix = `${endpoint.prefix}paged-${run++}/`;
          await Promise.all(usable.map((text) => putText(endpoint, prefix + text)));
          const isFolder = (text: string) => grouped && text.includes("/");
          const folders = new Set(
            usable.filter(isFolder).map((text) => text.slice(0, text.indexOf("/") + 1)),
          );
          const pages = await listAll(prefix, pageSize, grouped ? "/" : undefined);
          expect(pages.flatMap((page) => page.keys)).toEqual(
            inByteOrder(usable.filter((text) => !isFolder(text))).map((text) => prefix + text),
          );
          expect(pages.flatMap((page) => page.folders)).toEqual(
            inByteOrder(folders).map((text) => prefix + text),
          );
        },
      ),
      { numRuns: endpoint.foreign ? 5 : 60 },
    );
  });
});
