import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from "@aws-sdk/client-sesv2";
import type { Env } from "../env.server";

export interface MailAccount {
  sendingEnabled: boolean;
  /** false in SES's sandbox: only verified recipients get mail */
  productionAccess: boolean;
  /** `HEALTHY`, `PROBATION` or `SHUTDOWN` */
  enforcement: string | undefined;
  sentLast24Hours: number;
  /** -1 means no limit */
  maxLast24Hours: number;
  /** messages a second */
  maxRate: number;
}

/** What Amazon SES says of the account. Both throw what the SDK throws. */
export interface MailProbe {
  account(signal: AbortSignal): Promise<MailAccount>;
  /** whether mail may be sent from this address or domain; null when SES does not know it */
  isVerified(identity: string, signal: AbortSignal): Promise<boolean | null>;
  close(): void;
}

export function createMailProbe({ region, accessKeyId, secretAccessKey, endpoint }: Env["mail"]): MailProbe {
  const client = new SESv2Client({
    region,
    credentials: { accessKeyId, secretAccessKey },
    endpoint,
    maxAttempts: 1,
  });
  return {
    async account(abortSignal) {
      const account = await client.send(new GetAccountCommand({}), { abortSignal });
      return {
        sendingEnabled: account.SendingEnabled ?? true,
        productionAccess: account.ProductionAccessEnabled ?? true,
        enforcement: account.EnforcementStatus,
        sentLast24Hours: account.SendQuota?.SentLast24Hours ?? 0,
        maxLast24Hours: account.SendQuota?.Max24HourSend ?? -1,
        maxRate: account.SendQuota?.MaxSendRate ?? 0,
      };
    },

    async isVerified(identity, abortSignal) {
      try {
        const command = new GetEmailIdentityCommand({ EmailIdentity: identity });
        return (await client.send(command, { abortSignal })).VerifiedForSendingStatus ?? false;
      } catch (error) {
        if (error instanceof Error && error.name === "NotFoundException") return null;
        throw error;
      }
    },

    close: () => client.destroy(),
  };
}
