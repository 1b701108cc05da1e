import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { query } from "../../tests/support/databases/postgres";
import { addSuppressions, findSuppressed, listSuppressions, removeSuppressions } from "./suppressions.server";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startOwnDatabase();
});
afterAll(() => own?.stop());
beforeEach(() => query(own.url, "TRUNCATE email_suppressions"));

const add = (addresses: string[], reason: Parameters<typeof addSuppressions>[2]["reason"], site?: string) =>
  addSuppressions(own.database, addresses, site === undefined ? { reason } : { reason, site });
const find = async (addresses: string[], site?: string) =>
  [...(await findSuppressed(own.database, addresses, site))].sort();
const all = async (only = {}) => {
  const found = [];
  for await (const suppression of listSuppressions(own.database, only)) found.push(suppression);
  return found;
};

it("stops every e-mail after a bounce or complaint, and the campaigns of one site after an unsubscribe", async () => {
  await add(["a@example.com"], "bounce");
  await add(["b@example.com"], "complaint");
  await add(["c@example.com"], "unsubscribe", "north.example");
  await add(["d@example.com"], "manual");
  const everybody = ["a", "b", "c", "d", "e"].map((name) => `${name}@example.com`);
  expect(await find(everybody)).toEqual(["a@example.com", "b@example.com", "d@example.com"]);
  expect(await find(everybody, "north.example")).toEqual(everybody.slice(0, 4));
  expect(await find(everybody, "south.example")).toEqual(await find(everybody));
  expect(await find([])).toEqual([]);
});

it("knows an address in whatever case, and keeps what was noted first", async () => {
  expect(await add(["Ada@Example.com", "ada@example.COM"], "bounce")).toBe(1);
  const [first] = await all();
  expect(first).toEqual({
    address: "ada@example.com",
    site: "",
    reason: "bounce",
    createdAt: expect.any(Date),
  });
  expect(Math.abs(Date.now() - Number(first?.createdAt))).toBeLessThan(600_000);
  expect(await add(["ada@example.com"], "bounce")).toBe(0);
  expect(await all()).toEqual([first]);
  expect(await find(["ADA@example.com"])).toEqual(["ada@example.com"]);
  expect(await removeSuppressions(own.database, "ADA@example.com")).toBe(1);
  expect(await find(["ada@example.com"])).toEqual([]);
});

it("can be told the same many times at once, in any order", async () => {
  const addresses = Array.from({ length: 50 }, (_, index) => `person-${index}@example.com`);
  const times = Array.from({ length: 8 }, (_, index) => (index % 2 ? addresses : addresses.toReversed()));
  const added = await Promise.all(times.map((some) => add(some, "complaint")));
  expect(added.reduce((sum, count) => sum + count)).toBe(50);
  const removed = await Promise.all(
    times.map(() => removeSuppressions(own.database, "person-1@example.com")),
  );
  expect(removed.reduce((sum, count) => sum + count)).toBe(1);
});

it("forgets one reason where it is told which", async () => {
  const undo = (only: object) => removeSuppressions(own.database, "a@example.com", only);
  await add(["a@example.com"], "complaint");
  await add(["a@example.com"], "unsubscribe", "north.example");
  await add(["a@example.com"], "unsubscribe", "south.example");
  expect(await undo({ reason: "unsubscribe", site: "north.example" })).toBe(1);
  expect(await undo({ reason: "bounce" })).toBe(0);
  expect((await all()).map(({ reason, site }) => [reason, site])).toEqual([
    ["complaint", ""],
    ["unsubscribe", "south.example"],
  ]);
  expect(await undo({})).toBe(2);
});

it("lists any number, each once, while others come and go", async () => {
  await query(
    own.url,
    `INSERT INTO email_suppressions (address, site, reason)
     SELECT 'p' || n || '@example.com', s, 'unsubscribe' FROM generate_series(1, 1250) AS n, (VALUES ('a'), ('b')) AS sites (s)`,
  );
  const seen = [];
  for await (const { address, site } of listSuppressions(own.database, { reason: "unsubscribe" })) {
    if (seen.length === 500) await removeSuppressions(own.database, "p1@example.com");
    seen.push(`${address} ${site}`);
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.length).toBeGreaterThanOrEqual(2_498);
  expect(await all({ site: "b" })).toHaveLength(1_249);
});

it("is read by its key, however long the list is", async () => {
  await query(
    own.url,
    `INSERT INTO email_suppressions (address, reason) SELECT 'p' || n || '@example.com', 'bounce' FROM generate_series(1, 20000) AS n`,
  );
  await query(own.url, "ANALYZE email_suppressions");
  const plan = await query<{ "QUERY PLAN": string }>(
    own.url,
    "EXPLAIN SELECT DISTINCT address FROM email_suppressions WHERE address = ANY($1) AND site = ANY($2)",
    [
      ["p1@example.com", "nobody@example.com"],
      ["", "north.example"],
    ],
  );
  const lines = plan.map((row) => row["QUERY PLAN"]).join("\n");
  expect(lines).toContain("email_suppressions_pkey");
  expect(lines).not.toContain("Seq Scan");
});

it.each([
  ["an address that is not in lower case", "('A@example.com', 'bounce')"],
  ["a reason that there is none of", "('a@example.com', 'mood')"],
])("refuses %s, whoever writes it", async (_, row) => {
  await expect(
    query(own.url, `INSERT INTO email_suppressions (address, reason) VALUES ${row}`),
  ).rejects.toThrow(/check/);
});
