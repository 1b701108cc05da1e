import { afterAll, expect, it } from "vitest";
import { startOwnDatabase } from "../../tests/support/databases/own-database";
import { readPlan } from "../../tests/support/databases/plan";
import { query } from "../../tests/support/databases/postgres";
import type { Sql } from "../providers/sql.server";
import { revokeIssuedBefore } from "./revoked-tokens.sql.server";

const own = await startOwnDatabase();
afterAll(() => own.stop());

const REVOKED = 9_000;

it("a revocation counts those of its key by an index, and reads none of them a second time", async () => {
  await query(
    own.url,
    `INSERT INTO token_revocations SELECT 'client-' || client, n, now() AT TIME ZONE 'UTC' - interval '1 hour'
     FROM generate_series(1, 3) AS client, generate_series(1, $1::int) AS n`,
    [REVOKED],
  );
  await query(own.url, "VACUUM ANALYZE token_revocations");
  let statement: Pick<Sql, "text" | "values"> | undefined;
  const catching: Parameters<typeof revokeIssuedBefore>[0] = {
    $driverQuery: async (given) => {
      statement = given as Sql;
      return [];
    },
  };
  await revokeIssuedBefore(catching, "client-1", "new", Date.now() / 1000);
  const plan = await readPlan(own.url, statement?.text ?? "", statement?.values ?? []);
  expect(plan.indexes).toContain("token_revocations_client_id_revoked_before_idx");
  expect(plan.readByAll).toBeLessThan(REVOKED + 100);
});
