import type { TokenSettings } from "../services/files/files-token.server";
import type { Services } from "./services.server";

/** What judging an embed token takes, at this moment. */
export function tokenSettings({ env, now }: Services): TokenSettings {
  return { signingSecrets: env.embedSigningSecrets, nowSeconds: now() };
}
