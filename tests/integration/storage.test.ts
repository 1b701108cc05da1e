import { beforeAll, describe, expect, inject, it } from "vitest";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import { issueEmbedUrl, makeEmbedClient } from "../support/app/embed-client";
import { openStorage, type StorageCalls } from "../support/files/storage-calls";

const stack = inject("stack");
let { bucket, client, narrow, ask, upload, download, list } = {} as StorageCalls;
beforeAll(async () => {
  ({ bucket, client, narrow, ask, upload, download, list } = await openStorage(stack));
});

const payload = {
  cid: "c",
  companyId: "c",
  svc: "files",
  scope: {},
  origins: [],
  iat: 0,
  exp: 4_000_000_000,
};

describe("an invalid token", () => {
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
  it.each(cases)("that is %s is refused everywhere", async (_, make, status, code) => {
    const body = { token: make() };
    expect(await list(body)).toMatchObject({ status, body: { code } });
    expect(await upload(body)).toMatchObject({ status, body: { code } });
    expect(await download({ ...body, key: "readme.txt" })).toMatchObject({ status, body: { code } });
    expect(await ask("diagnose", { ...body, operation: "upload" })).toMatchObject({ status, body: { code } });
  });
});

describe("a malformed path", () => {
  const paths = ["docs", "/docs//", "//", "/a//b", "/../x", "/a/./b", "/a\\b", "/a\0b", "/\u0007", ""];
  it.each(paths)("%j is refused as a folder, not repaired", async (folderPath) => {
    const answer = { status: 400, body: { code: "invalid_request", issues: [{ path: "folderPath" }] } };
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

  it.each(["docs", "", `/${"a".repeat(1024)}`])(
    "%j is refused as a folder that may exist, because each has one path",
    async (folderPath) => {
      const answer = { status: 400, body: { code: "invalid_request", issues: [{ path: "folderPath" }] } };
      expect(await list({ folderPath })).toMatchObject(answer);
    },
  );

  it.each(["", "a".repeat(1025), "\ud800"])("%j is refused as a key", async (key) => {
    expect(await download({ key })).toMatchObject({ status: 400, body: { issues: [{ path: "key" }] } });
  });

  it("may end with a slash, which counts for nothing", async () => {
    const { key } = (await upload({ folderPath: "/in/slash/", fileName: "a.txt" })).body;
    expect(key).toBe("in/slash/a.txt");
    expect((await download({ folderPath: "/%2e%2e/", fileName: "é ü.txt" })).body.key).toBe("%2e%2e/é ü.txt");
    expect((await list({ folderPath: "/%2e%2e/" })).body.files).toMatchObject([{ name: "é ü.txt" }]);
  });

  it("does not include a literal %2e%2e, which is an ordinary name", async () => {
    const { body } = await list({ folderPath: "/%2e%2e" });
    expect(body.files).toMatchObject([{ name: "é ü.txt", key: "%2e%2e/é ü.txt" }]);
    const presigned = await download({ key: "%2e%2e/é ü.txt" });
    expect(await (await fetch(presigned.body.url)).text()).toBe("odd");
  });
});

describe("the scope of a token", () => {
  const denied = { status: 403, body: { code: "scope_not_allowed" } };

  it("is limited to its bucket", async () => {
    const body = { bucket: stack.objectStore.bucket };
    expect(await list(body)).toMatchObject(denied);
    expect(await upload(body)).toMatchObject(denied);
    expect(await download({ ...body, key: "readme.txt" })).toMatchObject(denied);
  });

  it("is limited to its path, by whole segments", async () => {
    const body = { token: narrow };
    expect((await list(body)).body.files.map(({ name }: { name: string }) => name)).toEqual(["a.txt"]);
    expect(await list({ ...body, folderPath: "/" })).toMatchObject(denied);
    expect(await list({ ...body, folderPath: "/docs-old" })).toMatchObject(denied);
    expect(await download({ ...body, key: "readme.txt" })).toMatchObject(denied);
    expect(await download({ ...body, key: "docs-old/c.txt" })).toMatchObject(denied);
    expect(await download({ ...body, folderPath: "/docs-old", fileName: "c.txt" })).toMatchObject(denied);
    expect((await download({ ...body, key: "docs/in/b.txt" })).status).toBe(200);
  });

  it("includes objects below its path, but no object with the folder's name", async () => {
    await bucket.put("docs", "an object, not the folder");
    const body = { token: narrow };
    expect(await download({ ...body, key: "docs" })).toMatchObject(denied);
    expect(await download({ ...body, folderPath: "/", fileName: "docs" })).toMatchObject(denied);
    expect((await list({ ...body, folderPath: "/docs" })).status).toBe(200);
    expect((await upload({ ...body, folderPath: "/docs/in" })).status).toBe(200);
    expect((await download({ key: "docs" })).status).toBe(200);
  });

  it("allows uploads only to its upload folder", async () => {
    const body = { token: narrow };
    expect(await upload({ ...body, folderPath: "/docs" })).toMatchObject(denied);
    expect(await upload({ ...body, folderPath: "/docs/inbox" })).toMatchObject(denied);
    expect((await upload({ ...body, folderPath: "/docs/in/deeper" })).status).toBe(200);
  });

  it("allows uploads to its path if it has no upload folder", async () => {
    const { token: browsing } = await issueEmbedUrl(stack, client, { scope: { path: "/docs" } });
    expect((await upload({ token: browsing, folderPath: "/docs" })).status).toBe(200);
    expect(await upload({ token: browsing, folderPath: "/" })).toMatchObject(denied);
  });
});

describe("list", () => {
  it("returns folders, then files", async () => {
    const { status, body } = await list({ folderPath: "/docs" });
    expect(status).toBe(200);
    expect(body.folders).toEqual([
      { name: "", path: "/docs//" },
      { name: "in", path: "/docs/in" },
    ]);
    expect(body.files[0]).toMatchObject({ name: "a.txt", key: "docs/a.txt", size: 1 });
    expect(Date.parse(body.files[0].lastModified)).toBeGreaterThan(Date.now() - 60_000);
    expect(body.files[0].etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(body.nextCursor).toBeNull();
  });

  it("continues from its cursor and returns each file once", async () => {
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

  it("refuses a foreign cursor", async () => {
    expect(await list({ cursor: "made-up" })).toMatchObject({
      status: 400,
      body: { issues: [{ path: "cursor" }] },
    });
  });

  it("reports a missing bucket", async () => {
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
