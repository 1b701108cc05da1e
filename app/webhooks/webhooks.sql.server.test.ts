import { afterAll, expect, it } from "vitest";
import { startOwnDatabase } from "../../tests/support/databases/own-database";
import { readPlan } from "../../tests/support/databases/plan";
import { query } from "../../tests/support/databases/postgres";
import { newEventId } from "../events/events.server";
import type { Sql } from "../providers/sql.server";
import {
  claimDeliveries,
  deleteClaimed,
  endAttempt,
  endFailedAttempt,
  findOverdueSeconds,
} from "./webhooks.sql.server";

const own = await startOwnDatabase();
afterAll(() => own.stop());

/** A webhook of an API key of the company, for which so many deliveries are due since `minutes` ago. */
async function makeWebhook(
  companyId: string,
  clientId: string,
  due: number,
  minutes: number,
): Promise<string> {
  const data = { companyId, clientId, url: "https://example.com/", types: ["*"], secret: "sealed" };
  const { id } = await own.database.webhookEndpoint.create({ data });
  for (let count = 0; count < due; count++)
    await query(
      own.url,
      `INSERT INTO webhook_deliveries (endpoint_id, event_id, subject, next_attempt_at)
       VALUES ($1, $2, gen_random_uuid(), now() AT TIME ZONE 'UTC' - make_interval(mins => $3))`,
      [id, newEventId(), minutes],
    );
  return id;
}

const makeKey = async (companyId: string): Promise<string> =>
  (await own.database.embedClient.create({ data: { companyId } })).id;

it("an API key with many old deliveries does not hold back those of another key of its company", async () => {
  const { id: companyId } = await own.database.company.create({ data: { name: "Test company" } });
  const [many, few] = [await makeKey(companyId), await makeKey(companyId)];
  const hanging = [];
  for (let count = 0; count < 9; count++) hanging.push(await makeWebhook(companyId, many, 6, 60));
  const working = await makeWebhook(companyId, few, 3, 0);

  // Five may begin for each endpoint, so those of the first key would be more than the company has.
  const first = await claimDeliveries(own.database, { byEndpoint: {}, byKey: {}, byCompany: {} }, 50);
  expect(first.deliveries).toHaveLength(10);
  const endpoints = first.deliveries.map(({ endpointId }) => endpointId);
  expect(endpoints.filter((id) => id === working)).toHaveLength(3);

  // While the first key has all attempts but one, the next is the other key's.
  await makeWebhook(companyId, few, 1, 0);
  const running = {
    byEndpoint: { [hanging[0] ?? ""]: 5 },
    byKey: { [many]: 9 },
    byCompany: { [companyId]: 9 },
  };
  const { deliveries } = await claimDeliveries(own.database, running, 50);
  expect(deliveries.map(({ key }) => key.id)).toEqual([few]);
});

it("an endpoint with thousands of deliveries that wait for an earlier one costs others nothing", async () => {
  await query(own.url, "DELETE FROM webhook_deliveries");
  const { id: companyId } = await own.database.company.create({ data: { name: "Test company" } });
  const id = await makeWebhook(companyId, await makeKey(companyId), 0, 0);
  const WAITING = 10_000;
  const subject = newEventId();
  const ids = Array.from({ length: WAITING + 2 }, newEventId);
  await query(
    own.url,
    `INSERT INTO webhook_deliveries (endpoint_id, event_id, subject, attempts, next_attempt_at, created_at)
     SELECT $1, id, CASE WHEN n = $4 THEN gen_random_uuid() ELSE $3 END, 0, now() AT TIME ZONE 'UTC' - interval '1 hour',
       now() AT TIME ZONE 'UTC' - interval '1 hour'
     FROM unnest($2::uuid[]) WITH ORDINALITY AS given(id, n)`,
    [id, ids, subject, ids.length],
  );
  // What was delivered long ago.
  await query(
    own.url,
    `INSERT INTO webhook_deliveries (endpoint_id, event_id, subject, status)
     SELECT 'another', lpad(n::text, 32, '0')::uuid, $1, 'delivered' FROM generate_series(1, 300000) AS n`,
    [subject],
  );
  await query(own.url, "ANALYZE webhook_deliveries");
  const none = { byEndpoint: {}, byKey: {}, byCompany: {} };
  const claim = async () => (await claimDeliveries(own.database, none, 50)).deliveries;
  const [head] = await claim();
  expect(head?.eventId).toBe(ids[0]);

  let statement: Pick<Sql, "text" | "values"> | undefined;
  const catching: Pick<typeof own.database, "$driverQuery"> = {
    $driverQuery: async (given) => {
      statement = given as Sql;
      return [];
    },
  };
  const countRead = async (look: (database: typeof catching) => Promise<unknown>) => {
    await look(catching);
    return (await readPlan(own.url, statement?.text ?? "", statement?.values ?? [])).read;
  };
  expect(await countRead(findOverdueSeconds)).toBeLessThan(WAITING / 2);
  // What waits for nothing is found behind them, after some claims.
  const due = () =>
    query<{ id: string }>(
      own.url,
      "SELECT event_id AS id FROM webhook_deliveries WHERE next_attempt_at <= now() AT TIME ZONE 'UTC' ORDER BY event_id DESC LIMIT 1",
    );
  expect(await due()).toEqual([{ id: ids.at(-1) }]);
  for (let claims = 0; claims < 20 && (await due()).length > 0; claims++)
    expect(await countRead((database) => claimDeliveries(database, none, 50))).toBeLessThan(WAITING / 2);
  expect(await due()).toEqual([]);

  // Each end is followed by the next delivery of its subject, and by no later one.
  const delivered = { status: "delivered", lastStatus: 200, error: null, retrySeconds: null } as const;
  if (head) await endAttempt(own.database, head, delivered);
  const second = await claim();
  expect(second.map(({ eventId }) => eventId)).toEqual([ids[1]]);
  expect(await claim()).toEqual([]);
  for (const delivery of second) await deleteClaimed(own.database, delivery);
  const third = await claim();
  expect(third.map(({ eventId }) => eventId)).toEqual([ids[2]]);
  // After a failure it is still the first one.
  const failed = { status: "pending", lastStatus: 500, error: "500", retrySeconds: 0 } as const;
  for (const delivery of third) await endFailedAttempt(own.database, delivery, failed, false);
  expect((await claim()).map(({ eventId }) => eventId)).toEqual([ids[2]]);
});

it("a claim reads few more of an endpoint's due deliveries than it takes, however many are due", async () => {
  await query(own.url, "DELETE FROM webhook_deliveries");
  const { id: companyId } = await own.database.company.create({ data: { name: "Test company" } });
  const id = await makeWebhook(companyId, await makeKey(companyId), 0, 0);
  await query(
    own.url,
    `INSERT INTO webhook_deliveries (endpoint_id, event_id, subject, next_attempt_at)
     SELECT $1, gen_random_uuid(), gen_random_uuid(), now() AT TIME ZONE 'UTC' - interval '1 hour' FROM generate_series(1, 5000)`,
    [id],
  );
  await query(own.url, "VACUUM ANALYZE webhook_deliveries");
  let statement: Pick<Sql, "text" | "values"> | undefined;
  const catching: Pick<typeof own.database, "$driverQuery"> = {
    $driverQuery: async (given) => {
      statement = given as Sql;
      return [];
    },
  };
  await claimDeliveries(catching, { byEndpoint: {}, byKey: {}, byCompany: {} }, 50);
  expect((await readPlan(own.url, statement?.text ?? "", statement?.values ?? [])).read).toBeLessThan(100);
});
