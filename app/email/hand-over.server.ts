import { MailError, type Mailer, type OutgoingEmail } from "../providers/mail.server";
import type { RequestContext } from "../request-context.server";
import { retry } from "../retry";
import { countEmail } from "../telemetry/metrics.server";

/** milliseconds */
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 1_500;
/** What an attempt is given at least, milliseconds: one that is cut off leaves a message of which nobody knows. */
const LEAST_TIME_MS = 5_000;

/** Further attempts. The queue delivers a campaign's job again; of a simple e-mail that meets an outage the caller is told soon. */
const RETRIES = 2;

/**
 * Hands one message to the mail provider, and asks again after failures that certainly sent nothing and may pass. Counted once, by what it
 * came to in the end.
 * @throws MailError `unknown` when it may have been sent; after any other, whatever is thrown, it certainly was not
 */
export async function handOver(
  message: OutgoingEmail,
  { mailer, kind, request }: { mailer: Mailer; kind: "simple" | "campaign"; request: RequestContext },
): Promise<{ messageId: string }> {
  const deadline = request.deadline - LEAST_TIME_MS;
  let retries = 0;
  // A call with fifty recipients goes beyond what a new account may send in a second: it waits as long as it has time.
  const isPatient = ({ kind: failure }: MailError) => kind === "simple" && failure === "throttled";
  try {
    if (performance.now() > deadline) throw new MailError("unreachable", "the request's time was over");
    const sent = await retry(() => mailer.send(message, request), {
      firstPauseMs: FIRST_PAUSE_MS,
      longestPauseMs: LONGEST_PAUSE_MS,
      deadline,
      mayPass: (error) =>
        error instanceof MailError && (isPatient(error) || (error.mayPass && retries++ < RETRIES)),
    });
    countEmail(kind, "sent");
    return sent;
  } catch (error) {
    countEmail(kind, error instanceof MailError ? error.kind : "error");
    throw error;
  }
}
