import { afterAll, beforeAll, expect, it } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../tests/support/databases/own-database";
import { query } from "../../tests/support/databases/postgres";
import { currentMetrics, startMetrics } from "../telemetry/metrics.server";
import { readFigures } from "./figures.sql.server";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startOwnDatabase();
});
afterAll(() => own?.stop());

const sources = {
  poolState: () => ({ total: 0, idle: 0, waiting: 0 }),
  webhooksOverdueSeconds: async () => 0,
};
async function metrics() {
  const text = (await currentMetrics()?.text()) ?? "";
  return new Map(
    [...text.matchAll(/^platform_embed_(catalogue\w+) (\S+)$/gm)].map(([, name, value]) => [name, value]),
  );
}

it("operators see the age of the oldest catalogue, its rows, what was repaired and what waits", async () => {
  let reads = 0;
  startMetrics({
    ...sources,
    catalogueFigures: () => {
      reads += 1;
      return readFigures(own.database);
    },
  });
  expect([...(await metrics()).values()]).toEqual(["0", "0", "0", "0"]);
  expect(reads).toBe(1);

  await query(
    own.url,
    `INSERT INTO catalogues (bucket, scanned_at, objects, differences) VALUES
      ('a', now() AT TIME ZONE 'UTC' - interval '1 hour', 10, 1), ('b', now() AT TIME ZONE 'UTC', 20, 2), ('new', NULL, NULL, NULL)`,
  );
  await query(
    own.url,
    "INSERT INTO catalogue_waiting_keys (catalogue_id, key, changed_at, due_at) SELECT id, 'key', now(), now() FROM catalogues",
  );
  const { catalogue_age_seconds: age, ...others } = Object.fromEntries(await metrics());
  expect(Math.floor(Number(age) / 60)).toBe(60);
  expect(others).toEqual({
    catalogue_objects: "30",
    catalogue_differences: "3",
    catalogue_waiting_keys: "3",
  });
});

it("there are no such metrics while nobody uses catalogues", async () => {
  startMetrics(sources);
  expect(await metrics()).toEqual(new Map());
});
