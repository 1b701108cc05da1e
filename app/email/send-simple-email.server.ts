import { z } from "zod";
import type { Env } from "../env.server";
import { logError } from "../log.server";
import { mapConcurrently } from "../map-concurrently";
import type { Database } from "../providers/database.server";
import { MailError, type Mailer, type OutgoingEmail } from "../providers/mail.server";
import type { RequestContext } from "../request-context.server";
import { countEmail } from "../telemetry/metrics.server";
import { formatMailbox } from "./email-address.server";
import { handOver } from "./hand-over.server";
import { requireSender } from "./sender.server";
import { type Recipient, renderSimpleEmail, type SimpleEmail } from "./simple-email.server";
import { findSuppressed } from "./suppressions/suppressions.server";

/** In place of a message's id: the address gets no e-mail, see `email_suppressions`. */
const SUPPRESSED = Symbol("suppressed");

const resultSchema = z.union([
  z.object({ to: z.string(), messageId: z.string() }),
  z.object({ to: z.string(), error: z.string().describe("a sentence for a person, or `suppressed`") }),
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
  /** `none`: it was tried, and nobody got it; `some` also where there was nobody to try it with, because all are suppressed */
  sent: "all" | "some" | "none";
  /** in the order of `to` */
  results: SimpleEmailResult[];
}

/** messages handed over at a time; SES starts an account at 14 a second */
const CONCURRENCY = 5;

/**
 * Sends a simple e-mail, one message to each recipient who is not suppressed.
 * @throws AppError `unavailable` when nothing was sent and trying again later may help, `invalid_request`
 */
export async function sendSimpleEmail(
  email: SimpleEmail,
  settings: { database: Database; mailer: Mailer; sender: Env["sender"]; request: RequestContext },
): Promise<SentSimpleEmail> {
  const sender = requireSender(settings.sender);
  const message = {
    ...renderSimpleEmail(email),
    from: formatMailbox(email.siteName ?? sender.name, sender.address),
    headers: [],
    replyTo: email.replyTo && formatMailbox(email.replyTo.name, email.replyTo.address),
    tags: email.tags,
  };
  const { database, mailer, request } = settings;
  const addresses = email.to.map(({ address }) => address);
  const suppressed = await findSuppressed(database, addresses);
  const outcomes = await mapConcurrently(email.to, CONCURRENCY, async (recipient) => {
    if (suppressed.has(recipient.address.toLowerCase())) {
      countEmail("simple", "suppressed");
      return { recipient, outcome: SUPPRESSED } as const;
    }
    const to = formatMailbox(recipient.name, recipient.address);
    return { recipient, outcome: await send({ ...message, to }, { mailer, request }) };
  });
  const tried = outcomes.filter(({ outcome }) => outcome !== SUPPRESSED);
  const failed = tried.flatMap(({ outcome }) => (outcome instanceof MailError ? outcome : []));
  const [first] = failed;
  if (first && failed.length === tried.length && failed.every(({ code }) => code === "unavailable")) {
    throw first;
  }
  for (const { logDetail } of failed) {
    logError(`A simple e-mail was not sent: ${logDetail}`, { requestId: request.requestId });
  }
  const sent = tried.length - failed.length;
  return {
    sent: sent === outcomes.length ? "all" : sent > 0 || tried.length === 0 ? "some" : "none",
    results: outcomes.map(({ recipient, outcome }) => resultOf(recipient, outcome)),
  };
}

function resultOf({ to }: Recipient, outcome: string | MailError | typeof SUPPRESSED): SimpleEmailResult {
  if (outcome === SUPPRESSED) return { to, error: "suppressed" };
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
