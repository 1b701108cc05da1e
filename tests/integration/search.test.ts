import { rm } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import { readSignedValue, signValue } from "../../app/embed/signed-value.server";
import type { SearchResult } from "../../app/services/files/place/contract/search-contract.server";
import { type Intercept, startObjectStore } from "../../local/object-store";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { makeTestFolder } from "../support/databases/postgres";
import { writeObjects } from "../support/files/many-objects";

const stack = inject("stack");
const secret = stack.embedSigningSecret;
const bucket = "searched";
const MANY = 4_500;
const keys = [
  "readme.txt",
  "docs/",
  "docs/Caf\u00e9 menu.txt",
  "docs/Été 2026/Cafe\u0301.jpg",
  "docs/Été 2026/winter.jpg",
  "docs//café ghost.txt",
  "docs/../café up.txt",
  "docs-old/café.txt",
  "docs&more/<café> + 100%.txt",
  "empty café/",
  ...Array.from({ length: MANY }, (_, index) => `many/file-${String(index).padStart(5, "0")}.txt`),
];

/** The names in them are as good as any, but no path may be created with them. */
const odd = ["docs//café ghost.txt", "docs/../café up.txt"];

let folder: string;
let store: Awaited<ReturnType<typeof startObjectStore>>;
let app: RouteApp;
let intercept: Intercept | null = null;
let listings = 0;
beforeAll(async () => {
  folder = await makeTestFolder();
  writeObjects(folder, bucket, keys);
  const { region, accessKeyId, secretAccessKey } = stack.objectStore;
  const settings = { port: 0, dataDir: folder, region, accessKeyId, secretAccessKey };
  store = await startObjectStore({
    ...settings,
    intercept(request) {
      if (request.key === "" && request.method === "GET") listings += 1;
      return intercept?.(request);
    },
  });
  app = createRouteApp({ ...stack, objectStore: { ...stack.objectStore, endpoint: store.endpoint } });
});
afterAll(async () => {
  await app?.close();
  await store?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  intercept = null;
  listings = 0;
});

function tokenFor(scope: object = {}, changes: object = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const origins = [stack.demoClient.origin];
  const claims = { cid: "c", companyId: "c", svc: "files", origins, iat: now, exp: now + 900 };
  return signEmbedToken({ ...claims, scope: { bucket, ...scope }, ...changes }, secret);
}

async function search(body: object) {
  const response = await app.fetch(`${app.platformBaseUrl}/api/embed/storage/search`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: tokenFor(), bucket, ...body }),
  });
  return { status: response.status, body: await response.json() };
}

/** Searches to the end over several requests. */
async function searchAll(body: object) {
  const files: string[] = [];
  const folders: string[] = [];
  let [scanned, requests] = [0, 0];
  for (let cursor: string | undefined; ; ) {
    const { status, body: page } = await search({ ...body, cursor });
    expect(status).toBe(200);
    const result = page as SearchResult;
    files.push(...result.files.map(({ key }) => key));
    folders.push(...result.folders.map(({ path }) => path));
    scanned += result.scanned;
    requests += 1;
    if (result.cursor === null) return { files, folders, scanned, requests };
    cursor = result.cursor;
  }
}

describe("search", () => {
  it("finds files and folders at any depth, ignoring case, accents and Unicode form, whatever their paths", async () => {
    const found = await searchAll({ query: "CAFE" });
    expect(found.files.sort()).toEqual(
      [
        "docs&more/<café> + 100%.txt",
        "docs-old/café.txt",
        "docs/Cafe\u0301 menu.txt".normalize(),
        "docs/Été 2026/Cafe\u0301.jpg",
        ...odd,
      ].sort(),
    );
    expect(found.folders).toEqual(["/empty café"]);
    expect((await searchAll({ query: "ete" })).folders).toEqual(["/docs/Été 2026"]);
    expect((await search({ query: "menu cafe", folderPath: "/docs" })).body.files).toEqual([
      {
        name: "Café menu.txt",
        key: "docs/Café menu.txt",
        size: 0,
        lastModified: "2026-01-02T03:04:05.000Z",
        etag: '"d41d8cd98f00b204e9800998ecf8427e"',
      },
    ]);
  });

  it("checks every file once across requests, and reports how many", async () => {
    const all = await searchAll({ query: "FILE-" });
    expect(all.files).toHaveLength(MANY);
    expect(new Set(all.files).size).toBe(MANY);
    expect(all.requests).toBeGreaterThan(1);
    const none = await searchAll({ query: "nothing like it", folderPath: "/many" });
    expect(none).toMatchObject({ files: [], folders: [], scanned: MANY, requests: 1 });
  });

  it("sends the store about one request per thousand keys", async () => {
    await searchAll({ query: "nothing like it", folderPath: "/many" });
    expect(listings).toBeLessThanOrEqual(5 + 5);
    listings = 0;
    // The folder and its subfolders, whatever their names.
    await searchAll({ query: "nothing like it", folderPath: "/docs" });
    expect(listings).toBe(1 + 3);
  });

  it("is limited to the token's folder, where it starts, and to its bucket", async () => {
    const token = tokenFor({ path: "/docs", actions: [] });
    const inside = await searchAll({ token, query: "caf" });
    const all = ["docs/Café menu.txt", "docs/Été 2026/Cafe\u0301.jpg", ...odd];
    expect(inside.files.sort()).toEqual(all.sort());
    expect(await searchAll({ token, query: "winter", folderPath: "/docs/Été 2026" })).toMatchObject({
      files: ["docs/Été 2026/winter.jpg"],
    });
    for (const body of [{ folderPath: "/" }, { folderPath: "/docs-old" }, { bucket: "another" }]) {
      expect(await search({ token, query: "caf", ...body })).toMatchObject({
        status: 403,
        body: { code: "scope_not_allowed" },
      });
    }
    expect(await search({ token: tokenFor({}, { exp: 1 }), query: "x" })).toMatchObject({
      status: 401,
      body: { code: "token_expired" },
    });
  });

  it("accepts a cursor only for the same search, and refuses modified ones", async () => {
    const { body } = await search({ query: "file-", folderPath: "/many" });
    const cursor: string = body.cursor;
    const again = { query: "file-", folderPath: "/many", cursor };
    expect((await search(again)).status).toBe(200);
    const value = readSignedValue(cursor, [secret], "files-search") as object;
    const widened = { ...value, prefix: "" };
    for (const other of [
      { query: "file-0" },
      { folderPath: "/" },
      { cursor: `${cursor.slice(0, -2)}AA` },
      { cursor: "x" },
      { cursor: signValue(widened, secret) },
      { cursor: signValue(value, "another secret that is long enough", "files-search") },
    ]) {
      expect(await search({ ...again, ...other })).toMatchObject({
        status: 400,
        body: { issues: [{ path: "cursor" }] },
      });
    }
    const outside = tokenFor({ path: "/docs" });
    expect((await search({ ...again, token: outside })).status).toBe(403);
  });

  it.each([undefined, "", " \t ", "a".repeat(256), 7])("refuses the query %j", async (query) => {
    expect(await search({ query })).toMatchObject({ status: 400, body: { issues: [{ path: "query" }] } });
  });

  it("accepts queries as long as names, with any characters", async () => {
    for (const query of ["a".repeat(255), "\ufdfa".repeat(255), "\ud800".repeat(255), "a ".repeat(127)]) {
      expect((await search({ query, folderPath: "/docs" })).status).toBe(200);
    }
  });
});

describe("search, while the store fails", () => {
  const failing = { error: { status: 503, code: "SlowDown" } };

  it("returns its hits so far, reports an unresponsive store, and continues from the cursor", async () => {
    intercept = () => (listings > 1 ? failing : undefined);
    const { status, body } = await search({ query: "file-00001", folderPath: "/many" });
    expect(status).toBe(200);
    expect(body.files).toHaveLength(1);
    const { cursor } = body;
    expect(await search({ query: "file-00001", folderPath: "/many", cursor })).toMatchObject({
      status: 503,
      body: { code: "unavailable" },
    });
    intercept = null;
    const rest = await search({ query: "file-00001", folderPath: "/many", cursor });
    expect(rest).toMatchObject({ status: 200, body: { files: [], cursor: null } });
    expect(body.scanned + rest.body.scanned).toBe(MANY);
  });

  it("reports a missing bucket", async () => {
    const token = tokenFor({ bucket: "missing" });
    expect(await search({ token, bucket: "missing", query: "x" })).toMatchObject({
      status: 404,
      body: { code: "bucket_not_found" },
    });
  });
});
