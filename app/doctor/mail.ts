import { createMailProbe, type MailAccount, type MailProbe } from "../providers/mail-checks.server";
import type { CheckGroup } from "./context";
import { attempt, found, ok, type Verdict, warning, wrong } from "./finding";
import { CLOCK_REMEDY, CREDENTIALS_REMEDY, readProviderFailure } from "./provider-failure";

/** Above this share of the daily quota somebody should ask for a larger one. */
const NEARLY = 0.9;

/** Whether Amazon SES sends what this service hands over. Nothing is sent. */
export const checkMail: CheckGroup = async ({ env, limits }) => {
  const { sender } = env;
  if (sender === undefined) {
    return found(
      "mail.sender",
      warning(
        "EMAIL_FROM is not set: this service cannot send e-mail.",
        "Set EMAIL_FROM to an address whose domain is verified in SES.",
      ),
    );
  }
  const probe = createMailProbe(env.mail);
  const isAmazon = env.mail.endpoint === undefined;
  const explain = (permission: string, question: string) => (error: unknown) =>
    explainFailure(error, { permission, question, isAmazon });
  const set = env.mail.configurationSet;
  try {
    const findings = await Promise.all([
      attempt(
        "mail.identity",
        limits,
        (signal) => checkIdentity(probe, sender.address, signal),
        explain("ses:GetEmailIdentity", "Whether EMAIL_FROM is verified"),
      ),
      attempt(
        "mail.account",
        limits,
        async (signal) => judgeAccount(await probe.account(signal)),
        explain("ses:GetAccount", "Whether the account may send"),
      ),
      set === undefined
        ? []
        : attempt(
            "mail.configurationSet",
            limits,
            (signal) => checkConfigurationSet(probe, set, signal),
            explain("ses:GetConfigurationSet", "Whether SES_CONFIGURATION_SET exists"),
          ),
    ]);
    return [...findings.flat(), ...found("mail.events", judgeEvents(env.emailEventsTopics))];
  } finally {
    probe.close();
  }
};

/** An account whose e-mails bounce too often is stopped. */
function judgeEvents(topics: readonly string[]): Verdict {
  if (topics.length > 0) return ok("Bounces and complaints are taken from Amazon SNS.");
  return warning(
    "EMAIL_EVENTS_TOPICS is not set: nobody tells of bounces and complaints, and such addresses go on being sent to.",
    "Set up a topic of Amazon SNS, and set EMAIL_EVENTS_TOPICS to its ARN (docs/guide/production.md).",
  );
}

/** SES takes mail from a verified address, or from any address of a verified domain. */
async function checkIdentity(probe: MailProbe, address: string, signal: AbortSignal): Promise<Verdict> {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const ofAddress = await probe.isVerified(address, signal);
  const ofDomain = ofAddress === true ? null : await probe.isVerified(domain, signal);
  if (ofAddress === true || ofDomain === true) {
    return ok(`SES sends from ${ofAddress === true ? "the address" : "the domain"} in EMAIL_FROM.`);
  }
  const isKnown = ofAddress !== null || ofDomain !== null;
  return wrong(
    isKnown
      ? `The address in EMAIL_FROM is known to SES, but not verified: SES refuses what is sent from ${domain}.`
      : `SES does not know the address in EMAIL_FROM, nor its domain ${domain}, in this region.`,
    isKnown
      ? `Finish the verification: publish the DNS records that SES shows for ${domain} (SES console, Identities).`
      : `Verify the domain (aws sesv2 create-email-identity --email-identity ${domain}, in CLOUD_REGION), or change EMAIL_FROM.`,
  );
}

/** SES refuses every message that names a configuration set which it does not know. */
async function checkConfigurationSet(probe: MailProbe, name: string, signal: AbortSignal): Promise<Verdict> {
  const set = await probe.configurationSet(name, signal);
  if (set === null) {
    return wrong(
      `SES has no configuration set ${name} in this region: it refuses every e-mail.`,
      `Create it (aws sesv2 create-configuration-set --configuration-set-name ${name}, in CLOUD_REGION), or change SES_CONFIGURATION_SET.`,
    );
  }
  if (!set.sendingEnabled) {
    return wrong(
      `SES has paused sending with the configuration set ${name}.`,
      `See why in its reputation metrics; then aws sesv2 put-configuration-set-sending-options --configuration-set-name ${name} --sending-enabled.`,
    );
  }
  return ok(`SES has the configuration set ${name}.`);
}

function judgeAccount(account: MailAccount): Verdict[] {
  const { sentLast24Hours: sent, maxLast24Hours: most, maxRate, enforcement } = account;
  const findings: Verdict[] = [];
  if (!account.sendingEnabled || enforcement === "SHUTDOWN") {
    findings.push(
      wrong(
        "SES has paused sending for this account.",
        "See SES console, Account dashboard, for the reason; then aws sesv2 put-account-sending-attributes --sending-enabled.",
      ),
    );
  }
  if (!account.productionAccess) {
    findings.push(
      warning(
        "The account is in SES's sandbox: only verified recipients get e-mail.",
        "Request production access (SES console, Account dashboard).",
      ),
    );
  }
  if (enforcement === "PROBATION") {
    findings.push(
      warning(
        "SES has this account under review.",
        "See SES console, Account dashboard: bounces or complaints are too many.",
      ),
    );
  }
  if (most >= 0 && sent > most * NEARLY) {
    findings.push(
      warning(
        `${sent} of ${most} messages of the last 24 hours' quota are used.`,
        "Request a higher sending quota (Service Quotas, Amazon SES).",
      ),
    );
  }
  if (findings.length > 0) return findings;
  return [ok(`SES sends for this account: ${maxRate} messages a second, ${sent} of ${most} in 24 hours.`)];
}

function explainFailure(
  error: unknown,
  { permission, question, isAmazon }: { permission: string; question: string; isAmazon: boolean },
): Verdict {
  const { kind, code } = readProviderFailure(error);
  switch (kind) {
    case "unreachable":
      return wrong(
        `SES cannot be reached (${code}).`,
        "Check CLOUD_SES_ENDPOINT (unset means Amazon SES in CLOUD_REGION), DNS and the firewall.",
      );
    case "credentials":
      return wrong(`SES refuses the credentials (${code}).`, CREDENTIALS_REMEDY);
    case "clock":
      return wrong(`SES says that this machine's clock is wrong (${code}).`, CLOCK_REMEDY);
    case "denied":
      return warning(
        `${question} cannot be asked here: the access key lacks ${permission}.`,
        `Grant ${permission}, or look at the SES console (Identities, Account dashboard).`,
      );
  }
  // Doubles of SES take messages and know nothing of accounts.
  if (!isAmazon) {
    return warning(
      `${question} cannot be asked here: CLOUD_SES_ENDPOINT takes messages, but does not tell.`,
      "Send an e-mail to yourself through POST /api/send-simple-email.",
    );
  }
  return wrong(`SES refused to tell (${code}).`, "Look up that code in the SES API reference.");
}
