import { afterAll, beforeAll, expect, it } from "vitest";
import { startOwnDatabase } from "../../../../tests/support/databases/own-database";
import { query } from "../../../../tests/support/databases/postgres";
import { findUploadsOf } from "./uploads.sql.server";

const own = await startOwnDatabase();
const object = { bucket: "customers", key: "shared/a.txt" };

/** Adds rows as signing so many URLs leaves them. @returns their ids, oldest first */
async function begin(count: number, visitor: string | null): Promise<string[]> {
  const rows = await query<{ id: string }>(
    own.url,
    `INSERT INTO pending_events (id, change, type, pending_since, "companyId", client_id, visitor_id, request_id, bucket, key)
     SELECT id, id, 'file.uploaded', now() AT TIME ZONE 'UTC', 'company', 'client', $2, 'request', $3, $4
     FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $1::int)) AS made RETURNING id`,
    [count, visitor, object.bucket, object.key],
  );
  return rows.map(({ id }) => id).sort();
}

const find = (visitorId: string | undefined, mark?: string) =>
  findUploadsOf(own.database, object, mark, { clientId: "client", visitorId });

let many: string[];
beforeAll(async () => {
  many = await begin(5_000, "eve");
  await query(own.url, "ANALYZE pending_events");
});
afterAll(() => own.stop());

it("a visitor who has begun thousands of uploads of a file costs others nothing", async () => {
  const [ofAda, ofNobody] = [await begin(2, "ada"), await begin(1, null)];
  const pending = (ids: string[]) => ids.map((id) => ({ id, isPending: true, isOwn: true }));
  expect(await find("ada")).toEqual(expect.arrayContaining(pending(ofAda)));
  expect(await find("ada")).toHaveLength(2);
  expect(await find(undefined)).toEqual(pending(ofNobody));
  // The newest are enough, and the one that the key holds is always among them.
  const found = await find("eve", many[0]);
  expect(found.map(({ id }) => id).sort()).toEqual([many[0], ...many.slice(-200)]);
  expect(await find("ada", many[0])).toContainEqual({ id: many[0], isPending: true, isOwn: false });
});
