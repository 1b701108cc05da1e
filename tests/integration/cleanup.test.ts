/** `npm run cleanup` deletes only expired rows, also while others are working. */
import { beforeAll, describe, expect, inject, it } from "vitest";
import { markSent } from "../../app/campaigns/campaigns.sql.server";
import { claimJob } from "../../app/campaigns/send-campaign-email.server";
import {
  cleanup as cleanupCommand,
  databaseCreations,
  emailDeliveries,
  idempotencyKeys,
  tokenRevocations,
  unfinishedUploads,
} from "../../app/commands/cleanup";
import { deleteBatch } from "../../app/commands/cleanup.sql.server";
import { deploymentEnv, makeDatabase, withDatabase } from "../support/app/deployment";
import { runHere, runProcess } from "../support/app/run-command";
import { query } from "../support/databases/postgres";

const stack = inject("stack");

let database: string;
beforeAll(async () => {
  database = await makeDatabase(stack);
});

const cleanup = (words: string[] = [], changes: Record<string, string> = {}) =>
  runHere("cleanup", cleanupCommand, words, { ...deploymentEnv(stack, database), ...changes });
const cleanupProcess = () => runProcess("cleanup", [], deploymentEnv(stack, database));

/** Inserts `count` deliveries of a campaign that were claimed `daysAgo`. */
const deliver = (campaign: string, count: number, daysAgo: number, status = "sent") =>
  query(
    database,
    `INSERT INTO email_deliveries (campaign_id, recipient, status, claim_id, claimed_at, sent_at)
     SELECT $1, n || '@example.com', $4, 'claim-' || n, claimed, CASE WHEN $4 = 'sent' THEN claimed END
       FROM generate_series(1, $2::int) AS n, (SELECT now() AT TIME ZONE 'utc' - $3::float8 * interval '1 day' AS claimed) AS c`,
    [campaign, count, daysAgo, status],
  );
const campaigns = async () =>
  Object.fromEntries(
    (
      await query<{ campaign_id: string; count: number }>(
        database,
        "SELECT campaign_id, count(*)::int AS count FROM email_deliveries GROUP BY 1 ORDER BY 1",
      )
    ).map((row) => [row.campaign_id, row.count]),
  );
const forget = () => query(database, "TRUNCATE email_deliveries");

describe("npm run cleanup", () => {
  it("deletes expired records of sent e-mails and lost claims, and keeps the rest", async () => {
    await forget();
    await deliver("old", 2_500, 400.1);
    await deliver("old-claims", 3, 500, "claimed");
    await deliver("nearly-old", 5, 399.9);
    await deliver("new", 5, 0);
    const before = await campaigns();
    expect(await cleanup(["--dry-run"])).toMatchObject({
      code: 0,
      stdout:
        "email_deliveries: 2503 rows are older than 400 days. Nothing was deleted.\n" +
        "stopped_campaigns: 0 rows are older than 400 days. Nothing was deleted.\n" +
        "events: 0 rows are older than 400 days. Nothing was deleted.\n" +
        "webhook_deliveries: 0 rows are older than 400 days. Nothing was deleted.\n" +
        "idempotency_keys: 0 rows are older than 25 hours. Nothing was deleted.\n" +
        "token_revocations: 0 rows are older than 2 hours. Nothing was deleted.\n" +
        "unfinished_uploads: 0 rows are older than 7 days. Nothing was deleted.\n" +
        "database_creations: 0 rows are older than 30 days. Nothing was deleted.\n" +
        "object_claims: 0 rows are older than 1 hour. Nothing was deleted.\n" +
        "catalogue_changes: 0 rows are older than 1 hour. Nothing was deleted.\n",
    });
    expect(await campaigns()).toEqual(before);
    expect(await cleanup()).toMatchObject({
      code: 0,
      stdout:
        "email_deliveries: deleted 2503 rows older than 400 days.\n" +
        "stopped_campaigns: deleted 0 rows older than 400 days.\n" +
        "events: deleted 0 rows older than 400 days.\n" +
        "webhook_deliveries: deleted 0 rows older than 400 days.\n" +
        "idempotency_keys: deleted 0 rows older than 25 hours.\n" +
        "token_revocations: deleted 0 rows older than 2 hours.\n" +
        "unfinished_uploads: deleted 0 rows older than 7 days.\n" +
        "database_creations: deleted 0 rows older than 30 days.\n" +
        "object_claims: deleted 0 rows older than 1 hour.\n" +
        "catalogue_changes: deleted 0 rows older than 1 hour.\n" +
        "webhook_deliveries: deleted 0 rows of webhooks that were removed.\n" +
        "Changes that were cut off: 0 had been made, 0 had not.\n",
    });
    expect(await campaigns()).toEqual({ new: 5, "nearly-old": 5 });
    expect(await cleanup()).toMatchObject({ code: 0, stdout: expect.stringContaining("deleted 0 rows") });
  });

  it("follows EMAIL_DELIVERIES_KEEP_DAYS and refuses invalid values", async () => {
    await forget();
    await deliver("two-days", 4, 2);
    await deliver("today", 1, 0.5);
    expect((await cleanup([], { EMAIL_DELIVERIES_KEEP_DAYS: "1" })).stdout).toContain(
      "deleted 4 rows older than 1 day.",
    );
    expect(await campaigns()).toEqual({ today: 1 });
    for (const wrong of ["0", "-5", "many"]) {
      const { code, stderr } = await cleanup([], { EMAIL_DELIVERIES_KEEP_DAYS: wrong });
      expect([code, stderr]).toEqual([1, expect.stringContaining("EMAIL_DELIVERIES_KEEP_DAYS is invalid")]);
    }
    expect(await campaigns()).toEqual({ today: 1 });
  });

  it("deletes idempotency keys after a day, and never suppressed addresses", async () => {
    const use = (name: string, hoursAgo: number) =>
      query(
        database,
        `INSERT INTO idempotency_keys (key_hash, body_hash, created_at, claimed_at)
         SELECT $1 || n, '', at, at FROM generate_series(1, 1500) AS n, (SELECT now() AT TIME ZONE 'utc' - $2::float8 * interval '1 hour' AS at) AS a`,
        [name, hoursAgo],
      );
    await use("old", 25.1);
    await use("of-today", 24.9);
    await query(
      database,
      "INSERT INTO email_suppressions (address, reason, created_at) VALUES ('a@b.example', 'complaint', '2001-01-01')",
    );
    expect((await cleanup()).stdout).toContain("idempotency_keys: deleted 1500 rows older than 25 hours.\n");
    const left = await query(
      database,
      "SELECT rtrim(key_hash, '0123456789') AS name, count(*)::int FROM idempotency_keys GROUP BY 1",
    );
    expect(left).toEqual([{ name: "of-today", count: 1500 }]);
    expect(await query(database, "SELECT * FROM email_suppressions")).toHaveLength(1);
  });

  it("can run several times at once while claims are taken over", async () => {
    await forget();
    await deliver("old", 8_000, 500);
    // The newest of the expired rows, so that it is deleted last.
    await deliver("lost", 1, 499, "claimed");
    const key = { campaignId: "lost", recipient: "1@example.com" };
    await withDatabase(database, async (service) => {
      const [first, second, claim] = await Promise.all([
        cleanupProcess(),
        cleanupProcess(),
        claimJob(service, key).then(async (won) => {
          if (won.state === "claimed") await markSent(service, key, won.claimId, "message-1");
          return won.state;
        }),
      ]);
      expect([first.code, second.code, claim]).toEqual([0, 0, "claimed"]);
      const deleted = [first, second].map(({ stdout }) =>
        Number(/email_deliveries: deleted (\d+)/.exec(stdout)?.[1]),
      );
      // One more if the row of the lost job was deleted before it was claimed.
      expect([8_000, 8_001]).toContain(deleted.reduce((sum, count) => sum + count, 0));
    });
    expect(await campaigns()).toEqual({ lost: 1 });
  });

  it("reports failures and usage errors with exit code 1", async () => {
    const POSTGRES_URL = "postgresql://nobody:hunter2@127.0.0.1:9/x";
    const failed = await cleanup([], { POSTGRES_URL });
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("stopped after 0 rows")]);
    expect(failed.stderr).not.toContain("hunter2");
    const help = await cleanup(["--help"]);
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining("--dry-run")]);
  });

  it("deletes the deliveries of webhooks that were removed, whatever their age, and no others", async () => {
    await query(database, "INSERT INTO companies (id, name) VALUES ('c', 'c') ON CONFLICT DO NOTHING");
    await query(
      database,
      `INSERT INTO webhook_endpoints (id, "companyId", client_id, url, types, secret) VALUES ('kept', 'c', 'c', 'https://a.example', '{*}', '')`,
    );
    await query(
      database,
      `INSERT INTO webhook_deliveries (endpoint_id, event_id, subject)
       SELECT endpoint, gen_random_uuid(), gen_random_uuid()
       FROM unnest(ARRAY['a-removed', 'kept', 'z-removed']) AS endpoint, generate_series(1, 1500)`,
    );
    expect((await cleanup()).stdout).toContain(
      "webhook_deliveries: deleted 3000 rows of webhooks that were removed.\n",
    );
    const left = "SELECT endpoint_id AS id, count(*)::int AS count FROM webhook_deliveries GROUP BY 1";
    expect(await query(database, left)).toEqual([{ id: "kept", count: 1_500 }]);
  });

  it("finds expired rows by an index, however many rows are newer", async () => {
    await forget();
    await deliver("old", 2_000, 500);
    await deliver("new", 60_000, 1);
    await query(
      database,
      `INSERT INTO token_revocations SELECT 'client', n, now() AT TIME ZONE 'utc' FROM generate_series(1, 10000) AS n`,
    );
    await query(
      database,
      `INSERT INTO unfinished_uploads SELECT n::text, 'x', now() AT TIME ZONE 'utc' FROM generate_series(1, 10000) AS n`,
    );
    await query(database, "ANALYZE unfinished_uploads");
    await query(
      database,
      "INSERT INTO database_creations (resource_id) SELECT n::text FROM generate_series(1, 5000) AS n",
    );
    await query(database, "ANALYZE database_creations");
    await query(database, "ANALYZE email_deliveries");
    await query(database, "ANALYZE idempotency_keys");
    await query(database, "ANALYZE token_revocations");
    for (const [table, index] of [
      [emailDeliveries, "email_deliveries_claimed_at_idx"],
      [idempotencyKeys, "idempotency_keys_created_at_idx"],
      [tokenRevocations, "token_revocations_revoked_before_idx"],
      [unfinishedUploads, "unfinished_uploads_created_at_idx"],
      [databaseCreations, "database_creations_created_at_idx"],
    ] as const) {
      const { text, values } = deleteBatch(table, 9_600);
      const [row] = await query<{ "QUERY PLAN": unknown }>(database, `EXPLAIN (FORMAT JSON) ${text}`, values);
      const plan = JSON.stringify(row?.["QUERY PLAN"]);
      expect(plan).toContain(index);
      expect(plan).not.toContain("Seq Scan");
    }
    await forget();
  });
});
