import { z } from "zod";
import type { Env } from "../env.server";
import { logError } from "../log.server";
import { mapConcurrently } from "../map-concurrently";
import { MailError, type Mailer, type OutgoingEmail } from "../providers/mail.server";
import type { RequestContext } from "../request-context.server";
import { formatMailbox } from "./email-address.server";
import { handOver } from "./hand-over.server";
import { requireSender } from "./sender.server";
import { type Recipient, renderSimpleEmail, type SimpleEmail } from "./simple-email.server";

const resultSchema = z.union([
  z.object({ to: z.string(), messageId: z.string() }),
  z.object({ to: z.string(), error: z.string() }),
]);
export type SimpleEmailResult = z.infer<typeof resultSchema>;

/** Of the call as a whole: what each recipient's message came to, in the order of `to`. */
export const sentEmailSchema = z.object({ success: z.boolean(), results: z.array(resultSchema) });
export const unsentEmailSchema = sentEmailSchema.extend({
  success: z.literal(false),
  error: z.string().describe("a sentence for a person"),
  code: z.literal("provider_failed"),
});

export interface SentSimpleEmail {
  sent: "all" | "some" | "none";
  /** in the order of `to` */
  results: SimpleEmailResult[];
}

/** messages handed over at a time; SES starts an account at 14 a second */
const CONCURRENCY = 5;

/**
 * Sends a simple e-mail, one message to each recipient.
 * @throws AppError `unavailable` when nothing was sent and trying again later may help, `invalid_request`
 */
export async function sendSimpleEmail(
  email: SimpleEmail,
  settings: { mailer: Mailer; sender: Env["sender"]; request: RequestContext },
): Promise<SentSimpleEmail> {
  const sender = requireSender(settings.sender);
  const message = {
    ...renderSimpleEmail(email),
    from: formatMailbox(email.siteName ?? sender.name, sender.address),
    headers: [],
    replyTo: email.replyTo && formatMailbox(email.replyTo.name, email.replyTo.address),
    tags: email.tags,
  };
  const { mailer, request } = settings;
  const outcomes = await mapConcurrently(email.to, CONCURRENCY, async (recipient) => {
    const to = formatMailbox(recipient.name, recipient.address);
    return { recipient, outcome: await send({ ...message, to }, { mailer, request }) };
  });
  const failed = outcomes.flatMap(({ outcome }) => (outcome instanceof MailError ? outcome : []));
  const [first] = failed;
  if (first && failed.length === outcomes.length && failed.every(({ code }) => code === "unavailable")) {
    throw first;
  }
  for (const { logDetail } of failed) {
    logError(`A simple e-mail was not sent: ${logDetail}`, { requestId: request.requestId });
  }
  return {
    sent: failed.length === 0 ? "all" : failed.length < outcomes.length ? "some" : "none",
    results: outcomes.map(({ recipient, outcome }) => resultOf(recipient, outcome)),
  };
}

function resultOf({ to }: Recipient, outcome: string | MailError): SimpleEmailResult {
  return typeof outcome === "string" ? { to, messageId: outcome } : { to, error: outcome.message };
}

/** The message's id, or why it was not sent. */
async function send(
  message: OutgoingEmail,
  settings: { mailer: Mailer; request: RequestContext },
): Promise<string | MailError> {
  try {
    return (await handOver(message, { kind: "simple", ...settings })).messageId;
  } catch (error) {
    if (error instanceof MailError) return error;
    throw error;
  }
}
