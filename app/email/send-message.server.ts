import type { Env } from "../env.server";
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
  throw new AppError("unavailable", "This service is not set up to send e-mail.", {
    logDetail: "EMAIL_FROM is not set.",
  });
}

/**
 * Sends one message. Tries again after failures that sent nothing and may be temporary. Counts the message once, by its final outcome.
 * @throws MailError `unknown` when the message may have been sent; after any other error it certainly was not
 */
export async function sendMessage(
  message: OutgoingEmail,
  { mailer, kind, request }: { mailer: Mailer; kind: "simple" | "campaign"; request: RequestContext },
): Promise<{ messageId: string }> {
  const deadline = request.deadline - MIN_ATTEMPT_MS;
  let retries = 0;
  // One call with fifty recipients exceeds what a new account may send in a second, so it waits as long as it has time.
  const isPatient = ({ kind: failure }: MailError) => kind === "simple" && failure === "throttled";
  try {
    if (performance.now() > deadline) throw new MailError("unreachable", "the request had no time left");
    const sent = await retry(() => mailer.send(message, request), {
      firstPauseMs: FIRST_PAUSE_MS,
      maxPauseMs: MAX_PAUSE_MS,
      deadline,
      isTemporary: (error) =>
        error instanceof MailError && (isPatient(error) || (error.isTemporary && retries++ < MAX_RETRIES)),
    });
    countEmail(kind, "sent");
    return sent;
  } catch (error) {
    countEmail(kind, error instanceof MailError ? error.kind : "error");
    throw error;
  }
}
