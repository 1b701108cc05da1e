import type { Database } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { hashApiKey, isMistypedApiKey } from "./api-key.server";

/** characters; longer keys are not looked up */
const MAX_KEY_LENGTH = 512;

export interface EmbedClient {
  id: string;
  companyId: string;
  allowedServices: string[];
  allowedOrigins: string[];
  allowedScopes: unknown;
}

interface Found extends EmbedClient {
  isExpired: boolean;
}

const BY_KEY = `
  SELECT id, "companyId", allowed_services AS "allowedServices", allowed_origins AS "allowedOrigins",
    allowed_scopes AS "allowedScopes",
    coalesce(expires_at <= now() AT TIME ZONE 'UTC', false) AS "isExpired"
  FROM embed_clients WHERE api_key_hash = $1 AND revoked_at IS NULL`;

/**
 * The embed client of a raw API key that is neither revoked nor expired. Queries the database each time, so a revocation counts from the next
 * request on. docs/contract.md#api-keys
 * @throws AppError `invalid_api_key` for a key that is missing, malformed, unknown or revoked; `api_key_expired`, which only the key's holder
 * can see
 */
export async function findEmbedClient(database: Database, rawKey: string | null): Promise<EmbedClient> {
  const cannotMatch =
    rawKey === null || rawKey === "" || rawKey.length > MAX_KEY_LENGTH || isMistypedApiKey(rawKey);
  const [found] = cannotMatch ? [] : await database.$driverQuery<Found>(BY_KEY, [hashApiKey(rawKey)]);
  if (found === undefined) {
    throw new AppError(
      "invalid_api_key",
      "The API key is missing or not valid. Send a live key as X-Api-Key, from your backend only.",
    );
  }
  const { isExpired, ...client } = found;
  if (isExpired) {
    throw new AppError("api_key_expired", "The API key has expired. Create a new one and use that.", {
      logDetail: `embed client ${client.id}`,
    });
  }
  return client;
}
