import { afterAll, beforeAll, expect, it } from "vitest";
import { startOwnDatabase } from "../../tests/support/databases/own-database";
import { readPlan } from "../../tests/support/databases/plan";
import { query } from "../../tests/support/databases/postgres";
import type { Sql } from "../providers/sql.server";
import { newEventId } from "./events.server";
import { findFurtherUploads, insertEvents } from "./events.sql.server";

const own = await startOwnDatabase();
const object = { bucket: "customers", key: "shared/a.txt" };
const mark = newEventId();
const DOWNLOADS = 20_000;

beforeAll(async () => {
  const row = { ...object, id: mark, type: "file.uploaded", source: "service", data: { etag: "one" } };
  await insertEvents(own.database, [{ ...row, occurredAt: new Date(Date.now() - 60_000).toISOString() }]);
  await query(
    own.url,
    `INSERT INTO events (id, type, occurred_at, bucket, key, source)
     SELECT gen_random_uuid(), 'file.download_signed', now() AT TIME ZONE 'UTC' - n * interval '1 ms', $2, $3, 'service'
     FROM generate_series(1, $1::int) AS n`,
    [DOWNLOADS, object.bucket, object.key],
  );
  // What others have changed meanwhile.
  await query(
    own.url,
    `INSERT INTO events (id, type, occurred_at, bucket, key, data, source)
     SELECT gen_random_uuid(), CASE WHEN n % 2 = 0 THEN 'file.moved' ELSE 'file.uploaded' END,
       now() AT TIME ZONE 'UTC' - n * interval '1 ms', 'bucket-' || n % 10, n::text, jsonb_build_object('from', 'from-' || n), 'service'
     FROM generate_series(1, $1::int) AS n`,
    [DOWNLOADS],
  );
  await query(own.url, "ANALYZE events");
});
afterAll(() => own.stop());

/** The plan of the statement that `write` runs. */
async function planOf(write: (database: Pick<typeof own.database, "$driverQuery">) => Promise<unknown>) {
  let statement: Pick<Sql, "text" | "values"> | undefined;
  await write({
    $driverQuery: async (given) => {
      statement = given as Sql;
      return [];
    },
  });
  return readPlan(own.url, statement?.text ?? "", statement?.values ?? []);
}

it.each([{ etag: "two", version: "v2" }, { etag: "two" }])(
  "downloads of a file that were signed thousands of times cost its next uploads nothing: %o",
  async (data) => {
    const now = new Date().toISOString();
    const upload = {
      ...object,
      id: mark,
      type: "file.uploaded",
      source: "service",
      occurredAt: now,
      seenAt: now,
      companyId: null,
      data,
    } as const;
    for (const write of [insertEvents, findFurtherUploads]) {
      const { read, indexes } = await planOf((database) => write(database, [upload]));
      expect(read, `${write.name} ${indexes}`).toBeLessThan(DOWNLOADS / 10);
    }
  },
);
