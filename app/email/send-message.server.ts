import type { Env } from "../env/env.server";
import type { Events } from "../events/events.server";
import { MailError, type Mailer, type OutgoingEmail } from "../providers/mail.server";
import { AppError } from "../shared/app-error";
import type { RequestContext } from "../shared/request-context.server";
import { retry } from "../shared/retry";
import { countEmail } from "../telemetry/metrics.server";

const FIRST_PAUSE_MS = 400;
const MAX_PAUSE_MS = 1_500;
/** An attempt that is cut off may have sent the message. So none is started with less time than this. */
const MIN_ATTEMPT_MS = 5_000;

/** Few: the queue delivers a campaign's job again, and the caller of a simple e-mail should learn of an outage soon. */
const MAX_RETRIES = 2;

/** Whom our e-mail is from, by `EMAIL_FROM`. @throws AppError `unavailable` when that is not set */
export function requireSender(sender: Env["sender"]): NonNullable<Env["sender"]> {
  if (sender !== undefined) return sender;
  throw new AppError("unavailable", "This deployment is not set up to send e-mail.", {
    logDetail: "EMAIL_FROM is not set.",
  });
}

/** The tag of each message that has the id of its event `email.sent`. SES's notifications bring it back. app/events/README.md */
export const EVENT_TAG = "platform-embed-event";

/** What `email.sent` says about a message. */
interface SentEvent {
  id: string;
  companyId: string | null;
  campaignId: string | null;
  /** the address in lower case */
  recipient: string;
}

export interface SendingTools {
  mailer: Mailer;
  events: Events;
  context: RequestContext;
}

/**
 * Sends one message, then records the event `email.sent`. Tries again after failures that sent nothing and may be temporary. Counts the
 * message in the metrics once, by its final outcome.
 * @returns `eventWritten`: resolves once its event is written, or after one second; never rejects
 * @throws MailError `unknown` when the message may have been sent; after any other error it has not been sent
 */
export async function sendMessage(
  message: OutgoingEmail,
  event: SentEvent,
  kind: "simple" | "campaign",
  { mailer, events, context }: SendingTools,
): Promise<{ messageId: string; eventWritten: Promise<void> }> {
  const tagged = { ...message, tags: { ...message.tags, [EVENT_TAG]: event.id } };
  const deadline = context.deadline - MIN_ATTEMPT_MS;
  // Counted here, because not every retry counts.
  let retries = 0;
  const shouldRetry = (error: unknown) => {
    if (!(error instanceof MailError)) return false;
    // A simple e-mail to fifty people may exceed a new account's rate. So its throttled messages are tried until the deadline.
    if (kind === "simple" && error.kind === "throttled") return true;
    if (!error.isTemporary || retries === MAX_RETRIES) return false;
    retries += 1;
    return true;
  };
  try {
    if (performance.now() > deadline) throw new MailError("unreachable", "the request had no time left");
    const { messageId } = await retry(() => mailer.send(tagged, context), {
      firstPauseMs: FIRST_PAUSE_MS,
      maxPauseMs: MAX_PAUSE_MS,
      deadline,
      shouldRetry,
    });
    countEmail(kind, "sent");
    const { requestId } = context;
    // Not awaited: the message is sent, whatever becomes of its event.
    const eventWritten = events.record({ ...event, type: "email.sent", requestId, data: { messageId } });
    return { messageId, eventWritten };
  } catch (error) {
    countEmail(kind, error instanceof MailError ? error.kind : "error");
    throw error;
  }
}
