import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { query } from "../../tests/support/databases/postgres";
import { newBucketName } from "../../tests/support/files/bucket";
import { addCatalogue } from "./catalogues.server";
import {
  areFilled,
  type LogPosition,
  parsePosition,
  readChanges,
  textOfPosition,
} from "./change-log.sql.server";
import { ChangeLogWorker } from "./change-log-worker.server";
import { type ObservedObject, readClock, writeObserved } from "./objects.sql.server";
import { applyStep, beginScan, takeRange } from "./scan.sql.server";
import { toStoredKey } from "./stored-key";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startOwnDatabase();
});
afterAll(() => own?.stop());

const object = { size: 3, etag: '"e"', lastModified: new Date("2026-01-01T00:00:00Z") };

async function newCatalogue(scannedAt: Date | null = new Date()) {
  const bucket = newBucketName();
  const { id } = await addCatalogue(own.database, bucket);
  await own.database.catalogue.update({ where: { id }, data: { scannedAt } });
  const observed = async (
    key: string,
    written: ObservedObject["object"] = object,
  ): Promise<ObservedObject> => ({
    bucket,
    key,
    asOf: await readClock(own.database),
    object: written,
  });
  return {
    id,
    bucket,
    observed,
    note: async (key: string, content?: ObservedObject["object"]) =>
      writeObserved(own.database, [await observed(key, content)]),
    read: (after?: LogPosition, prefix?: string) =>
      readChanges(own.database, [id], prefix === undefined ? { after } : { after, prefix }),
  };
}

const keysOf = ({ changes }: Awaited<ReturnType<typeof readChanges>>) =>
  changes.map(({ key, size }) => (size === null ? `-${key}` : key)).sort();

describe("the log of a catalogue", () => {
  it("tells what was written after a position, and what is stored there now", async () => {
    const { id, note, read } = await newCatalogue();
    const start = (await read()).position;
    await note("a/1.txt");
    await note("odd\0\u0001.txt", null);
    const found = await read(start);
    expect(found.changes).toHaveLength(2);
    expect(found.changes).toContainEqual({ catalogueId: id, key: "a/1.txt", ...object });
    expect(keysOf(found)).toEqual(["-odd\0\u0001.txt", "a/1.txt"]);
    expect(keysOf(await read(found.position))).toEqual([]);
    expect(keysOf(await read(start, "a/"))).toEqual(["a/1.txt"]);
    // Whoever has no position gets what was written while they listed the folder.
    expect(keysOf(await read())).toHaveLength(2);
  });

  it("loses nothing of transactions that end in another order than they began", async () => {
    const { read, observed } = await newCatalogue();
    const [early, late] = [new Client(own.url), new Client(own.url)];
    await Promise.all([early.connect(), late.connect()]);
    const noteIn = async (client: Client, key: string) =>
      writeObserved(
        {
          $driverQuery: async ({ text, values }: { text: string; values: readonly unknown[] }) =>
            (await client.query(text, [...values])).rows,
        },
        [await observed(key)],
      );
    try {
      const start = (await read()).position;
      await early.query("BEGIN");
      await noteIn(early, "early");
      await late.query("BEGIN");
      await noteIn(late, "late");
      await late.query("COMMIT");
      const first = await read(start);
      expect(keysOf(first)).toEqual(["late"]);
      const second = await read(first.position);
      expect(keysOf(second)).toEqual([]);
      await early.query("COMMIT");
      const third = await read(second.position);
      expect(keysOf(third)).toEqual(["early"]);
      expect(keysOf(await read(third.position))).toEqual([]);
    } finally {
      await Promise.all([early.end(), late.end()]);
    }
  });

  it("has nothing of a first scan, nor of buckets without a catalogue", async () => {
    const { note, read, observed, bucket } = await newCatalogue(null);
    await note("a");
    await writeObserved(own.database, [{ ...(await observed("a")), bucket: `${bucket}-2` }]);
    expect((await read()).changes).toEqual([]);
  });

  it("has what a scan repairs, and one row for very much", async () => {
    const { id, note, read } = await newCatalogue();
    await note("b/gone");
    await note("same");
    await beginScan(own.database, id);
    const range = await takeRange(own.database, id);
    if (range === undefined) throw new Error("There is a range.");
    const start = (await read()).position;
    const step = (keys: string[], after: string, end: string | null) =>
      readClock(own.database).then((askedAt) =>
        applyStep(own.database, {
          catalogueId: id,
          range: { ...range, after },
          objects: keys.map((key) => ({ ...object, modified: 0, key })),
          end,
          askedAt,
        }),
      );
    await step(["a", "b/new", "same"], "", "same");
    const repaired = await read(start);
    expect(keysOf(repaired)).toEqual(["-b/gone", "a", "b/new"]);
    await step(
      Array.from({ length: 1_001 }, (_, index) => `t/${index}`),
      "same",
      null,
    );
    const { changes, incomplete } = await read(repaired.position, "elsewhere/");
    expect(changes).toEqual([]);
    expect([...incomplete]).toEqual([id]);
  });

  it("says when a position is too old, of another database, or there is too much", async () => {
    const { id, read } = await newCatalogue();
    const other = await newCatalogue();
    const { position } = await read();
    const isIncomplete = async (after: LogPosition, prefix?: string) =>
      (await read(after, prefix)).incomplete.has(id);
    expect(await isIncomplete(position)).toBe(false);
    expect(await isIncomplete({ ...position, readAt: position.readAt - 3_400 })).toBe(true);
    expect(await isIncomplete({ ...position, snapshot: "900000000000:900000000000:" })).toBe(true);
    await writeRows(id, 1_001);
    await other.note("few");
    expect(await isIncomplete(position)).toBe(true);
    expect(await isIncomplete(position, "few/")).toBe(false);
    const both = await readChanges(own.database, [id, other.id], { after: position });
    expect([...both.incomplete]).toEqual([id]);
    expect(both.changes.filter(({ catalogueId }) => catalogueId === other.id)).toMatchObject([
      { key: "few" },
    ]);
    await writeRows(id, 19_000);
    expect(await isIncomplete(position, "few/")).toBe(true);
  });

  it("is not read for a position that is too old or of another database", async () => {
    const { id, read } = await newCatalogue();
    const { position } = await read();
    await writeRows(id, 1_000);
    await query(own.url, "ANALYZE catalogue_changes");
    for (const after of [
      { ...position, readAt: position.readAt - 3_400 },
      { snapshot: "3:3:", readAt: 1 },
      { ...position, snapshot: "900000000000:900000000000:" },
    ]) {
      const plan = await planOf(id, after, "EXPLAIN ANALYZE");
      expect(plan).toMatch(/on catalogue_changes .*\(never executed\)/);
      expect(plan).not.toMatch(/on catalogue_changes .*actual/);
    }
    // As far in the future as a position can be.
    const future = parsePosition(`99999999999.${position.snapshot}`);
    expect((await read(future)).changes).toEqual([]);
  });

  it("is not read again from where a transaction began that does not end", async () => {
    const { id, note, read } = await newCatalogue();
    const endless = new Client(own.url);
    await endless.connect();
    try {
      await endless.query("BEGIN");
      await endless.query("SELECT pg_current_xact_id()");
      const { position } = await read();
      await writeRows(id, 10, "10 minutes");
      await note("new");
      // What was seen, by its time.
      expect(keysOf(await read(position))).toEqual(["new"]);
    } finally {
      await endless.end();
    }
  });

  it("finds its rows by an index", async () => {
    const { id, read } = await newCatalogue();
    const other = await newCatalogue();
    await writeRows(other.id, 20_000, "30 minutes");
    await query(own.url, "ANALYZE catalogue_changes");
    const plan = await planOf(id, (await read()).position, "EXPLAIN");
    expect(plan).toMatch(/Scan (using|on) catalogue_changes_(catalogue_id_xid_idx|pkey)/);
    expect(plan).not.toContain("Seq Scan on catalogue_changes");
  });
});

it("a worker deletes what is older than an hour, in any number of batches, and nothing else", async () => {
  const { id } = await newCatalogue();
  await writeRows(id, 2_001, "61 minutes");
  await writeRows(id, 3, "59 minutes");
  const worker = new ChangeLogWorker(own.database);
  const counts: number[] = [];
  for (let attempt = 0; attempt < 4; attempt++) counts.push(await worker.runDue());
  // The last one was not full, so nothing is due for a minute.
  expect(counts).toEqual([1, 1, 1, 0]);
  const left = await query<{ count: string }>(
    own.url,
    "SELECT count(*) FROM catalogue_changes WHERE catalogue_id = $1",
    [id],
  );
  expect(left).toEqual([{ count: "3" }]);
});

let written = 0;
/** Writes rows of the log. @param ago how old they are */
const writeRows = (id: number, count: number, ago = "0") =>
  query(
    own.url,
    `INSERT INTO catalogue_changes (catalogue_id, key, written_at)
     SELECT $1, 'k' || $2::int || '/' || number, now() AT TIME ZONE 'UTC' - $3::interval FROM generate_series(1, $4) AS number`,
    [id, written++, ago, count],
  );

/** How PostgreSQL reads the log. */
async function planOf(id: number, after: LogPosition, explain: string): Promise<string> {
  let plan = "";
  await readChanges(
    {
      $driverQuery: async ({ text, values }: { text: string; values: readonly unknown[] }) => {
        const rows = await query<{ "QUERY PLAN": string }>(own.url, `${explain} ${text}`, [...values]);
        plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
        return (await own.database.$driverQuery({ text, values })) as never;
      },
    },
    [id],
    { after },
  );
  return plan;
}

describe("a position", () => {
  it("is the same after it was sent", () => {
    for (const snapshot of ["10:10:", "10:20:10,14"])
      expect(parsePosition(textOfPosition({ snapshot, readAt: 7 }))).toEqual({ snapshot, readAt: 7 });
    const many = `10:9000:${Array.from({ length: 500 }, (_, index) => 10 + index).join(",")}`;
    expect(textOfPosition({ snapshot: many, readAt: 7 })).toBe("7.10:10:");
  });

  it("is refused if PostgreSQL would not take it", () => {
    for (const text of [
      "",
      "7",
      "7.",
      "7.20:10:",
      "7.0:0:",
      "7.10:20:9",
      "7.10:20:20",
      "7.10:20:14,12",
      "7.a:b:",
      "x.1:1:",
      "100000000000.1:1:",
    ])
      expect(parsePosition(text)).toBeUndefined();
  });
});

it("a folder is empty when the last of its objects is deleted", async () => {
  const { id, note } = await newCatalogue();
  await note("left/a");
  await note("gone/a", null);
  await note("left\u{10ffff}", null);
  await query(
    own.url,
    `INSERT INTO catalogue_objects (as_of, last_modified, size, catalogue_id, is_deleted, key, folded_name, etag)
     SELECT now(), now(), 0, $1, true, 'many/' || number, '', '' FROM generate_series(1, 500) AS number`,
    [id],
  );
  const prefixes = ["left/", "gone/", "never/", "many/", toStoredKey("")];
  const found = await areFilled(
    own.database,
    prefixes.map((prefix) => ({ catalogueId: id, prefix })),
  );
  expect(found).toEqual([true, false, false, null, true]);
});
