import { z } from "zod";
import { AppError } from "../shared/app-error";
import { causeOf } from "../shared/error-text";
import { redact } from "../shared/log.server";
import { retry } from "../shared/retry";

/** How often a request is repeated when the queue asks for a pause. */
const MAX_RETRIES = 5;
/** A longer pause is not waited for. */
const MAX_PAUSE_MS = 60_000;
/** The time limit of one request. */
const TIMEOUT_MS = 30_000;
/** characters of the queue's own message that are kept */
const MAX_MESSAGE_LENGTH = 300;

export interface QueueMessage {
  /** JSON */
  body: string;
  /** Two messages with the same id, published within some minutes, are delivered once. */
  deduplicationId: string;
}

/** How the queue delivers the messages. */
export interface Delivery {
  /** a URL */
  destination: string;
  /** Messages with the same key share a rate. */
  flowControlKey: string;
  /** maximum deliveries per second, including retries */
  rate: number;
  /** maximum concurrent deliveries */
  parallelism: number;
  /** The queue refuses more retries than its plan allows. */
  retries: number;
}

/** The result for one message: it is new, the queue has it already, or the queue refused it with this message. */
export type Published = { state: "new" | "known" } | { state: "refused"; message: string };

export type Queue = ReturnType<typeof createQueue>;

const resultsSchema = z.array(
  z.object({
    messageId: z.string().optional(),
    deduplicated: z.boolean().optional(),
    error: z.string().optional(),
  }),
);

/** A message queue that delivers by HTTP: QStash, or a service that speaks its API. */
export function createQueue({ url, token }: { url: string; token: string }) {
  const publishOnce = async (messages: readonly QueueMessage[], delivery: Delivery): Promise<Published[]> => {
    const { destination, flowControlKey, rate, parallelism, retries } = delivery;
    const response = await fetch(`${url.replace(/\/+$/, "")}/v2/batch`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(
        messages.map(({ body, deduplicationId }) => ({
          destination,
          body,
          headers: {
            "Content-Type": "application/json",
            "Upstash-Deduplication-Id": deduplicationId,
            "Upstash-Retries": String(retries),
            "Upstash-Flow-Control-Key": flowControlKey,
            "Upstash-Flow-Control-Value": `rate=${rate},period=1s,parallelism=${parallelism}`,
          },
        })),
      ),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw unavailable(`The queue cannot be reached: ${redact(String(causeOf(error)))}`);
    });
    if (!response.ok) throw await refused(response);
    const results = resultsSchema.safeParse(await response.json().catch(() => null));
    if (!results.success || results.data.length !== messages.length)
      throw unavailable("The queue's response is not one of QStash.");
    return results.data.map(({ messageId, deduplicated, error }) => {
      if (deduplicated) return { state: "known" };
      if (messageId !== undefined) return { state: "new" };
      return { state: "refused", message: messageOfQueue(error ?? "no reason was given") };
    });
  };
  return {
    /**
     * Publishes messages in one request. QStash API, "Batch messages", "Flow control", "Retry", "Deduplication".
     * @returns the result for each message, in their order
     * @throws AppError `unavailable` when the queue still asks for a pause after all retries, `provider_failed` when it refuses the request
     */
    publish: (messages: readonly QueueMessage[], delivery: Delivery): Promise<Published[]> =>
      retry(() => publishOnce(messages, delivery), {
        firstPauseMs: 1_000,
        maxPauseMs: 10_000,
        retries: MAX_RETRIES,
        isTemporary: (error) => {
          if (!(error instanceof AppError) || error.code !== "unavailable") return false;
          const { retryAfterSeconds } = error;
          return retryAfterSeconds === undefined || Math.min(retryAfterSeconds * 1000, MAX_PAUSE_MS);
        },
      }),
  };
}

function unavailable(message: string, retryAfterSeconds?: number): AppError {
  return new AppError("unavailable", message, retryAfterSeconds ? { retryAfterSeconds } : {});
}

async function refused(response: Response): Promise<AppError> {
  const { status } = response;
  const said = messageOfQueue(await response.text().catch(() => ""));
  if (status === 429 || status >= 500) {
    const message = status === 429 ? "The queue asks for a pause" : "The queue failed";
    return unavailable(
      `${message} (${status}): ${said}`,
      Number(response.headers.get("Retry-After")) || undefined,
    );
  }
  const message =
    status === 401 || status === 403
      ? "The queue does not accept QUEUE_TOKEN"
      : "The queue refused the messages";
  return new AppError("provider_failed", `${message} (${status}): ${said}`);
}

/** QStash puts its message into `error`. It may quote the request. */
function messageOfQueue(text: string): string {
  let message = text;
  try {
    const { error } = z.object({ error: z.string() }).parse(JSON.parse(text));
    message = error;
  } catch {}
  return redact(message).replaceAll(/\s+/g, " ").trim().slice(0, MAX_MESSAGE_LENGTH) || "it gave no reason";
}
