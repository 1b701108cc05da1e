import { AppError } from "../app-error";
import { causeOf } from "../error-text";
import { retry } from "../retry";

/** How often a message is sent again when the queue asks for a pause, and the longest pause that is kept, milliseconds. */
const RETRIES = 5;
const LONGEST_PAUSE_MS = 60_000;

interface Message {
  /** the URL that it is delivered to */
  destination: string;
  /** JSON */
  body: string;
  /** The queue takes two messages with the same id, published within a short time, for one. */
  deduplicationId: string;
}

export type Queue = ReturnType<typeof createQueue>;

/** A message queue that delivers by HTTP: QStash, or what speaks its API. QStash API, "Publish a message". */
export function createQueue({ url, token }: { url: string; token: string }) {
  const post = ({ destination, body, deduplicationId }: Message) =>
    fetch(`${url.replace(/\/+$/, "")}/v2/publish/${destination}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        "Upstash-Deduplication-Id": deduplicationId,
      },
      body,
      signal: AbortSignal.timeout(30_000),
    });
  const publishOnce = async (message: Message) => {
    const response = await post(message).catch((error: unknown) => {
      throw unavailable(String(causeOf(error)));
    });
    if (!response.ok) throw await refused(response);
    await response.body?.cancel();
  };
  return {
    /** Puts one message on the queue. @throws AppError `unavailable`, `provider_failed` */
    publish: (message: Message): Promise<void> =>
      retry(() => publishOnce(message), {
        firstPauseMs: 1_000,
        longestPauseMs: 10_000,
        retries: RETRIES,
        mayPass: (error) => {
          if (!(error instanceof AppError) || error.code !== "unavailable") return false;
          const told = error.retryAfterSeconds;
          return told === undefined || Math.min(told * 1000, LONGEST_PAUSE_MS);
        },
      }),
  };
}

function unavailable(logDetail: string, retryAfterSeconds?: number): AppError {
  return new AppError("unavailable", "The queue cannot be reached, or asks for a pause.", {
    logDetail,
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  });
}

async function refused(response: Response): Promise<AppError> {
  const detail = `${response.status} ${(await response.text()).slice(0, 500)}`;
  if (response.status === 429 || response.status >= 500) {
    return unavailable(detail, Number(response.headers.get("Retry-After")) || undefined);
  }
  const message =
    response.status === 401 || response.status === 403
      ? "The queue does not accept QUEUE_TOKEN."
      : `The queue refused the message with status ${response.status}.`;
  return new AppError("provider_failed", message, { logDetail: detail });
}
