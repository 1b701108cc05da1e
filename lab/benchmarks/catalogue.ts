/**
 * Asks the built app for searches, pages and sums of a bucket whose catalogue has a million rows (`--rows` for others), beside the same by one
 * SELECT on the same table. Then what a row takes on the disk, and how fast a scan and notifications write rows. lab/README.md
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { addCatalogue } from "../../app/catalogue/catalogues.server";
import { ChangedObjects } from "../../app/catalogue/changed-objects.server";
import { createSearchIndex } from "../../app/catalogue/search-index.sql.server";
import { findBest, type WantedNames } from "../../app/catalogue/search-objects.sql.server";
import { Events } from "../../app/events/events.server";
import { createDatabase, type Database } from "../../app/providers/database.server";
import { createObjectStore } from "../../app/providers/object-store.server";
import type { SearchResult } from "../../app/services/files/place/contract/search-contract.server";
import { recordNotification } from "../../app/services/files/record-notification.server";
import { mapConcurrently } from "../../app/shared/map-concurrently";
import { contextOf } from "../../app/shared/request-context.server";
import {
  archiveFiles,
  fillCatalogue,
  keysOf,
  MANY,
  PLANTED,
} from "../../tests/support/databases/many-objects";
import { openBucket } from "../../tests/support/files/bucket";
import { writeObjects } from "../../tests/support/files/many-objects";
import { signedWith } from "../../tests/support/files/object-store";
import { type LargeSite, startLargeSite } from "./large-site";
import { type BenchmarkOptions, type BenchmarkResult, inMs, inSeconds, type Row, spread } from "./result";

/** Has a catalogue. The store holds none of its objects, so nothing can come from there. */
const KNOWN = "known";
/** Its objects are in the store, to be listed, scanned and told of. */
const LISTED = "listed";
const LISTED_OBJECTS = 200_000;
const NOTIFICATIONS = 5_000;
/** How many notifications Amazon SNS delivers at the same time. */
const CONCURRENT_NOTIFICATIONS = 50;
const PAGE_SIZE = 1_000;
const ROUNDS = 7;
const SCANS = 3;
/** No catalogue gets too old meanwhile. */
const MAX_LAG_SECONDS = "31536000";
/** What a search has to reach. */
const [MAX_SEARCH_MS, MAX_RATIO] = [100, 1.3];
const command = fileURLToPath(new URL("../../build/commands/catalogue.js", import.meta.url));

/** The fastest of several, because other programs only make it slower. */
const fastest = (values: readonly number[]) => Math.min(...values);

export async function run({ rows: wanted }: BenchmarkOptions): Promise<BenchmarkResult> {
  const site = await startLargeSite(
    async (dataDir, { postgresUrl }) => {
      writeObjects(dataDir, KNOWN, []);
      writeObjects(dataDir, LISTED, await keysOf(postgresUrl, LISTED_OBJECTS));
    },
    { CATALOGUE_MAX_LAG_SECONDS: MAX_LAG_SECONDS },
  );
  const database = createDatabase({ url: site.postgresUrl, poolSize: 10 });
  const client = new pg.Client({ connectionString: site.postgresUrl });
  await client.connect();
  try {
    // The first request makes the store read the bucket into memory, which takes seconds.
    await openBucket(site.objectStore, LISTED).list();
    const written = [await measureScans(site, client), await measureNotifications(site, database, client)];
    const listed = await measureSearchByListing(site);
    const { id } = await addCatalogue(database, KNOWN);
    const filled = await timed(() => fillCatalogue(site.postgresUrl, id, wanted));
    const indexed = await timed(() =>
      createSearchIndex(database, async (statement) => void (await client.query(statement))),
    );
    await client.query("VACUUM ANALYZE catalogue_objects");
    await client.query("UPDATE catalogues SET scanned_at = now() AT TIME ZONE 'UTC' WHERE id = $1", [id]);
    await untilUsed(site);
    const read = await measureReading(site, database, client, id, wanted);
    const size = await measureSize(client, wanted);
    const parts = [read, size, ...written, listed];
    return {
      title: `A catalogue of ${wanted.toLocaleString("en")} objects, asked through the app, beside one SELECT on the same table; ${ROUNDS} times, alternating`,
      rows: parts.flatMap(({ rows }) => rows),
      raw: Object.assign({}, ...parts.map(({ raw }) => raw)),
      notes: [
        "Each figure and each ratio is of the fastest measurement: other programs only make it slower. " +
          `PostgreSQL has ${(await client.query("SHOW shared_buffers")).rows[0]?.shared_buffers} of shared buffers. ` +
          `Filling the table took ${inSeconds(filled)}, its indexes for searches ${inSeconds(indexed)}.`,
        "What a search is compared with finds all names that contain the word and puts the first thousand in the order of their keys. For words of one and two " +
          "letters, it finds names with a word that begins so. A search puts the best first, compares each name once more, and returns JSON. " +
          "A response without a hit has also looked at the names of folders, for two seconds at most. Names alone are what the app asks PostgreSQL about names of " +
          "files, and the ratio is theirs.",
        "A scan, the store, PostgreSQL and this benchmark share the processor. Notifications are handled in the process of the store.",
      ],
    };
  } finally {
    await client.end();
    await database.$disconnect();
    await site.close();
  }
}

type Part = Pick<BenchmarkResult, "rows" | "raw">;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** A process looks for new catalogues every few seconds. */
async function untilUsed(site: LargeSite): Promise<void> {
  const token = site.tokenFor(KNOWN);
  for (let source = "store"; source !== "catalogue"; )
    ({ source } = await site.ask<SearchResult>("search", { token, bucket: KNOWN, query: PLANTED.none }));
}

interface Comparison {
  name: string;
  /** asks the app */
  ours: () => Promise<unknown>;
  /** what the app does for the names of files, without all else: HTTP, names of folders, the response */
  names?: () => Promise<unknown>;
  bare: { text: string; values: unknown[] };
}

const COLUMNS = "key, size, etag, last_modified";

async function measureReading(
  site: LargeSite,
  database: Database,
  client: pg.Client,
  id: number,
  wanted: number,
): Promise<Part> {
  const token = site.tokenFor(KNOWN);
  const ask = (what: string, body: object) => () => site.ask(what, { token, bucket: KNOWN, ...body });
  const search = (word: string, condition: string, values: string[]): Omit<Comparison, "name"> => ({
    ours: ask("search", { query: word }),
    bare: {
      // OFFSET 0: otherwise PostgreSQL may read all rows in the order of their keys.
      text: `SELECT * FROM (SELECT ${COLUMNS} FROM catalogue_objects WHERE catalogue_id = $1 AND NOT is_deleted AND (${condition}) OFFSET 0) AS found
        ORDER BY key LIMIT ${PAGE_SIZE}`,
      values: [id, ...values],
    },
  });
  const containing = (word: string): Omit<Comparison, "name"> => {
    const folded = word.toUpperCase();
    const names: WantedNames = {
      catalogueId: id,
      prefix: "",
      words: [folded],
      phrase: folded,
      where: "name",
      atBeginnings: false,
      filter: {},
    };
    return {
      ...search(word, "folded_name LIKE $2", [`%${folded}%`]),
      names: () => findBest(database, "benchmark", names, { after: undefined, limit: PAGE_SIZE }),
    };
  };
  const beginning = (word: string) =>
    search(
      word,
      "folded_name LIKE $2 OR folded_name LIKE $3 OR folded_name LIKE $4",
      ["", "%-", "%."].map((before) => `${before}${word.toUpperCase()}%`),
    );
  const hits = {
    none: "0 hits",
    few: "10 hits",
    many: `${Math.min(MANY, wanted).toLocaleString("en")} hits`,
  };
  const kinds = Object.keys(hits) as (keyof typeof hits)[];
  const long: Comparison[] = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12].flatMap((length) =>
    kinds.map((kind) => {
      const word = PLANTED[kind].slice(0, length);
      return { name: `${length} letters, ${hits[kind]}`, ...containing(word) };
    }),
  );
  long.push({ name: "11 letters, 0 hits, each part is frequent", ...containing("contractory") });
  const short: Comparison[] = [
    { name: `1 letter, ${hits.many}`, ...beginning("q") },
    { name: "1 letter, very many hits", ...beginning("i") },
    { name: `2 letters, ${hits.few}`, ...beginning("xy") },
    { name: `2 letters, ${hits.many}`, ...beginning("qu") },
    { name: "2 letters, very many hits", ...beginning("in") },
  ];
  const archive = `folder of ${archiveFiles(wanted).toLocaleString("en")}`;
  const inFolder = (folder: string) => ({ from: `${folder}/`, before: `${folder}0` });
  const inOrder = (folder: string, order: string, by: string) => ({
    ours: ask("list", { folderPath: `/${folder}`, order, pageSize: PAGE_SIZE }),
    bare: {
      text: `SELECT ${COLUMNS} FROM catalogue_objects WHERE catalogue_id = $1 AND key >= $2 AND key < $3 AND NOT is_deleted ORDER BY ${by}, key LIMIT ${PAGE_SIZE}`,
      values: [id, ...Object.values(inFolder(folder))],
    },
  });
  const folders: Comparison[] = [
    { name: "folder of 1,000, newest first", ...inOrder("Page", "newest", "last_modified DESC") },
    { name: `${archive}, largest first`, ...inOrder("Archive", "largest", "size DESC") },
    {
      name: `${archive}, its total`,
      ours: ask("sizes", { folderPaths: ["/Archive"], thorough: true }),
      bare: {
        text: "SELECT count(*), sum(size) FROM catalogue_objects WHERE catalogue_id = $1 AND key >= $2 AND key < $3 AND NOT is_deleted",
        values: [id, ...Object.values(inFolder("Archive"))],
      },
    },
  ];
  const [rows, raw]: [Row[], BenchmarkResult["raw"]] = [[], {}];
  let reached = 0;
  for (const { name, ours, names, bare } of [...long, ...short, ...folders]) {
    const times = { ours: [] as number[], names: [] as number[], bare: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      times.ours.push(await timed(ours));
      if (names) times.names.push(await timed(names));
      times.bare.push(await timed(() => client.query(bare)));
    }
    const [all, own, alone] = [times.ours, names ? times.names : times.ours, times.bare].map(fastest);
    const ratio = (own ?? Number.NaN) / (alone ?? Number.NaN);
    if (names && (all ?? Number.NaN) <= MAX_SEARCH_MS && ratio <= MAX_RATIO) reached += 1;
    rows.push({
      name,
      value: inMs(all ?? Number.NaN),
      spread: spread(times.ours, inMs),
      compared: `${names ? `names alone ${inMs(own ?? Number.NaN)}, ` : ""}SQL alone ${inMs(alone ?? Number.NaN)}, ratio ${ratio.toFixed(2)}`,
    });
    Object.assign(raw, { [`${name}, ms`]: times.ours, [`${name}, SQL alone, ms`]: times.bare });
    if (names) raw[`${name}, names alone, ms`] = times.names;
  }
  rows.push({
    name: `searches of 3 letters or more within ${MAX_SEARCH_MS} ms, and names within ${MAX_RATIO} times the SQL`,
    value: `${reached} of ${long.length}`,
  });
  return { rows, raw };
}

async function measureSize(client: pg.Client, wanted: number): Promise<Part> {
  const sizes = await client.query<{ name: string; bytes: number }>(
    `SELECT relname AS name, pg_relation_size(oid)::float AS bytes FROM pg_class
     WHERE oid = 'catalogue_objects'::regclass OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'catalogue_objects'::regclass)
     ORDER BY oid`,
  );
  return {
    rows: sizes.rows.map(({ name, bytes }) => ({
      name: `size of ${name}`,
      value: `${(bytes / wanted).toFixed(0)} bytes a row`,
    })),
    raw: Object.fromEntries(sizes.rows.map(({ name, bytes }) => [`${name}, bytes`, [bytes]])),
  };
}

/** Scans of the command, without indexes for searches: as the first one is. Beside them, the same rows by one INSERT. */
async function measureScans(site: LargeSite, client: pg.Client): Promise<Part> {
  const scan = async (word: string) => {
    const child = spawn(process.execPath, [command, word, LISTED], { env: site.env, stdio: "ignore" });
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`The command ended with ${code}.`);
    const { rows } = await client.query<{ seconds: number; objects: number }>(
      "SELECT extract(epoch FROM scan_ended_at - scanned_at)::float AS seconds, objects::int FROM catalogues WHERE bucket = $1",
      [LISTED],
    );
    const [{ seconds, objects } = { seconds: Number.NaN, objects: 0 }] = rows;
    return objects / seconds;
  };
  await scan("add");
  await client.query(
    "CREATE TEMPORARY TABLE listed AS SELECT * FROM catalogue_objects; DROP INDEX catalogue_objects_folded_name_idx, catalogue_objects_folder_idx",
  );
  const rates = { first: [] as number[], repeated: [] as number[], bare: [] as number[] };
  for (let round = 0; round < SCANS; round++) {
    await client.query("TRUNCATE catalogue_objects");
    await client.query("UPDATE catalogues SET scanned_at = NULL");
    rates.first.push(await scan("scan"));
    rates.repeated.push(await scan("scan"));
    await client.query("TRUNCATE catalogue_objects");
    const ms = await timed(() =>
      client.query("INSERT INTO catalogue_objects SELECT * FROM listed ORDER BY catalogue_id, key"),
    );
    rates.bare.push((LISTED_OBJECTS * 1_000) / ms);
    await client.query("TRUNCATE catalogue_objects");
  }
  const title = `scan of ${LISTED_OBJECTS.toLocaleString("en")} objects`;
  const bare = Math.max(...rates.bare);
  return {
    rows: [
      rateRow(`${title}, empty catalogue`, rates.first, `one INSERT of the same rows ${perSecond(bare)}`),
      rateRow(`${title}, nothing differs`, rates.repeated),
    ],
    raw: {
      [`${title}, empty catalogue, objects a second`]: rates.first,
      [`${title}, nothing differs, objects a second`]: rates.repeated,
      "one INSERT of the same rows, rows a second": rates.bare,
    },
  };
}

const perSecond = (rate: number) => `${Math.round(rate).toLocaleString("en")} a second`;

const rateRow = (name: string, rates: readonly number[], compared?: string): Row => ({
  name,
  value: perSecond(Math.max(...rates)),
  spread: spread(rates, perSecond),
  compared,
});

/** Notifications of objects that exist, until each is in the catalogue. Beside them, an INSERT for each key. */
async function measureNotifications(
  { objectStore: options }: LargeSite,
  database: Database,
  client: pg.Client,
): Promise<Part> {
  const { region, accessKeyId, secretAccessKey, endpoint } = options;
  const objectStore = createObjectStore({
    ...signedWith({ region, accessKeyId, secretAccessKey }),
    endpoint,
    forcePathStyle: true,
    timeoutSeconds: 30,
  });
  const changed = new ChangedObjects({ database, objectStore });
  const changedObjects = {
    async note(names: Parameters<typeof changed.note>[0]) {
      const noted = await changed.note(names);
      await noted.observed;
      return noted;
    },
  };
  const settings = { database, objectStore, changedObjects, events: new Events(database) };
  const { rows: objects } = await client.query<{ key: string; values: unknown[] }>(
    `SELECT key, ARRAY[catalogue_id::text, key, folded_name, size::text, etag, last_modified::text, as_of::text] AS values
     FROM listed ORDER BY etag LIMIT ${NOTIFICATIONS}`,
  );
  const bareMs = await timed(async () => {
    for (const { values } of objects)
      await client.query(
        "INSERT INTO catalogue_objects (catalogue_id, key, folded_name, size, etag, last_modified, as_of) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        values,
      );
  });
  await client.query("TRUNCATE catalogue_objects");
  const ms = await timed(() =>
    mapConcurrently(objects, CONCURRENT_NOTIFICATIONS, ({ key }) => {
      const s3 = { bucket: { name: LISTED }, object: { key: encodeURIComponent(key), size: 0 } };
      const record = { eventName: "ObjectCreated:Put", eventTime: new Date().toISOString(), s3 };
      const context = contextOf(new Request("http://bench"), "/api/storage/events");
      return recordNotification(JSON.stringify({ Records: [record] }), { ...settings, context });
    }),
  );
  const { rows: written } = await client.query("SELECT 1 FROM catalogue_objects");
  if (written.length !== objects.length) throw new Error(`${written.length} rows were written.`);
  await client.query("TRUNCATE catalogue_objects");
  const [rate, bare] = [ms, bareMs].map((time) => (objects.length * 1_000) / time);
  return {
    rows: [
      {
        name: `${objects.length.toLocaleString("en")} notifications, ${CONCURRENT_NOTIFICATIONS} at a time`,
        value: perSecond(rate ?? Number.NaN),
        compared: `an INSERT of each, one after the other, ${perSecond(bare ?? Number.NaN)}`,
      },
    ],
    raw: { "notifications a second": [rate ?? Number.NaN], "INSERT a second": [bare ?? Number.NaN] },
  };
}

async function measureSearchByListing(site: LargeSite): Promise<Part> {
  const token = site.tokenFor(LISTED);
  const times: number[] = [];
  for (let round = 0; round < 2; round++)
    times.push(
      await timed(async () => {
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const body = { token, bucket: LISTED, query: PLANTED.none, cursor };
          ({ cursor } = await site.ask<SearchResult>("search", body));
        }
      }),
    );
  const name = `search by listing, ${LISTED_OBJECTS.toLocaleString("en")} objects, 0 hits`;
  return {
    rows: [
      {
        name,
        value: inSeconds(fastest(times)),
        spread: spread(times, inSeconds),
        compared: "a request to the store for each thousand objects, so the time grows with the bucket",
      },
    ],
    raw: { [`${name}, ms`]: times },
  };
}
