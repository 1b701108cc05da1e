import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { EmailContent } from "../../app/email/layout.server";
import { themeNames } from "../../app/email/themes";
import { mapConcurrently } from "../../app/shared/map-concurrently";
import { campaignEmail, shortEmail, simpleEmail } from "../../tests/support/email/sample-emails";
import { isCi, works } from "../../tests/support/machine/installed";
import type { SpamFound } from "./checkers/spam";
import type { History } from "./drill";

const run = promisify(execFile);

/** Rates short and long e-mails of each theme by SpamAssassin's local rules. If it is not installed, the history says so; with CI=true it fails. */
export async function* drillSpam(): AsyncGenerator<History<never, SpamFound>> {
  const isInstalled = works("spamassassin", "--version");
  const notDone = { notDone: "SpamAssassin is not installed on this machine", isFailure: isCi };
  yield {
    title: "spam filter",
    operations: [],
    found: isInstalled ? { emails: await rateEmails() } : notDone,
  };
}

async function rateEmails() {
  const emails: [string, EmailContent][] = [];
  for (const theme of themeNames) {
    emails.push(
      [`${theme}, short`, await shortEmail({ theme })],
      [`${theme}, long`, await simpleEmail({ theme })],
      [`${theme}, campaign`, await campaignEmail({ theme })],
      [`${theme}, campaign without lists`, await campaignEmail({ theme, featuredProducts: [], events: [] })],
    );
  }
  return mapConcurrently(emails, 1, async ([name, email]) => ({ name, ...(await judge(email)) }));
}

/** Other drills run in this process meanwhile, so it does not wait for the program synchronously. */
async function judge(email: EmailContent): Promise<{ points: number; rules: string[] }> {
  const running = run("spamassassin", ["-t", "-L"]);
  running.child.stdin?.end(asMessage(email));
  const { stdout } = await running;
  const [, points] = /Content analysis details: {3}\((-?[\d.]+) points/.exec(stdout) ?? [];
  if (points === undefined) throw new Error(`SpamAssassin gave no points: ${stdout}`);
  const rules = [...stdout.matchAll(/^ *(-?\d+\.\d) ([A-Z0-9_]+) /gm)].map(
    ([, score, rule]) => `${rule} ${score}`,
  );
  return { points: Number(points), rules };
}

/** Formats the e-mail as a mail provider does. */
function asMessage({ subject, html, text }: EmailContent): string {
  const base64 = (value: string) => Buffer.from(value).toString("base64");
  const part = (type: string, content: string) => [
    "--part",
    `Content-Type: ${type}; charset=UTF-8`,
    "Content-Transfer-Encoding: base64",
    "",
    base64(content).replace(/.{76}/g, "$&\r\n"),
  ];
  return [
    "From: Northwind <hello@northwind.example>",
    "To: ada@example.com",
    `Subject: =?UTF-8?B?${base64(subject)}?=`,
    `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
    "Message-ID: <0100018f@northwind.example>",
    "MIME-Version: 1.0",
    'Content-Type: multipart/alternative; boundary="part"',
    "",
    ...part("text/plain", text),
    ...part("text/html", html),
    "--part--",
    "",
  ].join("\r\n");
}
