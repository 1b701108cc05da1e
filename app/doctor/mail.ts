import { ok, runChecks, toFindings, type Verdict, warning, wrong } from "../../embed-element/doctor/report";
import { createMailProbe, type MailAccount, type MailProbe } from "../providers/mail-checks.server";
import type { CheckGroup } from "./context";
import { explainCommonFailure, readProviderFailure } from "./provider-failure";

/** Above this share of the daily quota somebody should ask for a larger one. */
const WARN_QUOTA_SHARE = 0.9;

/** Whether Amazon SES sends what this service hands to it. Nothing is sent. */
export const checkMail: CheckGroup = async ({ env, limits }) => {
  const { sender, mail } = env;
  if (sender === undefined)
    return toFindings(
      "mail.sender",
      warning(
        "EMAIL_FROM is not set: this service cannot send e-mail.",
        "Set EMAIL_FROM to an address whose domain is verified in SES.",
      ),
    );
  const probe = createMailProbe(mail);
  const explain = (permission: string, question: string) => (error: unknown) =>
    explainFailure(error, { permission, question, isAmazon: mail.endpoint === undefined });
  const set = mail.configurationSet;
  const checks = [
    {
      name: "mail.identity",
      run: (signal: AbortSignal) => checkIdentity(probe, sender.address, signal),
      explain: explain("ses:GetEmailIdentity", "whether EMAIL_FROM is verified"),
    },
    {
      name: "mail.account",
      run: async (signal: AbortSignal) => judgeAccount(await probe.account(signal)),
      explain: explain("ses:GetAccount", "whether the account may send"),
    },
  ];
  if (set !== undefined)
    checks.push({
      name: "mail.configurationSet",
      run: async (signal) => [await checkConfigurationSet(probe, set, signal)],
      explain: explain("ses:GetConfigurationSet", "whether SES_CONFIGURATION_SET exists"),
    });
  try {
    const findings = await runChecks(checks, limits);
    return [...findings, ...toFindings("mail.events", judgeEvents(env.emailEventsTopics))];
  } finally {
    probe.close();
  }
};

/** Amazon stops an account whose e-mails bounce too often. */
function judgeEvents(topics: readonly string[]): Verdict {
  if (topics.length > 0) return ok("Bounces and complaints are received from Amazon SNS.");
  return warning(
    "EMAIL_EVENTS_TOPICS is not set: bounces and complaints are never reported, and such addresses still get e-mail.",
    "Set up a topic of Amazon SNS, and set EMAIL_EVENTS_TOPICS to its ARN (docs/guide/bounces.md).",
  );
}

/** SES accepts mail from a verified address, or from any address of a verified domain. */
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

/** SES refuses every message with a configuration set that does not exist. */
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
      "See why in its reputation metrics; then aws sesv2 put-configuration-set-sending-options " +
        `--configuration-set-name ${name} --sending-enabled.`,
    );
  }
  return ok(`SES has the configuration set ${name}.`);
}

function judgeAccount(account: MailAccount): Verdict[] {
  const { sentLast24Hours: sent, maxLast24Hours: quota, maxRate, enforcement } = account;
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
        "See SES console, Account dashboard: there are too many bounces or complaints.",
      ),
    );
  }
  if (quota >= 0 && sent > quota * WARN_QUOTA_SHARE) {
    findings.push(
      warning(
        `${sent} of ${quota} messages allowed in 24 hours have been sent.`,
        "Request a higher sending quota (Service Quotas, Amazon SES).",
      ),
    );
  }
  if (findings.length > 0) return findings;
  return [ok(`SES sends for this account: ${maxRate} messages a second, ${sent} of ${quota} in 24 hours.`)];
}

function explainFailure(
  error: unknown,
  { permission, question, isAmazon }: { permission: string; question: string; isAmazon: boolean },
): Verdict {
  const failure = readProviderFailure(error);
  const common = explainCommonFailure(failure, {
    provider: "SES",
    endpoint: "CLOUD_SES_ENDPOINT (unset means Amazon SES in CLOUD_REGION)",
  });
  if (common) return common;
  if (failure.kind === "denied")
    return warning(
      `Could not check ${question}: the access key lacks ${permission}.`,
      `Grant ${permission}, or look at the SES console (Identities, Account dashboard).`,
    );
  // Doubles of SES accept messages and have no accounts.
  if (!isAmazon)
    return warning(
      `Could not check ${question}: the server at CLOUD_SES_ENDPOINT does not report it.`,
      "Send an e-mail to yourself through POST /api/send-simple-email.",
    );
  return wrong(`SES refused the question (${failure.code}).`, "Look up that code in the SES API reference.");
}
