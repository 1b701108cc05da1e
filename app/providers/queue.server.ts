import { setTimeout as pause } from "node:timers/promises";
import { AppError } from "../app-error";

/** A message queue that delivers by HTTP: QStash, or what speaks its API. */
export interface Queue {
  /**
   * Puts one message on the queue, which delivers `body` (JSON) to `destination`. A message with the id of one that was published
   * a short while before is taken as that one.
   * @throws AppError `unavailable`, `provider_failed`
   */
  publish(message: { destination: string; body: string; deduplicationId: string }): Promise<void>;
}

/** milliseconds before each further attempt; what the queue asks for in `Retry-After` counts instead */
const PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000];
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
  return {
    async publish(message) {
      for (let attempt = 0; ; attempt++) {
        const answer = await post(message).catch((error: unknown) => new Error(describe(error)));
        if (!(answer instanceof Error) && answer.ok) {
          await answer.body?.cancel();
          return;
        }
        const failure = answer instanceof Error ? unavailable(answer.message) : await refused(answer);
        const wait = failure.retryAfterSeconds ? failure.retryAfterSeconds * 1000 : PAUSES_MS[attempt];
        if (failure.code !== "unavailable" || attempt >= PAUSES_MS.length || wait === undefined)
          throw failure;
        await pause(Math.min(wait, LONGEST_PAUSE_MS));
      }
    },
  };
}

function unavailable(logDetail: string, retryAfterSeconds?: number): AppError {
  return new AppError("unavailable", "The queue cannot be reached, or asks for a pause.", {
    logDetail,
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  });
}

async function refused(answer: Response): Promise<AppError> {
  const detail = `${answer.status} ${(await answer.text()).slice(0, 500)}`;
  if (answer.status === 429 || answer.status >= 500) {
    return unavailable(detail, Number(answer.headers.get("Retry-After")) || undefined);
  }
  const message =
    answer.status === 401 || answer.status === 403
      ? "The queue does not accept QUEUE_TOKEN."
      : `The queue refused the message with status ${answer.status}.`;
  return new AppError("provider_failed", message, { logDetail: detail });
}

function describe(error: unknown): string {
  return error instanceof Error ? String(error.cause ?? error.message) : String(error);
}
