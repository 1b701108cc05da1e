import {
  GetAccountCommand,
  GetConfigurationSetCommand,
  GetEmailIdentityCommand,
  SESv2Client,
} from "@aws-sdk/client-sesv2";
import type { Env } from "../env/env.server";
import { credentialsFor } from "./cloud-credentials.server";
import { insteadOf } from "./connection-errors";

export type MailProbe = ReturnType<typeof createMailProbe>;
export type MailAccount = Awaited<ReturnType<MailProbe["account"]>>;

/** The state of the account at Amazon SES, for the doctor. All calls throw what the SDK throws. */
export function createMailProbe({ region, credentials, endpoint }: Env["mail"]) {
  const client = new SESv2Client({
    region,
    credentials: credentialsFor(credentials),
    endpoint,
    maxAttempts: 1,
  });
  return {
    async account(abortSignal: AbortSignal) {
      const account = await client.send(new GetAccountCommand({}), { abortSignal });
      return {
        sendingEnabled: account.SendingEnabled ?? true,
        /** false in SES's sandbox, where only verified recipients get mail */
        productionAccess: account.ProductionAccessEnabled ?? true,
        /** `HEALTHY`, `PROBATION` or `SHUTDOWN` */
        enforcement: account.EnforcementStatus,
        sentLast24Hours: account.SendQuota?.SentLast24Hours ?? 0,
        /** -1 means no limit */
        maxLast24Hours: account.SendQuota?.Max24HourSend ?? -1,
        /** messages a second */
        maxRate: account.SendQuota?.MaxSendRate ?? 0,
      };
    },

    /** Whether mail may be sent from this address or domain; null when SES does not know it. */
    async isVerified(identity: string, abortSignal: AbortSignal): Promise<boolean | null> {
      return client
        .send(new GetEmailIdentityCommand({ EmailIdentity: identity }), { abortSignal })
        .then(({ VerifiedForSendingStatus = false }) => VerifiedForSendingStatus)
        .catch(insteadOf("NotFoundException", null));
    },

    /** Null when SES has no configuration set of that name. */
    async configurationSet(name: string, abortSignal: AbortSignal) {
      return client
        .send(new GetConfigurationSetCommand({ ConfigurationSetName: name }), { abortSignal })
        .then(({ SendingOptions }) => ({ sendingEnabled: SendingOptions?.SendingEnabled ?? true }))
        .catch(insteadOf("NotFoundException", null));
    },

    close: () => client.destroy(),
  };
}
