import type { Database } from "../providers/database.server";

/** How an e-mail was received: the types of its later events, without `email.`. */
const outcomes = ["delivered", "bounced", "complained", "opened", "clicked", "unsubscribed"] as const;
export type Outcome = (typeof outcomes)[number];

const types = outcomes.map((outcome) => `email.${outcome}`);
const outcomeOf = (type: string) => type.slice("email.".length) as Outcome;

/** Counts the recipients of a campaign by outcome. One recipient may count for several. */
export async function countOutcomes(
  database: Pick<Database, "$driverQuery">,
  campaignId: string,
): Promise<Record<Outcome, number>> {
  const { statement, values } = selectOutcomeCounts(campaignId);
  const rows = await database.$driverQuery<{ type: string; count: number }>(statement, values);
  const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const { type, count } of rows) counts[outcomeOf(type)] = count;
  return counts;
}

/** Exported for tests of the plan. */
export const selectOutcomeCounts = (campaignId: string) => ({
  statement: `SELECT type, count(DISTINCT recipient)::int AS count FROM events
    WHERE campaign_id = $1 AND type = ANY($2) GROUP BY type`,
  values: [campaignId, types],
});

/** The latest outcome for each of `recipients`, addresses in lower case. */
export async function findOutcomes(
  database: Pick<Database, "$driverQuery">,
  campaignId: string,
  recipients: readonly string[],
): Promise<Map<string, Outcome>> {
  const { statement, values } = selectOutcomes(campaignId, recipients);
  const rows = await database.$driverQuery<{ recipient: string; type: string }>(statement, values);
  return new Map(rows.map(({ recipient, type }) => [recipient, outcomeOf(type)]));
}

/** Exported for tests of the plan. */
export const selectOutcomes = (campaignId: string, recipients: readonly string[]) => ({
  statement: `SELECT DISTINCT ON (recipient) recipient, type FROM events
    WHERE campaign_id = $1 AND recipient = ANY($2) AND type = ANY($3)
    ORDER BY recipient, occurred_at DESC, id DESC`,
  values: [campaignId, recipients, types],
});
