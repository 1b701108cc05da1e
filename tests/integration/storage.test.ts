import { beforeAll, describe, expect, inject, it } from "vitest";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import { makeBucket, type TestBucket } from "../support/bucket";
import { issueEmbedUrl, makeEmbedClient, type TestEmbedClient } from "../support/embed-client";

const stack = inject("stack");
let bucket: TestBucket;
let client: TestEmbedClient;
/** reaches the whole bucket */
let token: string;
/** browses /docs, uploads to /docs/in */
let narrow: string;

beforeAll(async () => {
  bucket = await makeBucket(stack);
  client = await makeEmbedClient(stack, { bucket: bucket.name });
  ({ token } = await issueEmbedUrl(stack, client));
  ({ token: narrow } = await issueEmbedUrl(stack, client, {
    scope: { path: "/docs", uploadFolder: "/docs/in" },
  }));
  await bucket.put("readme.txt", "root");
  await bucket.put("docs/a.txt", "a");
  await bucket.put("docs/in/b.txt", "b");
  await bucket.put("docs-old/c.txt", "c");
  await bucket.put("docs/", "");
  await bucket.put("docs//ghost.txt", "x");
  await bucket.put("%2e%2e/é ü.txt", "odd");
});

async function ask(what: "list" | "presign-upload" | "presign-download" | "diagnose", body: object) {
  const response = await fetch(`${stack.platformBaseUrl}/api/embed/storage/${what}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, bucket: bucket.name, ...body }),
  });
  return { status: response.status, body: await response.json() };
}
const upload = (body: object = {}) =>
  ask("presign-upload", { folderPath: "/", fileName: "new.txt", contentType: "text/plain", ...body });
const download = (body: object) => ask("presign-download", body);
const list = (body: object = {}) => ask("list", body);
const payload = {
  cid: "c",
  companyId: "c",
  svc: "files",
  scope: {},
  origins: [],
  iat: 0,
  exp: 4_000_000_000,
};

describe("a token that does not count", () => {
  const now = Math.floor(Date.now() / 1000);
  const sign = (changes: object, secret = stack.embedSigningSecret) =>
    signEmbedToken({ ...payload, scope: { bucket: bucket.name }, ...changes }, secret);
  const cases: [string, () => string, number, string][] = [
    ["forged", () => sign({}, "another secret"), 401, "invalid_token"],
    ["truncated", () => sign({}).slice(0, -1), 401, "invalid_token"],
    ["re-encoded with padding", () => `${sign({})}=`, 401, "invalid_token"],
    ["not a token", () => "nonsense", 401, "invalid_token"],
    ["expired", () => sign({ exp: now - 1 }), 401, "token_expired"],
    ["for another service", () => sign({ svc: "notif" }), 403, "scope_not_allowed"],
    ["signed with a scope out of shape", () => sign({ scope: { bucket: 1 } }), 401, "invalid_token"],
  ];
  it.each(cases)("because it is %s is refused everywhere", async (_, make, status, code) => {
    const body = { token: make() };
    expect(await list(body)).toMatchObject({ status, body: { code } });
    expect(await upload(body)).toMatchObject({ status, body: { code } });
    expect(await download({ ...body, key: "readme.txt" })).toMatchObject({ status, body: { code } });
    expect(await ask("diagnose", { ...body, operation: "upload" })).toMatchObject({ status, body: { code } });
  });
});

describe("a path out of form", () => {
  const paths = ["docs", "/docs/", "//", "/a//b", "/../x", "/a/./b", "/a\\b", "/a\0b", "/\u0007", ""];
  it.each(paths)("%j is refused as a folder, never repaired", async (folderPath) => {
    const answer = { status: 400, body: { code: "invalid_request", issues: [{ path: "folderPath" }] } };
    expect(await list({ folderPath })).toMatchObject(answer);
    expect(await upload({ folderPath })).toMatchObject(answer);
    expect(await download({ folderPath, fileName: "a" })).toMatchObject(answer);
  });

  it.each(["", ".", "..", "a/b", "../b", "a\\b", "a\0b", "\ud800"])(
    "%j is refused as a file name",
    async (name) => {
      const answer = { status: 400, body: { code: "invalid_request", issues: [{ path: "fileName" }] } };
      expect(await upload({ fileName: name })).toMatchObject(answer);
      expect(await download({ folderPath: "/", fileName: name })).toMatchObject(answer);
    },
  );

  it.each(["", "/readme.txt", "docs/", "docs/../readme.txt", "docs//ghost.txt", "a\\b"])(
    "%j is refused as a key",
    async (key) => {
      expect(await download({ key })).toMatchObject({ status: 400, body: { issues: [{ path: "key" }] } });
    },
  );

  it("does not include a literal %2e%2e, which is an ordinary name", async () => {
    const { body } = await list({ folderPath: "/%2e%2e" });
    expect(body.files).toMatchObject([{ name: "é ü.txt", key: "%2e%2e/é ü.txt" }]);
    const presigned = await download({ key: "%2e%2e/é ü.txt" });
    expect(await (await fetch(presigned.body.url)).text()).toBe("odd");
  });
});

describe("the scope of a token", () => {
  const denied = { status: 403, body: { code: "scope_not_allowed" } };

  it("ends at its bucket", async () => {
    const body = { bucket: stack.objectStore.bucket };
    expect(await list(body)).toMatchObject(denied);
    expect(await upload(body)).toMatchObject(denied);
    expect(await download({ ...body, key: "readme.txt" })).toMatchObject(denied);
  });

  it("ends at its path, by whole segments", async () => {
    const body = { token: narrow };
    expect((await list(body)).body.files.map(({ name }: { name: string }) => name)).toEqual(["a.txt"]);
    expect(await list({ ...body, folderPath: "/" })).toMatchObject(denied);
    expect(await list({ ...body, folderPath: "/docs-old" })).toMatchObject(denied);
    expect(await download({ ...body, key: "readme.txt" })).toMatchObject(denied);
    expect(await download({ ...body, key: "docs-old/c.txt" })).toMatchObject(denied);
    expect(await download({ ...body, folderPath: "/docs-old", fileName: "c.txt" })).toMatchObject(denied);
    expect((await download({ ...body, key: "docs/in/b.txt" })).status).toBe(200);
  });

  it("holds what is below its path, not an object whose name is the folder's", async () => {
    await bucket.put("docs", "an object, not the folder");
    const body = { token: narrow };
    expect(await download({ ...body, key: "docs" })).toMatchObject(denied);
    expect(await download({ ...body, folderPath: "/", fileName: "docs" })).toMatchObject(denied);
    expect((await list({ ...body, folderPath: "/docs" })).status).toBe(200);
    expect((await upload({ ...body, folderPath: "/docs/in" })).status).toBe(200);
    expect((await download({ key: "docs" })).status).toBe(200);
  });

  it("lets uploads into its upload folder and nowhere else", async () => {
    const body = { token: narrow };
    expect(await upload({ ...body, folderPath: "/docs" })).toMatchObject(denied);
    expect(await upload({ ...body, folderPath: "/docs/inbox" })).toMatchObject(denied);
    expect((await upload({ ...body, folderPath: "/docs/in/deeper" })).status).toBe(200);
  });

  it("lets uploads into its path where it has no upload folder", async () => {
    const { token: browsing } = await issueEmbedUrl(stack, client, { scope: { path: "/docs" } });
    expect((await upload({ token: browsing, folderPath: "/docs" })).status).toBe(200);
    expect(await upload({ token: browsing, folderPath: "/" })).toMatchObject(denied);
  });
});

describe("presign-upload", () => {
  const put = (presigned: { url: string; headers: HeadersInit }, body: string, headers: HeadersInit = {}) =>
    fetch(presigned.url, { method: "PUT", headers: { ...presigned.headers, ...headers }, body });

  it("answers what a browser needs to put one file", async () => {
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

  it("signs the content type and, when given, the size", async () => {
    const { body } = await upload({ fileName: "signed.txt", size: 5 });
    expect((await put(body, "hello", { "Content-Type": "text/html" })).status).toBe(403);
    expect((await put(body, "hello, world")).status).toBe(403);
    expect(await bucket.get("signed.txt")).toBeNull();
  });

  it("signs If-None-Match on request, so that nothing is overwritten", async () => {
    const { body } = await upload({ fileName: "readme.txt", ifNoneMatch: true });
    expect(body.headers["If-None-Match"]).toBe("*");
    expect((await put(body, "other")).status).toBe(412);
    const { "If-None-Match": _, ...without } = body.headers;
    expect((await put({ ...body, headers: without }, "other")).status).toBe(403);
    expect(String(await bucket.get("readme.txt"))).toBe("root");
  });

  it("lives no longer than its token", async () => {
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
  it("takes a key, or a folder and a name, and answers a URL that gives the bytes", async () => {
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

  it("signs a URL for what is not there all the same", async () => {
    const { status, body } = await download({ key: "types/gone.png", disposition: "inline" });
    expect(status).toBe(200);
    expect((await fetch(body.url)).status).toBe(404);
  });

  it("refuses both ways of naming a file at once, and neither", async () => {
    expect((await download({ key: "a", folderPath: "/", fileName: "a" })).status).toBe(400);
    expect((await download({})).status).toBe(400);
  });
});

describe("list", () => {
  it("answers folders, then files, without what cannot be named", async () => {
    const { status, body } = await list({ folderPath: "/docs" });
    expect(status).toBe(200);
    expect(body.folders).toEqual([{ name: "in", path: "/docs/in" }]);
    expect(body.files[0]).toMatchObject({ name: "a.txt", key: "docs/a.txt", size: 1 });
    expect(Date.parse(body.files[0].lastModified)).toBeGreaterThan(Date.now() - 60_000);
    expect(body.files[0].etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(body.nextCursor).toBeNull();
  });

  it("goes on from its cursor, and shows each file once", async () => {
    const names = Array.from({ length: 25 }, (_, at) => `page-${String(at).padStart(2, "0")}.txt`);
    await Promise.all(names.map((name) => bucket.put(`many/${name}`, name)));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await list({ folderPath: "/many", pageSize: 10, ...(cursor ? { cursor } : {}) });
      seen.push(...body.files.map(({ name }: { name: string }) => name));
      cursor = body.nextCursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(names);
  });

  it("says which cursor is none of its own", async () => {
    expect(await list({ cursor: "made-up" })).toMatchObject({
      status: 400,
      body: { issues: [{ path: "cursor" }] },
    });
  });

  it("says that a bucket does not exist", async () => {
    const lost = await makeEmbedClient(stack, { bucket: "no-such-bucket" });
    const { token: lostToken } = await issueEmbedUrl(stack, lost);
    expect(await list({ token: lostToken, bucket: "no-such-bucket" })).toMatchObject({
      status: 404,
      body: { code: "bucket_not_found" },
    });
  });

  it.each([0, 1001, 1.5, "10"])("refuses the page size %j", async (pageSize) => {
    expect(await list({ pageSize })).toMatchObject({ status: 400, body: { issues: [{ path: "pageSize" }] } });
  });
});
