import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { renderCampaignEmail } from "../../campaigns/campaign-email.server";
import { readJobs } from "../../campaigns/campaign-file.server";
import type { CampaignJob } from "../../campaigns/campaign-job.server";
import { formatMailbox, normalizeEmailAddress } from "../../email/email-address.server";
import type { EmailContent } from "../../email/layout.server";
import { requireSender } from "../../email/send-message.server";
import { type EnvVariables, parseEnv } from "../../env/env.server";
import { createMailer } from "../../providers/mail.server";
import { openFile, type Session } from "../run-command";
import { withUnfinishedFile } from "../unfinished-file";
import { createRendering } from "./rendering";

export interface PreviewOptions {
  line: number;
  out: string;
  testTo?: string;
  json?: boolean;
}

/** `npm run campaign -- preview FILE --line N` */
export async function preview(session: Session, file: string, options: PreviewOptions): Promise<void> {
  const { line, out, testTo, json } = options;
  const to = testTo === undefined ? undefined : normalizeEmailAddress(testTo);
  if (to === null) throw new Error(`${testTo} is not an e-mail address.`);
  const variables = session.environment("POSTGRES_URL");
  const rendering = createRendering(variables);
  try {
    const job = await readLine(file, line);
    const { html, text, subject, headers } = await renderCampaignEmail(
      to === undefined ? job : addressedTo(job, to),
      rendering,
    );
    await mkdir(out, { recursive: true });
    const name = `${job.campaignId.replace(/[^\w.-]+/g, "-")}-line-${line}`;
    const files = { html: join(out, `${name}.html`), text: join(out, `${name}.txt`) };
    await writePrivateFile(files.html, html);
    await writePrivateFile(files.text, `${text}\n`);
    const messageId = to && (await sendTest({ html, text, subject }, headers, job, to, variables));
    if (json) return session.console.log(JSON.stringify({ line, subject, ...files, messageId }));
    session.console.log(`Subject: ${subject}\n${files.html}\n${files.text}`);
    if (to) session.console.log(`Sent to ${to}, with “[Test]” before the subject.`);
  } finally {
    await rendering.close();
  }
}

function writePrivateFile(path: string, content: string): Promise<void> {
  return withUnfinishedFile(path, async (unfinished, complete) => {
    await writeFile(unfinished, content, { flush: true });
    await complete();
  });
}

async function readLine(file: string, wanted: number): Promise<CampaignJob> {
  const opened = await openFile(file);
  for await (const read of readJobs(opened.createReadStream())) {
    if (read.line < wanted) continue;
    if (read.line > wanted) throw new Error(`Line ${wanted} of ${file} is blank.`);
    if ("issue" in read) throw new Error(`Line ${wanted} is not a valid campaign job: ${read.issue}`);
    return read.job;
  }
  throw new Error(`${file} has no line ${wanted}.`);
}

/** The link to unsubscribe must not be the real recipient's: whoever gets the test may try it. */
function addressedTo(job: CampaignJob, email: string): CampaignJob {
  return { ...job, recipient: { ...job.recipient, email, unsubscribeToken: undefined } };
}

/** Sends without a record: a test is no e-mail of the campaign. @returns the mail provider's id */
async function sendTest(
  { html, text, subject }: EmailContent,
  headers: { name: string; value: string }[],
  { recipient, branding }: CampaignJob,
  to: string,
  variables: EnvVariables,
): Promise<string> {
  const env = parseEnv(variables);
  const sender = requireSender(env.sender);
  const { messageId } = await createMailer(env.mail).send({
    from: formatMailbox(branding.siteName, sender.address),
    to: formatMailbox(recipient.name, to),
    subject: `[Test] ${subject}`,
    html,
    text,
    headers,
  });
  return messageId;
}
