import type { Database } from "../../providers/database.server";

export const suppressionReasons = ["bounce", "complaint", "unsubscribe", "manual"] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

/** Every sender of a deployment, where a suppression is of no one site. */
export const EVERY_SITE = "";

/** That an address gets no e-mail, and why. */
export interface Suppression {
  /** in lower case */
  address: string;
  /** whose campaigns alone it stops; EVERY_SITE stops every e-mail */
  site: string;
  reason: SuppressionReason;
  createdAt: Date;
}

/**
 * Which of `addresses` get no e-mail, in lower case: none at all, or none of the campaigns of `site`. One statement, by the primary key.
 * @throws AppError `unavailable`: who cannot tell must not send
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
 * Notes that these addresses get no e-mail; what was noted before stays as it was.
 * @returns how many are new
 */
export async function addSuppressions(
  database: Database,
  addresses: readonly string[],
  { reason, site = EVERY_SITE }: { reason: SuppressionReason; site?: string },
): Promise<number> {
  // In one order, so that two at once never wait for each other.
  const rows = await database.$driverQuery(
    `INSERT INTO email_suppressions (address, site, reason)
     SELECT DISTINCT address, $2, $3 FROM unnest($1::text[]) AS address ORDER BY address
     ON CONFLICT DO NOTHING RETURNING address`,
    [addresses.map((address) => address.toLowerCase()), site, reason],
  );
  return rows.length;
}

/**
 * Forgets why an address gets no e-mail.
 * @param only of this site, or for this reason; all of it where it says neither
 * @returns how many reasons there were
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

/** Rows of one statement, however many there are. */
const PAGE_ROWS = 1_000;

/** All that are noted, by address: read a page at a time, each from where the last one ended. */
export async function* listSuppressions(
  database: Database,
  only: { site?: string | undefined; reason?: SuppressionReason | undefined } = {},
): AsyncGenerator<Suppression> {
  // Only what is asked for: beside a condition that always holds, the planner would not read by the key.
  const conditions = ["(address, site, reason) > ($1, $2, $3)"];
  const values: string[] = [];
  for (const [column, value] of Object.entries({ site: only.site, reason: only.reason })) {
    if (value !== undefined) conditions.push(`${column} = $${3 + values.push(value)}`);
  }
  const statement = `SELECT address, site, reason, created_at AT TIME ZONE 'utc' AS "createdAt" FROM email_suppressions
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
