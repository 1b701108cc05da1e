import { z } from "zod";
import { AppError } from "../app-error";
import { causeOf } from "../error-text";
import { redact } from "../log.server";
import { retry } from "../retry";

/** How often messages are sent again when the queue asks for a pause, and the longest pause that is kept, milliseconds. */
const RETRIES = 5;
const LONGEST_PAUSE_MS = 60_000;
/** for one request, milliseconds */
const TIMEOUT_MS = 30_000;
/** characters of the queue's own words that are passed on */
const MAX_WORDS = 300;

export interface QueueMessage {
  /** JSON */
  body: string;
  /** The queue takes two messages with the same id, published within some minutes, for one. */
  deduplicationId: string;
}

/** How the messages are to be delivered. */
export interface Delivery {
  /** the URL that they are delivered to */
  destination: string;
  /** Messages of the same key share a rate. */
  flowControlKey: string;
  /** deliveries a second at most, further attempts included */
  rate: number;
  /** deliveries at a time at most */
  parallelism: number;
  /** further attempts; more than a plan of the queue allows are refused */
  retries: number;
}

/** What became of one message: it is new, the queue had it already, or it was refused in these words. */
export type Published = { state: "new" | "known" } | { state: "refused"; message: string };

export type Queue = ReturnType<typeof createQueue>;

const answersSchema = z.array(
  z.object({
    messageId: z.string().optional(),
    deduplicated: z.boolean().optional(),
    error: z.string().optional(),
  }),
);

/** A message queue that delivers by HTTP: QStash, or what speaks its API. */
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
    const answers = answersSchema.safeParse(await response.json().catch(() => null));
    if (!answers.success || answers.data.length !== messages.length)
      throw unavailable("The queue did not answer as QStash does.");
    return answers.data.map(({ messageId, deduplicated, error }) => {
      if (deduplicated) return { state: "known" };
      if (messageId !== undefined) return { state: "new" };
      return { state: "refused", message: inWordsOfTheQueue(error ?? "no reason was given") };
    });
  };
  return {
    /**
     * Puts messages on the queue with one request. QStash API, "Batch messages", "Flow control", "Retry", "Deduplication".
     * @returns what became of each, in their order
     * @throws AppError `unavailable` when the queue still asked for a pause after some minutes, `provider_failed` when it takes none
     */
    publish: (messages: readonly QueueMessage[], delivery: Delivery): Promise<Published[]> =>
      retry(() => publishOnce(messages, delivery), {
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

function unavailable(message: string, retryAfterSeconds?: number): AppError {
  return new AppError("unavailable", message, retryAfterSeconds ? { retryAfterSeconds } : {});
}

async function refused(response: Response): Promise<AppError> {
  const { status } = response;
  const words = inWordsOfTheQueue(await response.text().catch(() => ""));
  if (status === 429 || status >= 500) {
    const message = status === 429 ? "The queue asks for a pause" : "The queue has a fault";
    return unavailable(
      `${message} (${status}): ${words}`,
      Number(response.headers.get("Retry-After")) || undefined,
    );
  }
  const message =
    status === 401 || status === 403
      ? "The queue does not accept QUEUE_TOKEN"
      : "The queue refused the messages";
  return new AppError("provider_failed", `${message} (${status}): ${words}`);
}

/** QStash puts them into `error`. They may quote what it was sent. */
function inWordsOfTheQueue(text: string): string {
  let words = text;
  try {
    const { error } = z.object({ error: z.string() }).parse(JSON.parse(text));
    words = error;
  } catch {}
  return redact(words).replaceAll(/\s+/g, " ").trim().slice(0, MAX_WORDS) || "it gave no reason";
}
