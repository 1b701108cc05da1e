import { afterAll, expect, it } from "vitest";
import { startOwnDatabase } from "../../tests/support/databases/own-database";
import { query } from "../../tests/support/databases/postgres";
import { newEventId } from "../events/events.server";
import { claimDeliveries } from "./webhooks.sql.server";

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
