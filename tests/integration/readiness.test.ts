import { Client } from "pg";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type BuiltApp, startBuiltApp } from "../support/app/built-app";
import { makeDatabase } from "../support/app/deployment";
import { postEmbedUrl } from "../support/app/embed-client";
import { query } from "../support/databases/postgres";

const stack = inject("stack");
const POOL_SIZE = 2;
let url: string;
let app: BuiltApp;
let locker: Client;
beforeAll(async () => {
  url = await makeDatabase(stack);
  app = await startBuiltApp(stack, { POSTGRES_URL: url, POSTGRES_POOL_SIZE: String(POOL_SIZE) });
  locker = new Client({ connectionString: url });
  await locker.connect();
});
afterAll(async () => {
  await locker?.end();
  await app?.close();
});

const waitingForLock = async () => {
  const statement = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = ''`;
  return (await query(url, statement)).length;
};

it("/readyz is 200 while all connections of the pool wait for a locked table", async () => {
  await locker.query("BEGIN");
  await locker.query("LOCK TABLE embed_clients");
  const requests = Array.from({ length: 3 * POOL_SIZE }, (_, index) =>
    postEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, `some-key-${index}`, {}),
  );
  await expect.poll(waitingForLock).toBe(POOL_SIZE);
  const checks = await Promise.all(Array.from({ length: 10 }, () => fetch(`${app.apiBaseUrl}/readyz`)));
  expect(checks.map(({ status }) => status)).toEqual(Array(10).fill(200));
  // They had no connection of the pool.
  await expect.poll(waitingForLock).toBe(POOL_SIZE);
  await locker.query("COMMIT");
  await Promise.all(requests);
});

it("/readyz opens one connection, however many checks there are at once", async () => {
  await Promise.all(Array.from({ length: 50 }, () => fetch(`${app.apiBaseUrl}/readyz`)));
  const connections = await query(url, "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()");
  // The pool, `locker`, this query, and the one for checks.
  expect(connections.length).toBeLessThanOrEqual(POOL_SIZE + 3);
});
