import { LRUCache } from "lru-cache";
import type { Database } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { hashApiKey, isMistypedApiKey } from "./api-key.server";

/** characters; longer keys are not looked up */
const MAX_KEY_LENGTH = 512;
/** A key may be accepted for this long after it was revoked, replaced or expired, milliseconds. */
export const MAX_AGE_MS = 5_000;
const MAX_REMEMBERED = 1_000;

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
 * Finds embed clients by their API keys. It remembers what it found for `MAX_AGE_MS`, and concurrent lookups of one key share a query:
 * otherwise many requests at once would wait for the few connections of the database. docs/contract.md#api-keys
 */
export class EmbedClients {
  readonly #found: LRUCache<string, Found>;

  /** @param clock monotonic, milliseconds */
  constructor(database: Pick<Database, "$driverQuery">, clock: { now(): number } = performance) {
    this.#found = new LRUCache<string, Found>({
      max: MAX_REMEMBERED,
      ttl: MAX_AGE_MS,
      ttlResolution: 0,
      perf: clock,
      // An unknown key is not remembered: it may be created in a moment.
      fetchMethod: async (keyHash) => (await database.$driverQuery<Found>(BY_KEY, [keyHash]))[0],
      // A lookup that others pushed out of memory is still completed.
      ignoreFetchAbort: true,
    });
  }

  /**
   * The embed client of a raw API key that is neither revoked nor expired.
   * @throws AppError `invalid_api_key` for a key that is missing, malformed, unknown or revoked; `api_key_expired`, which only the key's
   * holder can see
   */
  async find(rawKey: string | null): Promise<EmbedClient> {
    const cannotMatch =
      rawKey === null || rawKey === "" || rawKey.length > MAX_KEY_LENGTH || isMistypedApiKey(rawKey);
    const found = cannotMatch ? undefined : await this.#found.fetch(hashApiKey(rawKey));
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
}
