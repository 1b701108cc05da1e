import { afterAll, beforeAll, expect, it } from "vitest";
import { startOwnDatabase } from "../../../tests/support/databases/own-database";
import { readPlan } from "../../../tests/support/databases/plan";
import { query } from "../../../tests/support/databases/postgres";
import { findPendingUpload, selectIsOurs, selectPendingUpload } from "./notifications.sql.server";

const own = await startOwnDatabase();

/** As many people leave in minutes: URLs of uploads that are not used yet, and of downloads. */
const COUNT = 5_000;

beforeAll(async () => {
  const who = `"companyId", client_id, visitor_id, request_id, bucket, key`;
  const they = `'company', 'client', 'eve', 'request', 'customers', 'eve/' || n || '.txt' FROM generate_series(1, ${COUNT}) AS n`;
  await query(
    own.url,
    `INSERT INTO pending_events (id, change, type, pending_since, ${who})
     SELECT gen_random_uuid(), n, 'file.uploaded', now() AT TIME ZONE 'UTC', ${they}`,
  );
  await query(
    own.url,
    `INSERT INTO events (id, type, occurred_at, source, data, ${who})
     SELECT gen_random_uuid(), 'file.download_signed', now() AT TIME ZONE 'UTC', 'service', '{}', ${they}`,
  );
  await query(own.url, "ANALYZE");
});
afterAll(() => own.stop());

it.each(["created", "copied", "deleted"] as const)(
  "a notification that something was %s does not read what else happens in its bucket",
  async (kind) => {
    const change = { kind, content: "etag or version", time: new Date() };
    const { text, values } = selectIsOurs({ bucket: "customers", key: "other.txt" }, change);
    expect((await readPlan(own.url, text, values)).read).toBeLessThan(10);
  },
);

/** Adds rows as signing so many upload URLs leaves them. @returns their ids, oldest first */
async function begin(key: string, count: number, visitor: string, size = 5): Promise<string[]> {
  const rows = await query<{ id: string }>(
    own.url,
    `INSERT INTO pending_events (id, change, type, pending_since, "companyId", client_id, visitor_id, request_id, bucket, key, data)
     SELECT id, id, 'file.uploaded', now() AT TIME ZONE 'UTC', 'company', 'client', $2, 'request', 'customers', $3, jsonb_build_object('size', $4::int)
     FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $1::int)) AS made RETURNING id`,
    [count, visitor, key, size],
  );
  return rows.map(({ id }) => id).sort();
}
const stored = () => ({ time: new Date(Date.now() + 60_000), size: "5" });
const find = (key: string) => findPendingUpload(own.database, { bucket: "customers", key }, stored());

it("a notification of a file that thousands of uploads were begun of reads some of them", async () => {
  await begin("many.txt", COUNT, "eve");
  await query(own.url, "ANALYZE");
  const { text, values } = selectPendingUpload({ bucket: "customers", key: "many.txt" }, stored());
  expect((await readPlan(own.url, text, values)).read).toBeLessThan(500);
});

it("a stored file whose upload only one person has begun is theirs, however many they have begun", async () => {
  const [one] = await begin("one.txt", 1, "ada");
  await begin("one.txt", 300, "eve", 6);
  expect(await find("one.txt")).toBe(one);
  const ids = await begin("all-of-one.txt", 1_000, "ada");
  expect(ids).toContain(await find("all-of-one.txt"));
});

it.each([1, 399, 1_000])(
  "a stored file is nobody's where another has begun %i uploads of it",
  async (count) => {
    await begin(`shared-${count}.txt`, 1, "ada");
    await begin(`shared-${count}.txt`, count, "eve");
    await begin(`shared-${count}.txt`, 1, "zoe", 6);
    expect(await find(`shared-${count}.txt`)).toBeUndefined();
  },
);

it("a stored file is nobody's where others have begun more uploads of it than are looked at", async () => {
  for (const visitor of ["ada", "zoe"]) await begin("others.txt", 200, visitor);
  const [between] = await begin("others.txt", 1, "eve");
  expect(await find("others.txt")).not.toBe(between);
  expect(await find("others.txt")).toBeUndefined();
});
