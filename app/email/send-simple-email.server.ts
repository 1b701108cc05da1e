import { z } from "zod";
import type { Env } from "../env/env.server";
import { newEventId } from "../events/events.server";
import type { Database } from "../providers/database.server";
import { MailError } from "../providers/mail.server";
import { AppError } from "../shared/app-error";
import { logError } from "../shared/log.server";
import { mapConcurrently } from "../shared/map-concurrently";
import { countEmail } from "../telemetry/metrics.server";
import { formatMailbox } from "./email-address.server";
import { IdempotentSending, type KeyedRequest } from "./idempotent-sending.server";
import type { MarkdownPool } from "./markdown-pool.server";
import { requireSender, type SendingTools, sendMessage } from "./send-message.server";
import { type Recipient, renderSimpleEmail, type SimpleEmail } from "./simple-email.server";
import { findSuppressed } from "./suppressions.server";

/** In place of a message's id: the address is in `email_suppressions`, and nothing was sent. */
const SUPPRESSED = Symbol("suppressed");

const resultSchema = z.union([
  z.object({ to: z.string(), messageId: z.string() }),
  z.object({ to: z.string(), error: z.string().describe("a sentence for a person, or `suppressed`") }),
]);
type SimpleEmailResult = z.infer<typeof resultSchema>;

/** The result for each recipient, in the order of `to`. */
export const sentEmailSchema = z
  .object({ success: z.boolean(), results: z.array(resultSchema) })
  .meta({ id: "SentEmail" });
export const unsentEmailSchema = sentEmailSchema
  .extend({
    success: z.literal(false),
    error: z.string().describe("a sentence for a person"),
    code: z.literal("provider_failed"),
  })
  .meta({ id: "UnsentEmail" });

interface SentSimpleEmail {
  /** `none`: every attempt failed. `some` also when there was no attempt, because all recipients are suppressed */
  sent: "all" | "some" | "none";
  /** in the order of `to` */
  results: SimpleEmailResult[];
}

/** SES starts an account at 14 messages a second. */
const MAX_CONCURRENT_MESSAGES = 5;
const UNKNOWN_OUTCOME = "an earlier request with the same key did not learn whether it was sent";

/**
 * Sends a simple e-mail, one message to each recipient who is not suppressed.
 * @param settings.keyed whether the request has an `Idempotency-Key`: recipients who already got the message do not get it again
 * @throws AppError `unavailable` when nothing was sent and trying again later may help, `invalid_request`, `idempotency_mismatch`,
 *   `idempotency_in_progress`
 */
export async function sendSimpleEmail(
  email: SimpleEmail,
  settings: SendingTools & {
    env: Pick<Env, "sender">;
    database: Database;
    markdown: MarkdownPool;
    keyed?: KeyedRequest | undefined;
  },
): Promise<SentSimpleEmail> {
  const sender = requireSender(settings.env.sender);
  const { database, markdown, keyed, context } = settings;
  const message = {
    ...(await renderSimpleEmail(email, sender, (task) => markdown.render(task, context))),
    from: formatMailbox(email.siteName ?? sender.name, sender.address),
    headers: [],
    replyTo: email.replyTo && formatMailbox(email.replyTo.name, email.replyTo.address),
    tags: email.tags,
  };
  const addresses = email.to.map(({ address }) => address);
  const suppressed = await findSuppressed(database, addresses);
  const sending = keyed && (await IdempotentSending.begin(database, keyed, email.to.length));
  const ofEmail = { companyId: email.companyId ?? null, campaignId: null };
  const eventsWritten: Promise<void>[] = [];
  const outcomes = await mapConcurrently(
    [...email.to.entries()],
    MAX_CONCURRENT_MESSAGES,
    async ([index, recipient]) => {
      const earlier = sending?.outcomeOf(index);
      if (earlier !== undefined)
        return { recipient, outcome: earlier ?? new MailError("unknown", UNKNOWN_OUTCOME) };
      if (suppressed.has(recipient.address.toLowerCase())) {
        countEmail("simple", "suppressed");
        return { recipient, outcome: SUPPRESSED } as const;
      }
      const outcome = await sendOnce(index, sending, async () => {
        const to = formatMailbox(recipient.name, recipient.address);
        const event = { ...ofEmail, id: newEventId(), recipient: recipient.address.toLowerCase() };
        const sent = await sendMessage({ ...message, to }, event, "simple", settings);
        eventsWritten.push(sent.eventWritten);
        return sent.messageId;
      });
      return { recipient, outcome };
    },
  ).finally(() => sending?.end());
  await Promise.all(eventsWritten);
  const tried = outcomes.filter(({ outcome }) => outcome !== SUPPRESSED);
  const failed = tried.flatMap(({ outcome }) => (outcome instanceof AppError ? outcome : []));
  const [first] = failed;
  if (first && failed.length === tried.length && failed.every(({ code }) => code === "unavailable")) {
    throw first;
  }
  for (const { logDetail, message: sentence } of failed) {
    logError(`A simple e-mail was not sent: ${logDetail ?? sentence}`, { requestId: context.requestId });
  }
  const sent = tried.length - failed.length;
  return {
    sent: sent === outcomes.length ? "all" : sent > 0 || tried.length === 0 ? "some" : "none",
    results: outcomes.map(({ recipient, outcome }) => resultOf(recipient, outcome)),
  };
}

function resultOf({ to }: Recipient, outcome: string | AppError | typeof SUPPRESSED): SimpleEmailResult {
  if (outcome === SUPPRESSED) return { to, error: "suppressed" };
  return typeof outcome === "string" ? { to, messageId: outcome } : { to, error: outcome.message };
}

/** The message's id, or why it was not sent. Throws only our own defects. */
async function sendOnce(
  index: number,
  sending: IdempotentSending | undefined,
  send: () => Promise<string>,
): Promise<string | AppError> {
  try {
    await sending?.sending(index);
    const messageId = await send();
    await sending?.sent(index, messageId);
    return messageId;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error instanceof MailError && error.kind !== "unknown") await sending?.notSent(index);
    return error;
  }
}
