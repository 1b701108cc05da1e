import { z } from "zod";
import { AppError, hasCode } from "../shared/app-error";
import { causeOf } from "../shared/error-text";
import { redact } from "../shared/log.server";
import { retry } from "../shared/retry";
import { truncate } from "../shared/truncate";

/** Maximum number of retries of a request while the queue asks for a pause. */
const MAX_RETRIES = 5;
/** A longer pause is not waited for. */
const MAX_PAUSE_MS = 60_000;
/** The time limit of one request. */
const TIMEOUT_MS = 30_000;
/** characters of what the queue or the job endpoint has said */
const MAX_REASON_LENGTH = 300;

export interface QueueMessage {
  body: string;
  /** Two messages with the same id, published within some minutes, are delivered once. */
  deduplicationId: string;
  /** ASCII letters, digits, `_` and `-`. Messages can be cancelled by it. */
  label: string;
}

/** Where and how fast the queue delivers the messages. */
export interface PublishSettings {
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
export type Published = { state: "new" | "duplicate" } | { state: "refused"; message: string };

/** A message that the queue has given up on, as QStash calls it. */
export interface DeadLetter {
  /** as it was published; empty if it is not UTF-8 */
  body: string;
  /** of the last response; null if there was none */
  status: number | null;
  /** why it failed, one sentence without addresses */
  reason: string;
}

export type Queue = ReturnType<typeof createQueue>;

const resultsSchema = z.array(
  z.object({
    messageId: z.string().optional(),
    deduplicated: z.boolean().optional(),
    error: z.string().optional(),
  }),
);

const cancelledSchema = z.object({ cancelled: z.number() });
/** Messages that one request cancels. */
const CANCELLED_PER_REQUEST = 1_000;

/** the most that QStash returns at once */
const DEAD_LETTERS_PER_PAGE = 100;

/** QStash omits empty members. */
const deadLettersSchema = z.object({
  messages: z.array(
    z.object({
      body: z.string().optional(),
      responseStatus: z.number().optional(),
      responseBody: z.string().optional(),
    }),
  ),
  cursor: z.string().optional(),
});

/** A message queue that delivers by HTTP: QStash, or a service that speaks its API. */
export function createQueue({ url, token }: { url: string; token: string }) {
  /** Sends one request. @returns the JSON of a successful response; every failure is an AppError */
  const ask = async <Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    init: RequestInit,
  ): Promise<z.output<Schema>> => {
    const headers = { ...init.headers, Authorization: `Bearer ${token}` };
    const response = await fetch(url.replace(/\/+$/, "") + path, { ...init, headers }).catch(
      (error: unknown) => {
        throw unavailable(`The queue cannot be reached: ${redact(String(causeOf(error)))}`);
      },
    );
    if (!response.ok) throw await refused(response);
    const { success, data } = schema.safeParse(await response.json().catch(() => null));
    if (!success) throw notQStash();
    return data;
  };
  const publishOnce = async (
    messages: readonly QueueMessage[],
    settings: PublishSettings,
  ): Promise<Published[]> => {
    const { destination, flowControlKey, rate, parallelism, retries } = settings;
    const results = await ask("/v2/batch", resultsSchema, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(
        messages.map(({ body, deduplicationId, label }) => ({
          destination,
          body,
          headers: {
            "Content-Type": "application/json",
            "Upstash-Deduplication-Id": deduplicationId,
            "Upstash-Label": label,
            "Upstash-Retries": String(retries),
            "Upstash-Flow-Control-Key": flowControlKey,
            "Upstash-Flow-Control-Value": `rate=${rate},period=1s,parallelism=${parallelism}`,
          },
        })),
      ),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (results.length !== messages.length) throw notQStash();
    return results.map(({ messageId, deduplicated, error }) => {
      if (deduplicated) return { state: "duplicate" };
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
    publish: (messages: readonly QueueMessage[], settings: PublishSettings): Promise<Published[]> =>
      retry(() => publishOnce(messages, settings), {
        firstPauseMs: 1_000,
        maxPauseMs: 10_000,
        retries: MAX_RETRIES,
        shouldRetry: (error) => {
          if (!hasCode(error, "unavailable")) return false;
          const { retryAfterSeconds } = error;
          return retryAfterSeconds === undefined || Math.min(retryAfterSeconds * 1000, MAX_PAUSE_MS);
        },
      }),
    /**
     * Removes the messages with a label that are not delivered yet. QStash API, "Bulk cancel messages".
     * @param destination a URL; undefined for all messages of the account with that label
     * @returns how many there were
     * @throws AppError `unavailable` when the queue cannot be reached or asks for a pause, `provider_failed` when it refuses
     */
    async cancel(label: string, destination: string | undefined): Promise<number> {
      const query = new URLSearchParams({
        label,
        count: String(CANCELLED_PER_REQUEST),
        ...(destination === undefined ? {} : { url: destination }),
      });
      let total = 0;
      let cancelled: number;
      do {
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        ({ cancelled } = await ask(`/v2/messages?${query}`, cancelledSchema, { method: "DELETE", signal }));
        total += cancelled;
      } while (cancelled >= CANCELLED_PER_REQUEST);
      return total;
    },
    /**
     * The messages that the queue has given up on and still keeps, newest first, in pages. QStash API, "List DLQ messages".
     * @param destination a URL; undefined for all messages of the account
     * @param signal ends the wait for a page
     * @throws AppError `unavailable` when the queue cannot be reached or asks for a pause, `provider_failed` when it refuses
     */
    async *deadLetters(destination: string | undefined, signal: AbortSignal): AsyncGenerator<DeadLetter[]> {
      let cursor: string | undefined;
      do {
        const query = new URLSearchParams({
          count: String(DEAD_LETTERS_PER_PAGE),
          order: "latestFirst",
          ...(destination === undefined ? {} : { url: destination }),
          ...(cursor === undefined ? {} : { cursor }),
        });
        const page = await ask(`/v2/dlq?${query}`, deadLettersSchema, { signal });
        yield page.messages.map(({ body = "", responseStatus, responseBody }) => ({
          body,
          status: responseStatus || null,
          reason: responseStatus ? reasonIn(responseBody ?? "") : "there was no response",
        }));
        cursor = page.cursor || undefined;
      } while (cursor !== undefined);
    },
  };
}

function unavailable(message: string, retryAfterSeconds?: number): AppError {
  return new AppError("unavailable", message, retryAfterSeconds ? { retryAfterSeconds } : {});
}

function notQStash(): AppError {
  return unavailable("The queue's response is not one of QStash.");
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
      : "The queue refused the request";
  return new AppError("provider_failed", `${message} (${status}): ${said}`);
}

const failureSchema = z.object({
  error: z.string(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** Why the job endpoint has refused a job: its issues say more than its error. */
function reasonIn(text: string): string {
  try {
    const { error, issues } = failureSchema.parse(JSON.parse(text));
    return toReason(issues?.map(({ path, message }) => `${path} ${message}`).join("; ") || error);
  } catch {
    return toReason(text);
  }
}

/** QStash puts its message into `error`. It may quote the request. */
function messageOfQueue(text: string): string {
  try {
    return toReason(failureSchema.parse(JSON.parse(text)).error);
  } catch {
    return toReason(text);
  }
}

function toReason(text: string): string {
  return truncate(redact(text).replaceAll(/\s+/g, " ").trim(), MAX_REASON_LENGTH) || "it gave no reason";
}
