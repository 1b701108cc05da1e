/** Searches by the catalogue: they find what searches by listing find, and no more. */
import { rm } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { addCatalogue, findCatalogue } from "../../app/catalogue/catalogues.server";
import { readClock, writeObserved } from "../../app/catalogue/objects.sql.server";
import { scanCatalogue } from "../../app/catalogue/scan-catalogue.server";
import { createSearchIndex } from "../../app/catalogue/search-index.sql.server";
import { findBest, findInOrder, readFolders } from "../../app/catalogue/search-objects.sql.server";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import { readSignedValue, signValue } from "../../app/embed/signed-value.server";
import { sql } from "../../app/providers/sql.server";
import {
  type SearchResult,
  searchedKinds,
} from "../../app/services/files/place/contract/search-contract.server";
import { startObjectStore } from "../../local/object-store";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { type OwnDatabase, startOwnDatabase } from "../support/databases/own-database";
import { makeTestFolder, query } from "../support/databases/postgres";
import { writeObjects } from "../support/files/many-objects";

const stack = inject("stack");
const secret = stack.embedSigningSecret;
const bucket = "catalogued";
const MANY = 3_500;
const keys = [
  "readme.txt",
  "Readme first.pdf",
  "readme/",
  "an old readme.txt",
  "docs/",
  "docs/Café menu.txt",
  "docs/Été 2026/Cafe\u0301.jpg",
  "docs/Été 2026/winter.jpg",
  "docs/Été 2026/deep/er/winter report.pdf",
  "docs//café ghost.txt",
  "docs/../café up.txt",
  "docs-old/café.txt",
  "docs&more/<café> + 100%.txt",
  "docs&more/100 percent_of it.txt",
  "docs&more/back\\slash [a-z]*.txt",
  "docs0/after the slash.txt",
  "empty café/",
  "帳簿/請求書発票.pdf",
  "帳簿/見積書.xlsx",
  "Straße/GRÜẞE.docx",
  "control/a\u0001b.txt",
  "pictures/.pdf",
  "pictures/no extension pdf",
  "pictures/film.MP4",
  "pictures/pdf",
  "pictures/a.pdf.bak",
  "pictures/many.......dots.png",
  "ab cd/xab.txt",
  "ab cd/abc-cd.txt",
  "ab cd/x-ab_y.txt",
  ...Array.from(
    { length: MANY },
    (_, index) => `many/part ${index % 7}/file-${String(index).padStart(5, "0")}.txt`,
  ),
];

let folder: string;
let store: Awaited<ReturnType<typeof startObjectStore>>;
let own: OwnDatabase;
let byCatalogue: RouteApp;
let byListing: RouteApp;
let catalogueId: number;
let listings = 0;
beforeAll(async () => {
  folder = await makeTestFolder();
  writeObjects(folder, bucket, keys);
  const { region, accessKeyId, secretAccessKey } = stack.objectStore;
  store = await startObjectStore({
    port: 0,
    dataDir: folder,
    region,
    accessKeyId,
    secretAccessKey,
    intercept(request) {
      if (request.key === "" && request.method === "GET") listings += 1;
      return undefined;
    },
  });
  own = await startOwnDatabase();
  const ownStack = {
    ...stack,
    postgresUrl: own.url,
    objectStore: { ...stack.objectStore, endpoint: store.endpoint },
  };
  byListing = createRouteApp(ownStack);
  byCatalogue = createRouteApp(ownStack, { CATALOGUE_MAX_LAG_SECONDS: "3600" });
  const catalogue = await addCatalogue(own.database, bucket);
  catalogueId = catalogue.id;
  await scanCatalogue({ database: own.database, objectStore: byListing.objectStore }, catalogue, {
    signal: new AbortController().signal,
  });
  await createIndexes();
});
afterAll(async () => {
  await Promise.all([byCatalogue?.close(), byListing?.close()]);
  await own?.stop();
  await store?.close();
  await rm(folder, { recursive: true, force: true });
});

const createIndexes = () =>
  createSearchIndex(own.database, async (statement) => void (await query(own.url, statement)));

function tokenFor(scope: object = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const origins = [stack.demoClient.origin];
  const claims = { cid: "c", companyId: "c", svc: "files", origins, iat: now, exp: now + 900 };
  return signEmbedToken({ ...claims, scope: { bucket, ...scope } }, secret);
}

async function search(app: RouteApp, body: object) {
  const response = await app.fetch(`${app.platformBaseUrl}/api/embed/storage/search`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: tokenFor(), bucket, ...body }),
  });
  return { status: response.status, body: await response.json() };
}

/** Searches to the end over several requests. */
async function searchAll(app: RouteApp, body: object) {
  const files: SearchResult["files"] = [];
  const folders: string[] = [];
  const sources = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const { status, body: page } = await search(app, { ...body, cursor });
    expect([status, page.code]).toEqual([200, undefined]);
    const result = page as SearchResult;
    files.push(...result.files);
    folders.push(...result.folders.map(({ path }) => path));
    sources.add(result.source);
    if (result.cursor === null) return { files, folders, source: [...sources].join() };
    cursor = result.cursor;
  }
}

const inOrder = ({ files, folders }: Awaited<ReturnType<typeof searchAll>>) => ({
  files: files.sort((one, other) => (one.key < other.key ? -1 : 1)),
  folders: folders.sort(),
});

/** Searches both ways. @returns what both have found */
async function searchBothWays(body: object) {
  const [found, listed] = [await searchAll(byCatalogue, body), await searchAll(byListing, body)];
  expect([found.source, listed.source]).toEqual(["catalogue", "store"]);
  expect(inOrder(found)).toEqual(inOrder(listed));
  return listed.files.map(({ key }) => key);
}

describe("a search by the catalogue finds what listing finds", () => {
  it.each([
    "readme",
    "CAFE",
    "menu cafe",
    "cafe 2026",
    "2026 winter ete",
    "er/ winter",
    "été/",
    "100%",
    "100 percent_of",
    "rcent_o",
    "percentxof",
    "back\\slash",
    "ack\\\\slash",
    "[a-z]*",
    ".*",
    "(%",
    "strasse grusse",
    "GRÜẞE",
    "請求書",
    "発票",
    "簿 見積",
    "a\u0001b",
    "a\0b",
    "file-0000",
    "file-000 part",
    "part 3",
    "nothing like it",
    "deep",
    "'; DROP TABLE catalogue_objects; --",
    "\ud800\ud800\ud800",
    "\ufdfa".repeat(255),
  ])("%j", async (query) => {
    await searchBothWays({ query });
    await searchBothWays({ query, folderPath: "/docs" });
  });

  it("folders at any depth, too", async () => {
    const { folders } = await searchAll(byCatalogue, { query: "2026" });
    expect(folders).toEqual(["/docs/Été 2026"]);
    expect((await searchAll(byCatalogue, { query: "deep er" })).folders).toEqual(["/docs/Été 2026/deep/er"]);
    expect((await searchAll(byCatalogue, { query: "empty" })).folders).toEqual(["/empty café"]);
  });

  it("below a folder alone: the one whose name goes on, and the one after the slash, are others", async () => {
    await expect(searchBothWays({ query: "caf", folderPath: "/docs" })).resolves.toHaveLength(4);
    await expect(searchBothWays({ query: "after", folderPath: "/docs" })).resolves.toEqual([]);
    await searchBothWays({ query: "txt", token: tokenFor({ path: "/docs&more" }) });
  });

  it("without a request to the store", async () => {
    listings = 0;
    await searchAll(byCatalogue, { query: "winter" });
    expect(listings).toBe(0);
  });

  it.each([
    { kinds: ["pdf"] },
    { kinds: ["image", "video"] },
    { kinds: [...searchedKinds] },
    { maxSize: 0 },
    { minSize: 1 },
    { modifiedAfter: "2026-01-02T03:04:05.000Z" },
    { modifiedAfter: "2026-01-02T04:04:05.001+01:00" },
    { modifiedBefore: "2026-01-02T03:04:05Z" },
    { modifiedBefore: "2026-01-02T03:04:06Z", kinds: ["table"] },
  ])("with the filter %j, with a query and without one", async (filter) => {
    await searchBothWays({ query: "", ...filter });
    await searchBothWays({ query: "", ...filter, folderPath: "/docs" });
    await searchBothWays({ query: "caf", ...filter });
  });

  it("kinds are known by the ends of names", async () => {
    const found = await searchBothWays({ query: "", kinds: ["pdf"] });
    expect(found.sort()).toEqual(
      ["Readme first.pdf", "docs/Été 2026/deep/er/winter report.pdf", "帳簿/請求書発票.pdf"].sort(),
    );
  });
});

describe("a search by the catalogue", () => {
  it("returns the best first: the whole name, its beginning, the beginning of a word, and others", async () => {
    const { files } = await searchAll(byCatalogue, { query: "readme" });
    expect(files.map(({ key }) => key)).toEqual(["readme.txt", "Readme first.pdf", "an old readme.txt"]);
  });

  it("says of one and two letters which words begin with them", async () => {
    const { files } = await searchAll(byCatalogue, { query: "ab" });
    expect(files.map(({ key }) => key)).toEqual(["ab cd/abc-cd.txt", "ab cd/x-ab_y.txt"]);
    const { files: around } = await searchAll(byCatalogue, { query: "ab x" });
    expect(around.map(({ key }) => key)).toEqual(["ab cd/x-ab_y.txt", "ab cd/abc-cd.txt", "ab cd/xab.txt"]);
  });

  it("says what it asked, and when that was scanned", async () => {
    const { scannedAt } = (await findCatalogue(own.database, bucket)) ?? {};
    const { body } = await search(byCatalogue, { query: "readme" });
    expect(body).toMatchObject({ source: "catalogue", asOf: scannedAt?.toISOString() });
    const before = Math.floor(Date.now() / 1000) * 1000;
    const { body: listed } = await search(byListing, { query: "readme" });
    expect(listed.source).toBe("store");
    expect(Date.parse(listed.asOf)).toBeGreaterThanOrEqual(before);
  });

  it("leaves out what was deleted, and folders that only had that in them", async () => {
    const key = "gone/vanished.txt";
    const object = { size: 1, etag: '"e"', lastModified: new Date() };
    await writeObserved(own.database, [{ bucket, key, asOf: await readClock(own.database), object }]);
    const found = await searchAll(byCatalogue, { query: "vanished" });
    expect(found.files).toMatchObject([{ key, size: 1 }]);
    expect((await searchAll(byCatalogue, { query: "gone" })).folders).toEqual(["/gone"]);
    await writeObserved(own.database, [{ bucket, key, asOf: await readClock(own.database), object: null }]);
    for (const query of ["vanished", "gone"])
      expect(await searchAll(byCatalogue, { query })).toMatchObject({ files: [], folders: [] });
  });

  it("finds nothing of another bucket's catalogue", async () => {
    const other = await addCatalogue(own.database, "another");
    const object = { size: 1, etag: '"e"', lastModified: new Date() };
    const asOf = await readClock(own.database);
    await writeObserved(own.database, [{ bucket: "another", key: "secret plans/secret.txt", asOf, object }]);
    await own.database.catalogue.update({ where: { id: other.id }, data: { scannedAt: new Date() } });
    expect(await searchAll(byCatalogue, { query: "secret" })).toMatchObject({ files: [], folders: [] });
    expect(await search(byCatalogue, { query: "secret", bucket: "another" })).toMatchObject({ status: 403 });
  });

  it("tells nothing outside of the token's folder, whatever is asked", async () => {
    const token = tokenFor({ path: "/docs" });
    for (const folderPath of ["/", "/docs-old", "/docs0"])
      expect(await search(byCatalogue, { token, query: "caf", folderPath })).toMatchObject({
        status: 403,
        body: { code: "scope_not_allowed" },
      });
    for (const query of ["txt", "a", "%", "old caf", "docs", "after", "docs/"]) {
      const { files, folders } = await searchAll(byCatalogue, { token, query });
      for (const path of [...files.map(({ key }) => `/${key}`), ...folders])
        expect(path.startsWith("/docs/")).toBe(true);
    }
  });

  it("goes on from its cursor alone: not with another folder, query, filter, bucket or position", async () => {
    const asked = { query: "file-", folderPath: "/many" };
    const { body } = await search(byCatalogue, asked);
    expect(body.files).toHaveLength(1_000);
    const cursor: string = body.cursor;
    const value = readSignedValue(cursor, [secret], "files-search") as { position: object };
    const widened = { ...value, position: { ...value.position, after: "" } };
    for (const other of [
      { query: "file-0" },
      { folderPath: "/" },
      { kinds: ["pdf"] },
      { cursor: `${cursor.slice(0, -2)}AA` },
      { cursor: signValue(widened, secret) },
      { cursor: signValue(widened, "another secret that is long enough", "files-search") },
    ])
      expect(await search(byCatalogue, { ...asked, cursor, ...other })).toMatchObject({
        status: 400,
        body: { issues: [{ path: "cursor" }] },
      });
    expect((await search(byCatalogue, { ...asked, cursor, token: tokenFor({ path: "/docs" }) })).status).toBe(
      403,
    );
  });

  it.each([
    [{ query: "a".repeat(10_000) }, "query"],
    [{ query: " " }, "query"],
    [{ query: "", kinds: [] }, "kinds"],
    [{ query: "", kinds: ["pdf'"] }, "kinds[0]"],
    [{ query: "", minSize: -1 }, "minSize"],
    [{ query: "", maxSize: 1.5 }, "maxSize"],
    [{ query: "", modifiedAfter: "yesterday" }, "modifiedAfter"],
  ])("refuses %j", async (body, path) => {
    expect(await search(byCatalogue, body)).toMatchObject({ status: 400, body: { issues: [{ path }] } });
  });

  it("is not made for a token that requires a tag: a catalogue knows none", async () => {
    const requireTag = { key: "scanned", value: "yes" };
    const { source } = await searchAll(byCatalogue, { query: "readme", token: tokenFor({ requireTag }) });
    expect(source).toBe("store");
  });

  it("begins again by listing if the catalogue is lost in the middle", async () => {
    const asked = { query: "file-", folderPath: "/many" };
    const { body } = await search(byCatalogue, asked);
    const { files, source } = await searchAll(byListing, { ...asked, cursor: body.cursor });
    expect([files.length, source]).toEqual([MANY, "store"]);
    // One that began by listing goes on by listing.
    const first = await search(byListing, asked);
    const second = await search(byCatalogue, { ...asked, cursor: first.body.cursor });
    expect(second.body.source).toBe("store");
  });

  it("is by listing if an index is missing", async () => {
    for (const index of ["catalogue_objects_folded_name_idx", "catalogue_objects_folder_idx"]) {
      await query(own.url, `DROP INDEX ${index}`);
      expect((await searchAll(byCatalogue, { query: "readme" })).source).toBe("store");
      await createIndexes();
      expect((await searchAll(byCatalogue, { query: "readme" })).source).toBe("catalogue");
    }
  });
});

it("slow reads of a company's catalogues leave connections to all other requests", async () => {
  const small = createRouteApp(
    { ...stack, postgresUrl: own.url, objectStore: { ...stack.objectStore, endpoint: store.endpoint } },
    { CATALOGUE_MAX_LAG_SECONDS: "3600", POSTGRES_POOL_SIZE: "4" },
  );
  onTestFinished(() => small.close());
  const locker = new pg.Client({ connectionString: own.url });
  await locker.connect();
  onTestFinished(() => locker.end());
  await locker.query("BEGIN; LOCK TABLE catalogue_objects IN ACCESS EXCLUSIVE MODE");
  const ask = (operation: string, body: object) =>
    small.fetch(`${small.platformBaseUrl}/api/embed/storage/${operation}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: tokenFor(), bucket, ...body }),
    });
  const reads = [
    ...Array.from({ length: 6 }, () => ask("sizes", { folderPaths: ["/many"] })),
    ask("list", { order: "newest" }),
    ask("search", { query: "readme" }),
    ask("search", { query: "", kinds: ["pdf"] }),
  ];
  // Of the four connections, two read catalogues, and one of these for one company.
  const waiting =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await expect.poll(() => query(own.url, waiting)).not.toHaveLength(0);
  // Each looks for a key in the database.
  for (let count = 0; count < 5; count++) {
    const refused = await small.fetch(`${small.apiBaseUrl}/api/embed/url`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Api-Key": `unknown-${count}` },
      body: JSON.stringify({ service: "files", scope: {} }),
    });
    expect(refused.status).toBe(401);
  }
  expect(await query(own.url, waiting)).toHaveLength(1);
  await locker.query("ROLLBACK");
  expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(Array(9).fill(200));
});

describe("the statements of searches", () => {
  const wanted = { prefix: "", where: "name", atBeginnings: false, filter: {} } as const;

  it("reads pages of names in both ways without a gap, each once", async () => {
    const names = { ...wanted, catalogueId, words: ["FILE-"], phrase: "FILE-" };
    const expected = keys.filter((key) => key.includes("file-")).sort();
    const best: string[] = [];
    for (let after: { rank: number; key: string } | undefined; ; ) {
      const page = await findBest(own.database, "c", names, { after, limit: 999 });
      best.push(...(page ?? []).map(({ key }) => key));
      after = page?.at(-1);
      if (after === undefined) break;
    }
    expect(best).toEqual(expected);
    const read: string[] = [];
    for (let after: string | undefined | null; after !== null; ) {
      const page = await findInOrder(own.database, "c", names, { after, limit: 300, chunkRows: 500 });
      read.push(...page.objects.map(({ key }) => key));
      after = page.next;
    }
    expect(read).toEqual(expected);
  });

  it("look at a tenth of the rows if they take longer than a second", async () => {
    const asked: [deadline: number | undefined, rows: unknown][] = [];
    const slow = sql`SELECT pg_sleep(10)`;
    const slowAtFirst: Pick<typeof own.database, "$queryInTurn"> = {
      $queryInTurn(caller, statement, row, options) {
        asked.push([options?.milliseconds, statement.values.find((value) => Number(value) > 100)]);
        return own.database.$queryInTurn(caller, asked.length === 1 ? slow : statement, row, options);
      },
    };
    const names = { ...wanted, catalogueId, words: ["FILE-"], phrase: "FILE-" };
    const page = await findInOrder(slowAtFirst, "c", names, { after: undefined, limit: 10 });
    expect(page.objects).toHaveLength(10);
    expect(page.chunkRows).toBe(5_000);
    expect(asked).toEqual([
      [1_000, 49_999],
      [1_000, 4_999],
    ]);
    // With so few, the statement is not the reason.
    asked.length = 0;
    const few = { after: undefined, limit: 10, chunkRows: 500 };
    await expect(findInOrder(slowAtFirst, "c", names, few)).rejects.toMatchObject({ code: "unavailable" });
    expect(asked).toHaveLength(1);
  });

  it("test the extension of a name once, however many are wanted", async () => {
    const texts: string[] = [];
    const noting: Pick<typeof own.database, "$queryInTurn"> = {
      $queryInTurn(caller, statement, ...others) {
        texts.push(statement.text);
        return own.database.$queryInTurn(caller, statement, ...others);
      },
    };
    for (const extensions of [["PDF"], ["PDF", "PNG", "MP4"]]) {
      const names = { ...wanted, catalogueId, words: [], phrase: "", filter: { extensions } };
      const { objects } = await findInOrder(noting, "c", names, { after: undefined, limit: 1_000 });
      const ends = extensions.map((extension) => `.${extension}`);
      const expected = keys.filter((key) => ends.some((end) => key.toUpperCase().endsWith(end)));
      expect(objects.map(({ key }) => key).sort()).toEqual(expected.sort());
    }
    expect(texts[1]).toBe(texts[0]);
  });

  it("name a thousand folders at once: their names are compared in one turn of the process", async () => {
    const { id } = await addCatalogue(own.database, "deep");
    await query(
      own.url,
      `INSERT INTO catalogue_objects (catalogue_id, key, folded_name, size, etag, last_modified, as_of)
      SELECT $1, repeat('a/', 490) || number || '/x', 'X', 1, 'e', now(), now() FROM generate_series(1, 1001) AS number`,
      [id],
    );
    const { folders, next } = await readFolders(
      own.database,
      "c",
      { catalogueId: id, prefix: "" },
      { after: undefined },
    );
    expect(folders).toHaveLength(1_000);
    expect(next).toBe(folders.at(-1));
  });

  it("does not put more names in order than it may, whether they are expected or found", async () => {
    const names = { ...wanted, catalogueId, words: ["FILE-"], phrase: "FILE-" };
    await query(own.url, "ANALYZE catalogue_objects");
    const begin = { after: undefined, limit: 10 };
    for (const maxRanked of [10, MANY - 1])
      expect(await findBest(own.database, "c", names, { ...begin, maxRanked })).toBeNull();
    expect(await findBest(own.database, "c", names, { ...begin, maxRanked: MANY })).toHaveLength(10);
  });

  it("uses the index, also for words of two letters", async () => {
    const { id } = await addCatalogue(own.database, "long");
    await query(
      own.url,
      `INSERT INTO catalogue_objects (catalogue_id, key, folded_name, size, etag, last_modified, as_of)
      SELECT $1, name, upper(name), 1, 'e', now(), now() FROM generate_series(1, 30000) AS number, md5(number::text) AS name`,
      [id],
    );
    // Until then the index has new rows in a list.
    await query(own.url, "VACUUM ANALYZE catalogue_objects");
    const plans: string[] = [];
    const explaining: Pick<typeof own.database, "$queryInTurn"> = {
      async $queryInTurn(caller, statement, row, options) {
        if (options === undefined) return own.database.$queryInTurn(caller, statement, row);
        const { text, values } = statement;
        const rows = await query<{ "QUERY PLAN": string }>(own.url, `EXPLAIN ${text}`, [...values]);
        plans.push(rows.map((line) => line["QUERY PLAN"]).join("\n"));
        return [];
      },
    };
    const begin = { after: undefined, limit: 10 };
    for (const [words, atBeginnings] of [
      [["WINTER"], false],
      [["QX"], true],
    ] as const)
      await findBest(explaining, "c", { ...wanted, catalogueId: id, words, phrase: "", atBeginnings }, begin);
    expect(plans).toHaveLength(2);
    for (const plan of plans) expect(plan).toContain("catalogue_objects_folded_name_idx");
  });

  it("finds each folder from the one before, not from its objects", async () => {
    const folders: string[] = [];
    for (let after: string | undefined | null; after !== null; ) {
      const page = await readFolders(own.database, "c", { catalogueId, prefix: "" }, { after, limit: 3 });
      folders.push(...page.folders);
      after = page.next;
    }
    const expected = new Set(keys.map((key) => key.slice(0, key.lastIndexOf("/") + 1)).filter(Boolean));
    expect(folders).toHaveLength(expected.size);
    expect(new Set(folders)).toEqual(expected);
  });
});
