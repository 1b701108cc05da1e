import { hash, randomBytes } from "node:crypto";
import { z } from "zod";
import { idempotencyKey } from "../../email/idempotent-sending.server";
import { openSealedValue, sealValue } from "../../embed/sealed-value.server";
import type { Database } from "../../providers/database.server";
import { AppError } from "../../shared/app-error";
import { lockRecord } from "../databases.sql.server";
import { type RoleTarget, roleName } from "./database-roles.server";

/** A request with an `Idempotency-Key`. */
export interface KeyedCredential {
  /** the caller's token */
  caller: string;
  key: string;
  /** the first encrypts the password for as long as the key is remembered; all decrypt */
  signingSecrets: readonly [string, ...string[]];
}

export const credentialHeaders = z.object({
  "Idempotency-Key": idempotencyKey
    .describe("of your choice: the same request with the same key gets the same login, for 24 hours")
    .optional(),
});

/** Errors of requests that make a login. */
export const credentialErrors = [
  "resource_not_found",
  "database_not_active",
  "provider_failed",
  "credential_limit_reached",
  "idempotency_mismatch",
] as const;

/** @returns undefined for a request without a key */
export const keyedCredential = (
  caller: string,
  key: string | undefined,
  signingSecrets: KeyedCredential["signingSecrets"],
): KeyedCredential | undefined => (key === undefined ? undefined : { caller, key, signingSecrets });

/** What to record of a login. */
interface NewLogin {
  resourceId: string;
  target: RoleTarget;
  /** what it is for */
  name: string | null;
  /** the user that it replaces */
  replaces?: string;
}

const PASSWORD_BYTES = 24;
const KEEP_MS = 24 * 3600_000;
const PURPOSE = "database credential";
/** Of a database, with those that were replaced or are being removed. */
const MAX_CREDENTIALS = 100;

/**
 * Records a login before it is made: a login that nobody knows of could not be removed. A request with a key that is repeated within a day
 * gets the same login, so a lost response leaves none behind that nobody knows.
 * @throws AppError `credential_limit_reached`; `idempotency_mismatch` for a key of another request, or of a login that was removed since
 */
export async function recordLogin(
  database: Database,
  { resourceId, target, name, replaces }: NewLogin,
  keyed: KeyedCredential | undefined,
): Promise<{ user: string; password: string }> {
  const remembered = keyed && hashesOf(keyed, { resourceId, name, replaces });
  return database.$transaction(async (transaction) => {
    await lockRecord(transaction, resourceId);
    if (remembered) {
      const { keyHash, bodyHash, signingSecrets } = remembered;
      const known = await transaction.idempotencyKey.findUnique({ where: { keyHash } });
      if (known !== null && known.createdAt.getTime() > Date.now() - KEEP_MS) {
        if (known.bodyHash !== bodyHash)
          throw mismatch("This Idempotency-Key has been used for another credential. Use a new key.");
        const { user = "", sealed = "" } = known.outcomes as { user?: string; sealed?: string };
        const password = openSealedValue(sealed, signingSecrets, PURPOSE);
        const exists = await transaction.databaseCredential.count({ where: { user, resourceId } });
        if (password === null || exists === 0)
          throw mismatch("The credential of this Idempotency-Key cannot be shown again. Use a new key.");
        return { user, password };
      }
    }
    if ((await transaction.databaseCredential.count({ where: { resourceId } })) >= MAX_CREDENTIALS)
      throw new AppError(
        "credential_limit_reached",
        `The database has ${MAX_CREDENTIALS} credentials. Remove those that are not needed.`,
      );
    const user = roleName(target.database, randomBytes(5).toString("hex"));
    const password = randomBytes(PASSWORD_BYTES).toString("base64url");
    await transaction.databaseCredential.create({ data: { user, resourceId, name } });
    if (remembered) {
      const { keyHash, bodyHash, signingSecrets } = remembered;
      const now = new Date();
      const outcomes = { user, sealed: sealValue(password, signingSecrets[0], PURPOSE) };
      const row = { bodyHash, createdAt: now, claimedAt: now, claimId: null, outcomes };
      await transaction.idempotencyKey.upsert({
        where: { keyHash },
        create: { keyHash, ...row },
        update: row,
      });
    }
    return { user, password };
  });
}

/** What is stored of a key, and of the request that it was used for. */
function hashesOf(
  { caller, key, signingSecrets }: KeyedCredential,
  { resourceId, name, replaces }: Pick<NewLogin, "resourceId" | "name" | "replaces">,
) {
  const keyHash = hash("sha256", JSON.stringify([caller, key, resourceId]));
  return { keyHash, bodyHash: hash("sha256", JSON.stringify([keyHash, name, replaces])), signingSecrets };
}

const mismatch = (message: string) => new AppError("idempotency_mismatch", message);
