import type { Database } from "../providers/database.server";
import { countRecipients, findLatestTypes } from "./campaigns.sql.server";

/** How an e-mail was received: the types of its later events, without `email.`. */
const outcomes = ["delivered", "bounced", "complained", "opened", "clicked", "unsubscribed"] as const;
export type Outcome = (typeof outcomes)[number];

/** Exported for tests of the plan. */
export const types = outcomes.map((outcome) => `email.${outcome}`);
const outcomeOf = (type: string) => type.slice("email.".length) as Outcome;

/** Counts the recipients of a campaign by outcome. One recipient may count for several. */
export async function countOutcomes(
  database: Pick<Database, "$driverQuery">,
  campaignId: string,
): Promise<Record<Outcome, number>> {
  const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const { type, count } of await countRecipients(database, campaignId, types))
    counts[outcomeOf(type)] = count;
  return counts;
}

/** The latest outcome for each of `recipients`, addresses in lower case. */
export async function findOutcomes(
  database: Pick<Database, "$driverQuery">,
  campaignId: string,
  recipients: readonly string[],
): Promise<Map<string, Outcome>> {
  const rows = await findLatestTypes(database, campaignId, recipients, types);
  return new Map(rows.map(({ recipient, type }) => [recipient, outcomeOf(type)]));
}
