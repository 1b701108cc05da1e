import { beforeAll, describe, expect, inject, it } from "vitest";
import { issueEmbedUrl, postEmbedUrl } from "../support/app/embed-client";
import { openStorage, type StorageCalls } from "../support/files/storage-calls";

const stack = inject("stack");
let { bucket, client, ask, upload, download } = {} as StorageCalls;
beforeAll(async () => {
  ({ bucket, client, ask, upload, download } = await openStorage(stack));
});

describe("presign-upload", () => {
  const put = (presigned: { url: string; headers: HeadersInit }, body: string, headers: HeadersInit = {}) =>
    fetch(presigned.url, { method: "PUT", headers: { ...presigned.headers, ...headers }, body });

  it("returns all that a browser needs to upload one file", async () => {
    const { status, body } = await upload({ folderPath: "/in", fileName: "a b.txt", size: 5 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      method: "PUT",
      headers: { "Content-Type": "text/plain" },
      bucket: bucket.name,
      key: "in/a b.txt",
    });
    expect(body.expiresAt - Date.now() / 1000).toBeGreaterThan(290);
    expect(body.expiresAt - Date.now() / 1000).toBeLessThanOrEqual(300);
    expect((await put(body, "hello")).status).toBe(200);
    expect(String(await bucket.get("in/a b.txt"))).toBe("hello");
  });

  it("needs no header but Content-Type for the five required members alone, and the upload is recorded", async () => {
    const { body } = await upload({ folderPath: "/spec/", fileName: "plain.txt" });
    expect(body).toMatchObject({ key: "spec/plain.txt", headers: { "Content-Type": "text/plain" } });
    expect(Object.keys(body.headers)).toEqual(["Content-Type"]);
    const sent = await fetch(body.url, {
      method: "PUT",
      headers: { "Content-Type": "text/plain" },
      body: "hello",
    });
    expect(sent.status).toBe(200);
    expect(String(await bucket.get("spec/plain.txt"))).toBe("hello");
    const uploaded = await ask("uploaded", { bucket: bucket.name, keys: ["spec/plain.txt"] });
    expect(uploaded.body).toMatchObject({ uploaded: [{ key: "spec/plain.txt", size: 5 }] });
  });

  it("signs the content type and, when given, the size", async () => {
    const { body } = await upload({ fileName: "signed.txt", size: 5 });
    expect((await put(body, "hello", { "Content-Type": "text/html" })).status).toBe(403);
    expect((await put(body, "hello, world")).status).toBe(403);
    expect(await bucket.get("signed.txt")).toBeNull();
  });

  it("signs If-None-Match on request to prevent overwriting", async () => {
    const { body } = await upload({ fileName: "taken later.txt", ifNoneMatch: true });
    expect(body.headers["If-None-Match"]).toBe("*");
    await bucket.put("taken later.txt", "taken");
    expect((await put(body, "other")).status).toBe(412);
    const { "If-None-Match": _, ...without } = body.headers;
    expect((await put({ ...body, headers: without }, "other")).status).toBe(403);
    expect(String(await bucket.get("taken later.txt"))).toBe("taken");
  });

  it("refuses a name that is taken already, because a store other than Amazon S3 may ignore If-None-Match", async () => {
    const refused = await upload({ fileName: "readme.txt", ifNoneMatch: true });
    expect(refused).toMatchObject({ status: 409, body: { code: "name_taken" } });
    expect((await upload({ fileName: "readme.txt" })).status).toBe(200);
  });

  it.each([
    ["CRC32", "NhCmhg==", "AAAAAA=="],
    ["CRC64NVME", "M3eFcAZSQlc=", "AAAAAAAAAAA="],
  ])("signs a %s, and the store takes no other bytes", async (algorithm, value, other) => {
    const fileName = `checked by ${algorithm}.txt`;
    const { status, body } = await upload({ fileName, checksum: { algorithm, value } });
    expect([status, body.headers]).toEqual([
      200,
      {
        "Content-Type": "text/plain",
        [`x-amz-checksum-${algorithm.toLowerCase()}`]: value,
        "x-amz-meta-platform-embed-upload": expect.any(String),
      },
    ]);
    const corrupted = await put(body, "hellp");
    expect([corrupted.status, await corrupted.text()]).toEqual([
      400,
      expect.stringContaining("<Code>BadDigest</Code>"),
    ]);
    expect(await bucket.get(fileName)).toBeNull();
    const swapped = { [`x-amz-checksum-${algorithm.toLowerCase()}`]: other };
    expect((await put(body, "hello", swapped)).status).toBe(403);
    expect((await fetch(body.url, { method: "PUT", body: "hello" })).status).toBe(403);
    expect((await put(body, "hello")).status).toBe(200);
    expect(String(await bucket.get(fileName))).toBe("hello");
  });

  it.each([
    [{ algorithm: "MD5", value: "AAAAAA==" }, "checksum.algorithm"],
    [{ algorithm: "CRC32", value: "a b" }, "checksum.value"],
    [{ algorithm: "CRC32", value: "A".repeat(17) }, "checksum.value"],
    [{ algorithm: "CRC32" }, "checksum.value"],
    [{ algorithm: "CRC32", value: "AAAAAA==", more: 1 }, "checksum"],
    ["AAAAAA==", "checksum"],
  ])("refuses the checksum %j", async (checksum, path) => {
    expect(await upload({ checksum })).toMatchObject({ status: 400, body: { issues: [{ path }] } });
  });

  it("expires no later than its token", async () => {
    const { token: brief, expiresAt } = await issueEmbedUrl(stack, client, { expiresInSeconds: 60 });
    expect((await upload({ token: brief })).body.expiresAt).toBe(expiresAt);
  });

  it.each(["", "text", "text/", "text/plain\r\nx: y", "a b/c", 1, undefined])(
    "refuses the content type %j",
    async (contentType) => {
      expect(await upload({ contentType })).toMatchObject({
        status: 400,
        body: { issues: [{ path: "contentType" }] },
      });
    },
  );

  it.each([-1, 1.5, 5 * 1024 ** 3 + 1, "5"])("refuses the size %j", async (size) => {
    expect(await upload({ size })).toMatchObject({ status: 400, body: { issues: [{ path: "size" }] } });
  });

  it("refuses a name that makes the key too long", async () => {
    const body = { folderPath: `/${"a".repeat(600)}`, fileName: "b".repeat(600) };
    expect(await upload(body)).toMatchObject({ status: 400, body: { issues: [{ path: "fileName" }] } });
  });
});

describe("presign-download", () => {
  it("accepts a key, or a folder and a name, and returns a URL that downloads the bytes", async () => {
    const byKey = await download({ key: "docs/a.txt" });
    const byFolder = await download({ folderPath: "/docs", fileName: "a.txt" });
    for (const { status, body } of [byKey, byFolder]) {
      expect(status).toBe(200);
      expect(body).toMatchObject({ method: "GET", bucket: bucket.name, key: "docs/a.txt" });
      expect(await (await fetch(body.url)).text()).toBe("a");
    }
  });

  it("gives the download its exact name", async () => {
    await bucket.put('docs/über "x" 100%.txt', "named");
    const { body } = await download({ key: 'docs/über "x" 100%.txt' });
    const answer = await fetch(body.url);
    expect(answer.headers.get("Content-Disposition")).toBe(
      "attachment; filename=\"_ber _x_ 100_.txt\"; filename*=UTF-8''%C3%BCber%20%22x%22%20100%25.txt",
    );
    const inline = await download({ key: "docs/a.txt", disposition: "inline" });
    expect((await fetch(inline.body.url)).headers.get("Content-Disposition")).toMatch(/^inline;/);
  });

  it.each([
    ["page.html", "text/html", "application/octet-stream"],
    ["logo.svg", "image/svg+xml", "application/octet-stream"],
    ["x.xhtml", "video/any+xml", "application/octet-stream"],
    ["worker.js", "text/javascript", "application/octet-stream"],
    ["photo.png", "image/png", "image/png"],
    ["report.pdf", "application/pdf", "application/pdf"],
    ["notes.txt", "text/plain; charset=utf-8", "text/plain; charset=utf-8"],
    ["film.mp4", "binary/octet-stream", "video/mp4"],
  ])("shows %s, stored as %s, as %s, and hands it over as mere bytes", async (name, stored, shown) => {
    await bucket.put(`types/${name}`, "x", stored);
    const typeOf = async (disposition: string) => {
      const { body } = await download({ key: `types/${name}`, disposition });
      return (await fetch(body.url)).headers.get("Content-Type");
    };
    expect(await typeOf("inline")).toBe(shown);
    expect(await typeOf("attachment")).toBe("application/octet-stream");
  });

  it("signs URLs for missing objects too", async () => {
    const { status, body } = await download({ key: "types/gone.png", disposition: "inline" });
    expect(status).toBe(200);
    expect((await fetch(body.url)).status).toBe(404);
  });

  it("refuses a request with both ways of naming a file, or with none", async () => {
    expect((await download({ key: "a", folderPath: "/", fileName: "a" })).status).toBe(400);
    expect((await download({})).status).toBe(400);
  });
});

describe("a token that allows less", () => {
  const tokenOf = async (scope: object) => (await issueEmbedUrl(stack, client, { scope })).token;

  it("is issued as requested, and refused beyond the policy", async () => {
    const refused = await postEmbedUrl(stack, client.apiKey, {
      service: "files",
      scope: { bucket: bucket.name, actions: ["delete"] },
    });
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: "scope_not_allowed" }]);
  });

  it("gets no URLs for uploads and downloads that it does not allow", async () => {
    const token = await tokenOf({ actions: [] });
    for (const response of [await upload({ token }), await download({ token, key: "readme.txt" })]) {
      expect(response).toMatchObject({ status: 403, body: { code: "scope_not_allowed" } });
    }
  });

  it("gets no URLs for uploads beyond its limits, and must state the size", async () => {
    const token = await tokenOf({ limits: { maxFileBytes: 5, fileTypes: ["text/plain"] } });
    expect(await upload({ token, size: 5 })).toMatchObject({ status: 200 });
    expect(await upload({ token, size: 6 })).toMatchObject({ status: 403, body: { code: "too_large" } });
    expect(await upload({ token })).toMatchObject({ status: 400, body: { issues: [{ path: "size" }] } });
    const image = { token, size: 1, contentType: "image/png" };
    expect(await upload(image)).toMatchObject({ status: 403, body: { code: "type_not_allowed" } });
    const page = { token: await tokenOf({ limits: { fileTypes: ["image/*"] } }), contentType: "image/png" };
    expect(await upload({ ...page, fileName: "page.html" })).toMatchObject({
      status: 403,
      body: { code: "type_not_allowed" },
    });
    expect(await upload({ ...page, fileName: "page.png" })).toMatchObject({ status: 200 });
  });
});

describe("presign-downloads", () => {
  const several = (body: object) => ask("presign-downloads", body);

  it("signs the keys in order, and reports those that may not be read", async () => {
    const { token } = await issueEmbedUrl(stack, client, { scope: { path: "/docs" } });
    const { status, body } = await several({ token, keys: ["docs/in/b.txt", "readme.txt", "docs/a.txt"] });
    expect(status).toBe(200);
    expect(body.downloads).toEqual([
      { key: "docs/in/b.txt", url: expect.any(String) },
      { key: "readme.txt", error: "scope_not_allowed" },
      { key: "docs/a.txt", url: expect.any(String) },
    ]);
    expect(await (await fetch(body.downloads[2].url)).text()).toBe("a");
    expect(body.expiresAt).toBeGreaterThan(Date.now() / 1000);
  });

  it.each([[[]], [Array(101).fill("a")], [["x".repeat(1025)]], [["a", ""]], ["a"]])(
    "refuses %j",
    async (keys) => {
      expect((await several({ keys })).status).toBe(400);
    },
  );

  it("signs none for a token that allows no download", async () => {
    const { token } = await issueEmbedUrl(stack, client, { scope: { actions: ["upload"] } });
    const { body } = await several({ token, keys: ["readme.txt"] });
    expect(body.downloads).toEqual([{ key: "readme.txt", error: "scope_not_allowed" }]);
  });
});
