import { type EnvVariables, parseOnly } from "../env/env.server";
import type { WebhookSettings } from "../webhooks/webhook-endpoints.server";

/** What the environment decides about webhooks. @throws EnvError */
export function webhookSettingsOf(variables: EnvVariables): WebhookSettings {
  const {
    EMBED_SIGNING_SECRET: secret,
    EMBED_SIGNING_SECRET_PREVIOUS: previous,
    WEBHOOK_ALLOW_PRIVATE: allowPrivate,
  } = parseOnly(variables, "EMBED_SIGNING_SECRET", "EMBED_SIGNING_SECRET_PREVIOUS", "WEBHOOK_ALLOW_PRIVATE");
  return { signingSecrets: previous === undefined ? [secret] : [secret, previous], allowPrivate };
}
