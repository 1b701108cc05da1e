import { afterAll, beforeAll, expect, it } from "vitest";
import { startOwnDatabase } from "../../../tests/support/databases/own-database";
import { readPlan } from "../../../tests/support/databases/plan";
import { query } from "../../../tests/support/databases/postgres";
import { selectIsOurs } from "./notifications.sql.server";

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
