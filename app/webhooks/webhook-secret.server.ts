import { randomBytes } from "node:crypto";
import { openSealedValue, sealValue } from "../embed/sealed-value.server";
import type { Database } from "../providers/database.server";

/** Secrets are stored encrypted: whoever reads a backup cannot sign. The first secret encrypts, all decrypt. app/webhooks/README.md */
export type SigningSecrets = readonly [string, ...string[]];

const PURPOSE = "webhook secret";

/** A new secret as receivers configure it, of 32 random bytes. Standard Webhooks, "Signature scheme". */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

export const sealWebhookSecret = (secret: string, signingSecrets: SigningSecrets): string =>
  sealValue(secret, signingSecrets[0], PURPOSE);

/** @returns null if none of `signingSecrets` encrypted it */
export const openWebhookSecret = (sealed: string, signingSecrets: readonly string[]): string | null =>
  openSealedValue(sealed, signingSecrets, PURPOSE);

/**
 * The secrets that sign now: that of an endpoint, and the previous one while that is valid. The previous one is left out if it cannot be
 * decrypted. @returns null if the secret itself cannot be
 */
export function openWebhookSecrets(
  [sealed = "", previous]: readonly string[],
  signingSecrets: readonly string[],
): string[] | null {
  const secret = openWebhookSecret(sealed, signingSecrets);
  if (secret === null) return null;
  const second = previous === undefined ? null : openWebhookSecret(previous, signingSecrets);
  return second === null ? [secret] : [secret, second];
}

/** After a change of EMBED_SIGNING_SECRET, encrypts the secrets of all endpoints with the new one. Can be repeated, also concurrently. */
export async function resealWebhookSecrets(
  database: Pick<Database, "webhookEndpoint">,
  signingSecrets: SigningSecrets,
): Promise<void> {
  if (signingSecrets.length === 1) return;
  const endpoints = await database.webhookEndpoint.findMany({
    select: { id: true, secret: true, previousSecret: true },
  });
  for (const { id, ...stored } of endpoints) {
    for (const column of ["secret", "previousSecret"] as const) {
      const sealed = stored[column];
      if (sealed === null || openWebhookSecret(sealed, [signingSecrets[0]]) !== null) continue;
      const secret = openWebhookSecret(sealed, signingSecrets);
      if (secret === null) continue;
      const data = { [column]: sealWebhookSecret(secret, signingSecrets) };
      await database.webhookEndpoint.updateMany({ where: { id, [column]: sealed }, data });
    }
  }
}
