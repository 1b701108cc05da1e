/* The claims of files and folders. SQL, because one statement decides and writes, by the database's clock, and names may have NUL. */
import { z } from "zod";
import type { Database } from "./database.server";
import { NOW, sql } from "./sql.server";

type Run = Pick<Database, "$driverQuery">;

/** When the claims of a process that was killed end. Those of living ones are renewed. */
const LEASE_SECONDS = 10;
const LEASE_END = sql`${NOW} + make_interval(secs => ${LEASE_SECONDS})`;

const nameSchema = z.object({ name: z.string() });

/**
 * Claims those names that are free, or that an earlier request of the same change has claimed. In one order, because other statements lock the
 * same rows.
 * @returns those that it has claimed
 */
export async function takeClaims(
  database: Run,
  names: readonly string[],
  holder: string,
  change: string | undefined,
): Promise<Set<string>> {
  const taken = await database.$driverQuery(
    sql`
      INSERT INTO object_claims (name, holder, expires_at)
      SELECT name, ${holder}, ${LEASE_END} FROM unnest(${names}::text[]) AS name ORDER BY name COLLATE "C"
      ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
        WHERE object_claims.expires_at < ${NOW} OR object_claims.holder IN (${holder}, ${change ?? null})
      RETURNING name`,
    nameSchema,
  );
  return new Set(taken.map(({ name }) => name));
}

/**
 * Whether others have claimed something above these names, or inside them.
 * @param above the folders above the names
 * @param own holders whose claims do not count
 */
export async function overlapsClaims(
  database: Run,
  names: readonly string[],
  above: readonly string[],
  own: readonly string[],
): Promise<boolean> {
  const isOthers = sql`holder <> ALL(${own}) AND expires_at >= ${NOW}`;
  const found = await database.$driverQuery(sql`
    SELECT name FROM object_claims WHERE name = ANY(${above}) AND ${isOthers}
    UNION ALL
    SELECT name FROM unnest(${names}::text[]) AS folder JOIN object_claims ON name > folder AND name < left(folder, -1) || '0'
    WHERE folder LIKE '%/' AND ${isOthers}
    LIMIT 1`);
  return found.length > 0;
}

/** A condition: the claim is a holder's, or one of several. */
const isHeldBy = (holders: readonly string[]) =>
  sql`name IN (SELECT name FROM object_claims WHERE holder = ANY(${holders}) ORDER BY name FOR UPDATE)`;

export const releaseClaims = (database: Run, holder: string) =>
  database.$driverQuery(sql`DELETE FROM object_claims WHERE ${isHeldBy([holder])}`);

/** Renews claims that have not ended. One that has ended stays so: others may have changed meanwhile what it was for. */
export const renewClaims = (database: Run, holders: readonly string[]) =>
  database.$driverQuery(
    sql`UPDATE object_claims SET expires_at = ${LEASE_END} WHERE expires_at >= ${NOW} AND ${isHeldBy(holders)}`,
  );

/** Those of the names that the holders have claimed, and whose claims have not ended. */
export const selectClaims = (database: Run, holders: readonly string[], names: readonly string[]) =>
  database.$driverQuery(
    sql`
      SELECT holder, name FROM object_claims
      WHERE name = ANY(${names}) AND holder = ANY(${holders}) AND expires_at >= ${NOW}`,
    z.object({ holder: z.string(), name: z.string() }),
  );

/** Leaves a request's claims to its change, or those of a change to its next request. */
export const handOnClaims = (database: Run, holder: string, next: string) =>
  database.$driverQuery(
    sql`UPDATE object_claims SET holder = ${next}, expires_at = ${LEASE_END} WHERE ${isHeldBy([holder])}`,
  );
