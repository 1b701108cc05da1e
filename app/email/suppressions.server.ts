import type { Database } from "../providers/database.server";

export const suppressionReasons = ["bounce", "complaint", "unsubscribe", "manual"] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

/** The site of a suppression that applies to every e-mail. */
export const EVERY_SITE = "";

/** An address that gets no e-mail, and the reason. */
export interface Suppression {
  /** in lower case */
  address: string;
  /** the site whose campaigns are stopped; EVERY_SITE stops every e-mail */
  site: string;
  reason: SuppressionReason;
  createdAt: Date;
}

/**
 * The suppressed ones of `addresses`, in lower case: those that get no e-mail, and those that get no campaigns of `site`.
 * @throws AppError `unavailable`; then nothing may be sent
 */
export async function findSuppressed(
  database: Database,
  addresses: readonly string[],
  site = EVERY_SITE,
): Promise<Set<string>> {
  const rows = await database.$driverQuery<{ address: string }>(
    "SELECT DISTINCT address FROM email_suppressions WHERE address = ANY($1) AND site = ANY($2)",
    [addresses.map((address) => address.toLowerCase()), [EVERY_SITE, site]],
  );
  return new Set(rows.map(({ address }) => address));
}

/**
 * Suppresses addresses. Those that are suppressed already stay as they are.
 * @returns how many are new
 */
export async function addSuppressions(
  database: Database,
  addresses: readonly string[],
  { reason, site = EVERY_SITE }: { reason: SuppressionReason; site?: string },
): Promise<number> {
  // Always in the same order, so that two statements at once cannot deadlock.
  const rows = await database.$driverQuery(
    `INSERT INTO email_suppressions (address, site, reason)
     SELECT DISTINCT address, $2, $3 FROM unnest($1::text[]) AS address ORDER BY address
     ON CONFLICT DO NOTHING RETURNING address`,
    [addresses.map((address) => address.toLowerCase()), site, reason],
  );
  return rows.length;
}

/**
 * Removes the suppressions of an address: all, or those of one site or for one reason.
 * @returns how many there were
 */
export async function removeSuppressions(
  database: Database,
  address: string,
  only: { site?: string; reason?: SuppressionReason } = {},
): Promise<number> {
  const { count } = await database.emailSuppression.deleteMany({
    where: { address: address.toLowerCase(), ...only },
  });
  return count;
}

/** Rows read by one statement. */
const PAGE_ROWS = 1_000;

/** All suppressions, by address. They are read a page at a time, each from where the last one ended. */
export async function* listSuppressions(
  database: Database,
  only: { site?: string | undefined; reason?: SuppressionReason | undefined } = {},
): AsyncGenerator<Suppression> {
  // Add only the conditions that are needed: with one that is always true, the planner would not use the index.
  const conditions = ["(address, site, reason) > ($1, $2, $3)"];
  const values: string[] = [];
  for (const [column, value] of Object.entries({ site: only.site, reason: only.reason })) {
    if (value !== undefined) conditions.push(`${column} = $${3 + values.push(value)}`);
  }
  const statement = `SELECT address, site, reason, created_at AT TIME ZONE 'UTC' AS "createdAt" FROM email_suppressions
    WHERE ${conditions.join(" AND ")} ORDER BY address, site, reason LIMIT ${PAGE_ROWS}`;
  let after = ["", "", ""];
  for (;;) {
    const rows = await database.$driverQuery<Suppression>(statement, [...after, ...values]);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = [last.address, last.site, last.reason];
  }
}
