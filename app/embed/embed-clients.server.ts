import { LRUCache } from "lru-cache";
import type { Database } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { SharedCalls } from "../shared/shared-calls";
import { hashApiKey, isMistypedApiKey } from "./api-key.server";
import { type FoundClient, findClientByKey } from "./embed-clients.sql.server";

/** characters; longer keys are not looked up */
const MAX_KEY_LENGTH = 512;
/** A key may be accepted for this long after it was revoked, replaced or expired, milliseconds. */
export const KEY_TTL_MS = 5_000;
const MAX_CACHED_KEYS = 1_000;

/** An API key with its permissions. */
export type EmbedClient = Omit<FoundClient, "isExpired">;

/**
 * Finds embed clients by their API keys. It remembers what it found for `KEY_TTL_MS`. Concurrent lookups of one key share a query. Many
 * requests at once would otherwise use all connections of the database. docs/contract.md#api-keys
 */
export class EmbedClients {
  /** By the key's hash, like `#running`. An unknown key is not remembered: it may be created in a moment. */
  readonly #found: LRUCache<string, FoundClient>;
  /** Not in the cache, which could drop a lookup that is running. */
  readonly #running = new SharedCalls<string, FoundClient | undefined>();
  readonly #database: Pick<Database, "$driverQuery">;

  /** @param clock monotonic, milliseconds */
  constructor(database: Pick<Database, "$driverQuery">, clock: { now(): number } = performance) {
    this.#database = database;
    this.#found = new LRUCache({ max: MAX_CACHED_KEYS, ttl: KEY_TTL_MS, ttlResolution: 0, perf: clock });
  }

  /**
   * The embed client of a raw API key that is neither revoked nor expired.
   * @throws AppError `invalid_api_key` for a key that is missing, malformed, unknown or revoked; `api_key_expired`, which only the key's
   * holder can see
   */
  async find(rawKey: string | null): Promise<EmbedClient> {
    const cannotMatch =
      rawKey === null || rawKey === "" || rawKey.length > MAX_KEY_LENGTH || isMistypedApiKey(rawKey);
    const found = cannotMatch ? undefined : await this.#lookUp(hashApiKey(rawKey));
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

  async #lookUp(keyHash: string): Promise<FoundClient | undefined> {
    return this.#found.get(keyHash) ?? this.#running.get(keyHash, () => this.#query(keyHash));
  }

  async #query(keyHash: string): Promise<FoundClient | undefined> {
    const found = await findClientByKey(this.#database, keyHash);
    if (found !== undefined) this.#found.set(keyHash, found);
    return found;
  }
}
