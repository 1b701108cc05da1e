import { addSuppressions, removeSuppressions } from "../../email/suppressions/suppressions.server";
import type { Database } from "../../providers/database.server";
import type { Subscription } from "./subscription.server";

const reason = "unsubscribe";

/** Whether they have unsubscribed from this site's campaigns. */
export async function isUnsubscribed(database: Database, { address, site }: Subscription): Promise<boolean> {
  const where = { address_site_reason: { address, site, reason } };
  return (await database.emailSuppression.findUnique({ where })) !== null;
}

/** Done twice, or by two at once, it is done once. */
export async function unsubscribe(database: Database, { address, site }: Subscription): Promise<void> {
  await addSuppressions(database, [address], { site, reason });
}

/** Takes it back; a bounce or a complaint stays. */
export async function subscribeAgain(database: Database, { address, site }: Subscription): Promise<void> {
  await removeSuppressions(database, address, { site, reason });
}
