import { z } from "zod";
import type { Database } from "../providers/database.server";
import { joinSql, sql } from "../providers/sql.server";

export const suppressionReasons = ["bounce", "complaint", "unsubscribe", "manual"] as const;

/** An address that gets no e-mail, and the reason. */
const suppressionSchema = z.object({
  /** in lower case */
  address: z.string(),
  /** the site whose campaigns are stopped; empty: every e-mail is */
  site: z.string(),
  reason: z.enum(suppressionReasons),
  createdAt: z.date(),
});
export type Suppression = z.infer<typeof suppressionSchema>;

/**
 * A page of suppressions, in the order of their key. SQL, because Prisma's pages go on after a row that must still exist.
 * @param only each member that is given must be the same
 * @param after the last one of the page before
 */
export function readSuppressions(
  database: Pick<Database, "$driverQuery">,
  { site, reason }: Partial<Pick<Suppression, "site" | "reason">>,
  after: Pick<Suppression, "address" | "site"> & { reason: string },
  limit: number,
): Promise<Suppression[]> {
  // Add only the conditions that are needed: with one that is always true, the planner would not use the index.
  const conditions = [
    sql`(address, site, reason) > (${after.address}, ${after.site}, ${after.reason})`,
    ...(site === undefined ? [] : [sql`site = ${site}`]),
    ...(reason === undefined ? [] : [sql`reason = ${reason}`]),
  ];
  return database.$driverQuery(
    sql`
      SELECT address, site, reason, created_at AT TIME ZONE 'UTC' AS "createdAt" FROM email_suppressions
      WHERE ${joinSql(conditions, " AND ")} ORDER BY address, site, reason LIMIT ${limit}`,
    suppressionSchema,
  );
}
