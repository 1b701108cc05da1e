/**
 * API keys: `pek_` + 32 random bytes in base62 + a 6-character CRC32 checksum in base62. The checksum reveals a typo
 * without a query, and lets secret scanners recognize leaked keys. docs/contract.md#api-keys
 */
import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const PREFIX = "pek_";
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 62^43 > 2^256 */
const RANDOM_LENGTH = 43;
/** 62^6 > 2^32 */
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new raw API key, 53 characters. It is shown once; only its hash is stored. */
export function createApiKey(): string {
  const random = base62(BigInt(`0x${randomBytes(32).toString("hex")}`), RANDOM_LENGTH);
  return PREFIX + random + checksum(random);
}

/** The value of `embed_clients.api_key_hash`: SHA-256 of the whole raw key, lowercase hex. People may have stored it in upper case. */
export function hashApiKey(rawKey: string): string {
  return hash("sha256", rawKey);
}

/**
 * True if the key has our format but a wrong checksum. A key in another format may have been imported, so only a query can
 * tell.
 */
export function isMistypedApiKey(rawKey: string): boolean {
  if (!FORM.test(rawKey)) return false;
  const random = rawKey.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return checksum(random) !== rawKey.slice(-CHECKSUM_LENGTH);
}

function checksum(random: string): string {
  return base62(BigInt(crc32(random)), CHECKSUM_LENGTH);
}

function base62(value: bigint, length: number): string {
  let digits = "";
  for (let rest = value; rest > 0n; rest /= 62n) digits = ALPHABET[Number(rest % 62n)] + digits;
  return digits.padStart(length, "0");
}
