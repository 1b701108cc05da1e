import { afterAll, beforeAll, expect, it } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { readPlan } from "../../tests/support/databases/plan";
import { query } from "../../tests/support/databases/postgres";
import { countOutcomes, findOutcomes, types } from "./campaign-outcomes.server";
import { selectOutcomeCounts, selectOutcomes } from "./campaigns.sql.server";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startOwnDatabase();
  // 50 campaigns of 200 recipients; each e-mail was delivered, and every second one was opened later.
  for (const [type, step, later] of [
    ["email.delivered", 1, 0],
    ["email.opened", 2, 60],
  ] as const)
    await query(
      own.url,
      `INSERT INTO events (id, type, occurred_at, campaign_id, recipient, data, source)
       SELECT gen_random_uuid(), $1, now() AT TIME ZONE 'utc' + $3::int * interval '1 second', 'campaign-' || campaign,
              recipient || '@example.com', '{}', 'service'
         FROM generate_series(1, 50) AS campaign, generate_series(1, 200, $2::int) AS recipient`,
      [type, step, later],
    );
  await query(own.url, "VACUUM ANALYZE events");
});
afterAll(() => own?.stop());

it("counts each recipient of the campaign once for each outcome", async () => {
  await query(
    own.url,
    "INSERT INTO events SELECT gen_random_uuid(), type, occurred_at, \"companyId\", client_id, visitor_id, visitor_name, request_id, bucket, key, database_id, campaign_id, recipient, data, source FROM events WHERE campaign_id = 'campaign-7' AND type = 'email.opened'",
  );
  expect(await countOutcomes(own.database, "campaign-7")).toEqual({
    delivered: 200,
    bounced: 0,
    complained: 0,
    opened: 100,
    clicked: 0,
    unsubscribed: 0,
  });
  expect(await countOutcomes(own.database, "no campaign")).toMatchObject({ delivered: 0 });
});

it("finds what was said last of each e-mail", async () => {
  const found = await findOutcomes(own.database, "campaign-7", [
    "1@example.com",
    "2@example.com",
    "x@example.com",
  ]);
  expect([...found]).toEqual([
    ["1@example.com", "opened"],
    ["2@example.com", "delivered"],
  ]);
});

it("reads no other campaign's events", async () => {
  for (const [{ text, values }, most] of [
    [selectOutcomeCounts("campaign-7", types), 500],
    [selectOutcomes("campaign-7", ["57@example.com", "58@example.com"], types), 4],
  ] as const) {
    const { indexes, read } = await readPlan(own.url, text, values);
    expect(indexes).toEqual(["events_campaign_id_idx"]);
    expect(read).toBeLessThanOrEqual(most);
  }
});
