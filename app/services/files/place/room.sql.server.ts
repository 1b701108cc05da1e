/* The policy of a token's API key, as it is now. SQL, because a service has no tables but those that its statements name. */
import { z } from "zod";
import type { ServiceTools } from "../../../embed/service";
import { sql } from "../../../providers/sql.server";

/** `allowed_scopes` of an embed client; undefined if there is no such client any more. */
export async function readAllowedScopes(
  { database }: Pick<ServiceTools, "database">,
  clientId: string,
): Promise<unknown> {
  const [row] = await database.$driverQuery(
    sql`SELECT allowed_scopes AS "allowedScopes" FROM embed_clients WHERE id = ${clientId}`,
    z.object({ allowedScopes: z.unknown() }),
  );
  return row?.allowedScopes;
}
