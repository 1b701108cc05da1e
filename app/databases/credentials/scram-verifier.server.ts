import { createHash, createHmac, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

/** PostgreSQL's default. */
const ITERATIONS = 4096;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

const derive = promisify(pbkdf2);

/**
 * What PostgreSQL stores of a password, so that no statement has to contain the password itself. RFC 5802, section 3; RFC 7677;
 * PostgreSQL, "pg_authid", has the form.
 * @param password ASCII, which SASLprep leaves as it is
 */
export async function scramVerifier(
  password: string,
  salt: Buffer = randomBytes(SALT_BYTES),
): Promise<string> {
  const salted = await derive(password, salt, ITERATIONS, KEY_BYTES, "sha256");
  const keyOf = (text: string) => createHmac("sha256", salted).update(text).digest();
  const storedKey = createHash("sha256").update(keyOf("Client Key")).digest("base64");
  const serverKey = keyOf("Server Key").toString("base64");
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}
