import { AppError } from "../app-error";
import type { Database } from "../providers/database.server";
import { hashApiKey, isMistypedApiKey } from "./api-key.server";

/** Longest key that is looked up, in characters. */
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
 * The live embed client that a raw API key belongs to. Asked of the database each time: a revocation counts from the
 * next request on. docs/contract.md#api-keys
 * @throws AppError `invalid_api_key`, the same for a key that is missing, malformed, unknown or revoked; `api_key_expired`, which only the key's holder gets to see
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
    throw new AppError("api_key_expired", "The API key has expired. Have a new one made, and send that.", {
      logDetail: `embed client ${client.id}`,
    });
  }
  return client;
}
