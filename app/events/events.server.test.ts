import { afterAll, afterEach, expect, it, vi } from "vitest";
import { startOwnDatabase } from "../../tests/support/databases/own-database";
import { query } from "../../tests/support/databases/postgres";
import { createDatabase } from "../providers/database.server";
import { standardError } from "../shared/log.server";
import { Events, newEventId } from "./events.server";

const own = await startOwnDatabase();
const limits = {
  connectionMs: 3_000,
  stuckMs: 3_000,
  statementMs: 200,
  queryMs: 1_000,
  transactionMs: 1_000,
  silenceMs: 3_000,
  pingMs: 1_500,
};
const database = createDatabase({ url: own.url, poolSize: 2, limits });
afterAll(async () => {
  await database.$disconnect();
  await own.stop();
});
afterEach(() => vi.restoreAllMocks());

const eventOf = (key: string) =>
  ({ type: "file.deleted", companyId: null, bucket: "customers", key, data: {} }) as const;
const written = async () => {
  const rows = await query<{ key: string }>(own.url, "SELECT key FROM events ORDER BY occurred_at, id");
  return rows.map(({ key }) => key);
};

it("an event that the database takes too long to write holds up no others, and is given up", async () => {
  const logged = vi.spyOn(standardError, "write").mockReturnValue();
  await query(
    own.url,
    `CREATE FUNCTION write_slowly() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';
     CREATE TRIGGER slow BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.key = 'slow') EXECUTE FUNCTION write_slowly()`,
  );
  const events = new Events(database);
  const keys = ["1", "2", "3", "4", "5"];
  await Promise.all(
    [...keys.slice(0, 2), "slow", ...keys.slice(2)].map((key) => events.record(eventOf(key))),
  );
  await expect.poll(written).toEqual(keys);
  // It is tried again after others were written, and not for ever.
  const isGivenUp = () => logged.mock.calls.some(([line]) => line.includes("took the database too long"));
  for (let further = 6; !isGivenUp() && further < 100; further++) {
    keys.push(`${further}`);
    void events.record(eventOf(`${further}`));
    await expect.poll(written).toEqual(keys);
  }
  expect(isGivenUp()).toBe(true);
  await events.flush();
  expect(await written()).toEqual(keys);
});

it("a database that is too slow for everything loses nothing", async () => {
  vi.spyOn(standardError, "write").mockReturnValue();
  const before = await written();
  await query(own.url, "DROP TRIGGER slow ON events");
  await query(
    own.url,
    "CREATE TRIGGER slow BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION write_slowly()",
  );
  const slow = vi.spyOn(database, "$driverQuery");
  const events = new Events(database);
  void events.record(eventOf("a"));
  void events.record(eventOf("b"));
  // More attempts than a single slow event has.
  await expect.poll(() => slow.mock.calls.length).toBeGreaterThan(10);
  await query(own.url, "DROP TRIGGER slow ON events");
  await expect.poll(async () => (await written()).sort()).toEqual([...before, "a", "b"].sort());
});

it("a version that was reported many times is compared with the record once", async () => {
  const statements = vi.spyOn(database, "$driverQuery");
  const events = new Events(database);
  const id = newEventId();
  const upload = {
    ...eventOf("c"),
    type: "file.uploaded",
    id,
    data: { etag: "one", version: "v1" },
  } as const;
  await Promise.all(Array.from({ length: 10 }, () => events.recordUpload({ ...upload, seenAt: new Date() })));
  const rows = statements.mock.calls.map(([{ values }]) => JSON.parse(String(values[0])).length);
  expect(rows).toEqual([1, 1]);
});
