/** Sizes of folders and orders of their files, by the catalogue: what the lists of the store have, and nothing that the token may not see. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addCatalogue } from "../../app/catalogue/catalogues.server";
import { scanCatalogue } from "../../app/catalogue/scan-catalogue.server";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { putOddKeys } from "../support/files/odd-keys";

const stack = inject("stack");
let app: RouteApp;
/** has a catalogue */
let bucket: TestBucket;
let other: TestBucket;

beforeAll(async () => {
  const POSTGRES_URL = await makeDatabase(stack);
  app = createRouteApp(stack, { POSTGRES_URL, CATALOGUE_MAX_LAG_SECONDS: "3600" });
  [bucket, other] = await Promise.all([makeBucket(stack), makeBucket(stack)]);
  await putOddKeys(bucket, "odd");
  for (const key of ["a/1.txt", "a/b/2.txt", "ab/secret.txt", "%/3.txt", "%a/4.txt", "n\0/5.txt"])
    await bucket.put(key, key);
  await bucket.put("a/empty/", "");
  await other.put("a/1.txt", "text");
  const { database, objectStore } = app;
  const catalogue = await addCatalogue(database, bucket.name);
  await scanCatalogue({ database, objectStore }, catalogue, { signal: new AbortController().signal });
});
afterAll(() => app?.close());

function tokenFor(scope: object): string {
  const now = Math.floor(Date.now() / 1_000);
  const origins = [stack.demoClient.origin];
  const claims = { cid: "portal", companyId: "acme", svc: "files", origins, iat: now, exp: now + 900 };
  return signEmbedToken({ ...claims, scope: { bucket: bucket.name, ...scope } }, stack.embedSigningSecret);
}

async function ask(operation: string, body: object, scope: object = {}) {
  const response = await app.fetch(`${app.platformBaseUrl}/api/embed/storage/${operation}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: tokenFor(scope), bucket: bucket.name, ...body }),
  });
  return { status: response.status, body: await response.json() };
}
const sizes = (folderPaths: readonly string[], scope: object = {}, more: object = {}) =>
  ask("sizes", { folderPaths, ...more }, scope);

interface Walked {
  files: number;
  bytes: number;
}

/** What the lists of the store have in a folder and below it. @param into gets the size of each folder */
async function walk(folderPath: string, into: Map<string, Walked>): Promise<Walked> {
  const { body } = await ask("list", { folderPath, pageSize: 1_000 });
  expect(body.nextCursor).toBeNull();
  const sum = { files: 0, bytes: 0 };
  for (const { size } of body.files) {
    sum.files += 1;
    sum.bytes += size;
  }
  for (const { path } of body.folders) {
    const { files, bytes } = await walk(path, into);
    sum.files += files;
    sum.bytes += bytes;
  }
  into.set(folderPath, sum);
  return sum;
}

describe("POST /api/embed/storage/sizes", () => {
  it("tells the files and bytes that the lists have, of every folder, and since when they are known", async () => {
    const walked = new Map<string, Walked>();
    await walk("/", walked);
    expect(walked.size).toBeGreaterThan(100);
    const paths = [...walked.keys()];
    for (let from = 0; from < paths.length; from += 100) {
      const some = paths.slice(from, from + 100);
      const { status, body } = await sizes(some, {}, { thorough: true });
      expect(status).toBe(200);
      expect(body).toEqual({
        source: "catalogue",
        asOf: expect.any(String),
        sizes: some.map((path) => walked.get(path)),
      });
      expect(Date.now() - Date.parse(body.asOf)).toBeLessThan(3_600_000);
    }
  });

  it("counts nothing outside the folder, whatever its name", async () => {
    const { body } = await sizes(["/a", "/ab", "/%", "/n\0", "/none"]);
    expect(body.sizes).toEqual([
      { files: 2, bytes: "a/1.txta/b/2.txt".length },
      { files: 1, bytes: "ab/secret.txt".length },
      { files: 1, bytes: "%/3.txt".length },
      { files: 1, bytes: "n\0/5.txt".length },
      { files: 0, bytes: 0 },
    ]);
  });

  it("is refused for all folders if one is outside of the token's scope", async () => {
    for (const path of ["/", "/ab", "/a/../ab", "/%", "/a\0"]) {
      const refused = await sizes(["/a", path], { path: "/a" });
      const isInsideByItsKey = path.startsWith("/a/");
      expect([path, refused.status]).toEqual([path, isInsideByItsKey ? 200 : 403]);
      expect(JSON.stringify(refused.body)).not.toContain('"bytes":13');
    }
    const refused = await ask("sizes", { bucket: other.name, folderPaths: ["/a"] });
    expect(refused).toMatchObject({ status: 403, body: { code: "scope_not_allowed" } });
    const handIn = await sizes(["/a"], { view: "hand-in", path: "/a", actions: ["upload"] });
    expect(handIn).toMatchObject({ status: 403, body: { code: "scope_not_allowed" } });
  });

  it("says nothing where files have to be checked first, or where there is no catalogue", async () => {
    const nothing = { source: "store", asOf: null, sizes: [null, null] };
    const requireTag = { key: "scan", value: "clean" };
    expect(await sizes(["/a", "/ab"], { requireTag })).toEqual({ status: 200, body: nothing });
    const scope = { bucket: other.name };
    expect(await ask("sizes", { ...scope, folderPaths: ["/a", "/b"] }, scope)).toEqual({
      status: 200,
      body: nothing,
    });
  });

  it("refuses no folder, and more than a hundred", async () => {
    expect(await sizes([])).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    const many = Array.from({ length: 101 }, (_, number) => `/a/${number}`);
    expect(await sizes(many)).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect((await sizes(many.slice(1))).status).toBe(200);
  });
});

describe("POST /api/embed/storage/list with an order", () => {
  interface Entry {
    key: string;
    size: number;
    lastModified: string;
  }
  const orders = {
    newest: (one: Entry, other: Entry) => Date.parse(other.lastModified) - Date.parse(one.lastModified),
    oldest: (one: Entry, other: Entry) => Date.parse(one.lastModified) - Date.parse(other.lastModified),
    largest: (one: Entry, other: Entry) => other.size - one.size,
    smallest: (one: Entry, other: Entry) => one.size - other.size,
  };

  async function listAll(body: object, scope: object = {}) {
    const files: Entry[] = [];
    const folders: { path: string }[] = [];
    for (let cursor: string | undefined, pages = 0; ; pages += 1) {
      const { status, body: page } = await ask("list", { ...body, cursor }, scope);
      expect(status).toBe(200);
      files.push(...page.files);
      folders.push(...page.folders);
      if (page.nextCursor === null) return { files, folders, source: page.source, pages: pages + 1 };
      cursor = page.nextCursor;
    }
  }

  it("has the rows that the store lists, in that order, page by page", async () => {
    const byKey = await listAll({ folderPath: "/odd", pageSize: 1_000 });
    expect(byKey).toMatchObject({ source: undefined, pages: 1 });
    for (const [order, compare] of Object.entries(orders)) {
      const pageSize = byKey.folders.length + 5;
      const found = await listAll({ folderPath: "/odd", order, pageSize });
      expect(found.source).toBe("catalogue");
      expect(found.pages).toBeGreaterThan(1);
      expect(found.folders).toEqual(byKey.folders);
      const bytes = ({ key }: Entry) => Buffer.from(key);
      const expected = [...byKey.files].sort(
        (one, other) => compare(one, other) || Buffer.compare(bytes(one), bytes(other)),
      );
      expect(found.files).toEqual(expected);
    }
  });

  it("is that of the store where there is no catalogue to ask, where it has nothing, and where folders fill the page", async () => {
    const requireTag = { key: "scan", value: "clean" };
    const inOrder = { folderPath: "/a", order: "largest" };
    expect(await listAll(inOrder, { requireTag })).toMatchObject({
      source: "store",
      files: [{ key: "a/1.txt" }],
    });
    const scope = { bucket: other.name };
    expect(await listAll({ ...inOrder, ...scope }, scope)).toMatchObject({ source: "store", pages: 1 });
    await bucket.put("new/1.txt", "text");
    expect(await listAll({ ...inOrder, folderPath: "/new" })).toMatchObject({
      source: "store",
      files: [{ key: "new/1.txt" }],
    });
    expect((await ask("list", { ...inOrder, folderPath: "/none" })).body.exists).toBe(false);
    const small = await listAll({ ...inOrder, folderPath: "/odd", pageSize: 3 });
    expect(small.source).toBe("store");
    expect(small.files.length).toBe((await listAll({ folderPath: "/odd" })).files.length);
  });

  it("is refused outside of the scope, for the past, and with the cursor of another list", async () => {
    const inOrder = { folderPath: "/ab", order: "newest" };
    expect(await ask("list", inOrder, { path: "/a" })).toMatchObject({ status: 403 });
    expect(await ask("list", { ...inOrder, bucket: other.name })).toMatchObject({ status: 403 });
    expect(await ask("list", { ...inOrder, at: "2026-01-01T00:00:00Z" })).toMatchObject({ status: 400 });
    expect(await ask("list", { ...inOrder, order: "name; DROP TABLE" })).toMatchObject({ status: 400 });
    const pageSize = (await listAll({ folderPath: "/odd" })).folders.length + 1;
    const odd = { folderPath: "/odd", order: "newest", pageSize };
    const { nextCursor: cursor } = (await ask("list", odd)).body;
    expect((await ask("list", { ...odd, cursor })).status).toBe(200);
    for (const other of [{ order: "largest" }, { folderPath: "/a" }, { folderPath: "/" }])
      expect(await ask("list", { ...odd, ...other, cursor })).toMatchObject({
        status: 400,
        body: { code: "invalid_request" },
      });
    // A catalogue that is gone between two pages.
    const requireTag = { key: "scan", value: "clean" };
    expect(await ask("list", { ...odd, cursor }, { requireTag })).toMatchObject({
      status: 503,
      body: { code: "unavailable" },
    });
  });
});
