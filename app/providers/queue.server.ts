import { AppError } from "../app-error";
import { causeOf } from "../error-text";
import { retry } from "../retry";

/** A message queue that delivers by HTTP: QStash, or what speaks its API. */
export interface Queue {
  /**
   * Puts one message on the queue, which delivers `body` (JSON) to `destination`. A message with the id of one that was published
   * a short while before is taken as that one.
   * @throws AppError `unavailable`, `provider_failed`
   */
  publish(message: { destination: string; body: string; deduplicationId: string }): Promise<void>;
}

/** further attempts where the queue asks for a pause; so long it is waited for at most, milliseconds */
const RETRIES = 5;
const LONGEST_PAUSE_MS = 60_000;

/** QStash API, "Publish a message". */
export function createQueue({ url, token }: { url: string; token: string }): Queue {
  const post = ({ destination, body, deduplicationId }: Parameters<Queue["publish"]>[0]) =>
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
  const publishOnce = async (message: Parameters<typeof post>[0]) => {
    const response = await post(message).catch((error: unknown) => {
      throw unavailable(String(causeOf(error)));
    });
    if (!response.ok) throw await refused(response);
    await response.body?.cancel();
  };
  return {
    publish: (message) =>
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
