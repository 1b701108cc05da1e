import type { Database } from "../providers/database.server";
import { readSuppressions, type Suppression } from "./suppressions.sql.server";

export type SuppressionReason = Suppression["reason"];

/** The site of a suppression that applies to every e-mail. */
export const EVERY_SITE = "";

/**
 * The suppressed ones of `addresses`, in lower case: those that get no e-mail, and those that get no campaigns of `site`.
 * @throws AppError `unavailable`; then nothing may be sent
 */
export async function findSuppressed(
  database: Database,
  addresses: readonly string[],
  site = EVERY_SITE,
): Promise<Set<string>> {
  const rows = await database.emailSuppression.findMany({
    where: {
      address: { in: addresses.map((address) => address.toLowerCase()) },
      site: { in: [EVERY_SITE, site] },
    },
    select: { address: true },
  });
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
  const distinct = [...new Set(addresses.map((address) => address.toLowerCase()))].sort();
  const { count } = await database.emailSuppression.createMany({
    data: distinct.map((address) => ({ address, site, reason })),
    skipDuplicates: true,
  });
  return count;
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
  let after: Parameters<typeof readSuppressions>[2] = { address: "", site: "", reason: "" };
  for (;;) {
    const rows = await readSuppressions(database, only, after, PAGE_ROWS);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = last;
  }
}
