import { z } from "zod";
import { AppError } from "../app-error";
import type { Env } from "../env.server";
import { logError } from "../log.server";
import { mapConcurrently } from "../map-concurrently";
import type { Database } from "../providers/database.server";
import { MailError, type Mailer, type OutgoingEmail } from "../providers/mail.server";
import type { RequestContext } from "../request-context.server";
import { countEmail } from "../telemetry/metrics.server";
import { formatMailbox } from "./email-address.server";
import { handOver } from "./hand-over.server";
import { IdempotentSending, type KeyedRequest } from "./idempotent-sending.server";
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
const NOT_LEARNED = "an earlier request with the same key did not learn what came of it";

/**
 * Sends a simple e-mail, one message to each recipient who is not suppressed.
 * @param settings.keyed of a request with an `Idempotency-Key`: to whom it has been sent before, it is not sent again
 * @throws AppError `unavailable` when nothing was sent and trying again later may help, `invalid_request`, `idempotency_mismatch`,
 *   `idempotency_in_progress`
 */
export async function sendSimpleEmail(
  email: SimpleEmail,
  settings: {
    database: Database;
    mailer: Mailer;
    sender: Env["sender"];
    request: RequestContext;
    keyed?: KeyedRequest | undefined;
  },
): Promise<SentSimpleEmail> {
  const sender = requireSender(settings.sender);
  const message = {
    ...renderSimpleEmail(email),
    from: formatMailbox(email.siteName ?? sender.name, sender.address),
    headers: [],
    replyTo: email.replyTo && formatMailbox(email.replyTo.name, email.replyTo.address),
    tags: email.tags,
  };
  const { database, mailer, request, keyed } = settings;
  const addresses = email.to.map(({ address }) => address);
  const suppressed = await findSuppressed(database, addresses);
  const sending = keyed && (await IdempotentSending.begin(database, keyed, email.to.length));
  const outcomes = await mapConcurrently([...email.to.entries()], CONCURRENCY, async ([place, recipient]) => {
    const earlier = sending?.outcomeOf(place);
    if (earlier !== undefined)
      return { recipient, outcome: earlier ?? new MailError("unknown", NOT_LEARNED) };
    if (suppressed.has(recipient.address.toLowerCase())) {
      countEmail("simple", "suppressed");
      return { recipient, outcome: SUPPRESSED } as const;
    }
    const to = formatMailbox(recipient.name, recipient.address);
    return { recipient, outcome: await sendOnce({ ...message, to }, place, { mailer, request, sending }) };
  }).finally(() => sending?.end());
  const tried = outcomes.filter(({ outcome }) => outcome !== SUPPRESSED);
  const failed = tried.flatMap(({ outcome }) => (outcome instanceof AppError ? outcome : []));
  const [first] = failed;
  if (first && failed.length === tried.length && failed.every(({ code }) => code === "unavailable")) {
    throw first;
  }
  for (const { logDetail, message: sentence } of failed) {
    logError(`A simple e-mail was not sent: ${logDetail ?? sentence}`, { requestId: request.requestId });
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

/** The message's id, or why it was not sent. */
async function sendOnce(
  message: OutgoingEmail,
  place: number,
  settings: { mailer: Mailer; request: RequestContext; sending: IdempotentSending | undefined },
): Promise<string | AppError> {
  const { mailer, request, sending } = settings;
  try {
    await sending?.handingOver(place);
    const { messageId } = await handOver(message, { mailer, kind: "simple", request });
    await sending?.sent(place, messageId);
    return messageId;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error instanceof MailError && error.kind !== "unknown") await sending?.notSent(place);
    return error;
  }
}
