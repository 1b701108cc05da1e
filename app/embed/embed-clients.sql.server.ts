import { z } from "zod";
import { type Database, inTransaction, type Transaction } from "../providers/database.server";
import { NOW, type Sql, sql } from "../providers/sql.server";

/** A condition: whether the key of a row named `client` is neither revoked nor expired. By the database's clock, as all replicas see it. */
export const IS_LIVE: Sql = sql`client.revoked_at IS NULL AND (client.expires_at IS NULL OR client.expires_at > ${NOW})`;

const foundClientSchema = z.object({
  id: z.string(),
  companyId: z.string(),
  allowedServices: z.array(z.string()),
  allowedOrigins: z.array(z.string()),
  allowedScopes: z.unknown(),
  isExpired: z.boolean(),
});
export type FoundClient = z.infer<typeof foundClientSchema>;

/** SQL, because every URL that is issued looks up its key: Prisma takes a third more of the whole request. */
export async function findClientByKey(
  database: Pick<Database, "$driverQuery">,
  keyHash: string,
): Promise<FoundClient | undefined> {
  const [found] = await database.$driverQuery(
    sql`
      SELECT id, "companyId", allowed_services AS "allowedServices", allowed_origins AS "allowedOrigins",
        allowed_scopes AS "allowedScopes",
        coalesce(expires_at <= ${NOW}, false) AS "isExpired"
      FROM embed_clients WHERE api_key_hash IN (${keyHash}, upper(${keyHash})) AND revoked_at IS NULL`,
    foundClientSchema,
  );
  return found;
}

/** SQL, because of FOR UPDATE: concurrent changes of the same client wait here, and then read what this one has written. */
export async function lockClient(transaction: Transaction, id: string): Promise<void> {
  await inTransaction(transaction).$driverQuery(sql`SELECT 1 FROM embed_clients WHERE id = ${id} FOR UPDATE`);
}
