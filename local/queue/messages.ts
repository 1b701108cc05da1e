import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Flow, type FlowLimits } from "./flow";
import { signDelivery } from "./signature";

export interface NewMessage {
  destination: string;
  body: Uint8Array<ArrayBuffer>;
  deduplicationId?: string | undefined;
  /** further attempts after the first */
  retries?: number | undefined;
  flow?: { key: string; limits: FlowLimits } | undefined;
}

export interface Message extends NewMessage {
  id: string;
  /** attempts that have been made */
  attempts: number;
}

/** What was given up, and why. */
export interface DeadLetter extends Message {
  /** of the last answer; null where there was none */
  status: number | null;
  answer: string;
  /** ISO 8601 */
  at: string;
}

export interface DeliveryOptions {
  /** what deliveries are signed with */
  signingKey: string;
  /** seconds before each further attempt, where the webhook does not say; the last one counts for all after it */
  pauses: number[];
  /** further attempts of a message that does not say how many */
  retries: number;
  /** deliveries at a time of messages without a flow of their own */
  concurrency: number;
  log: (text: string) => void;
}

/** So long two messages with the same deduplication id are one. QStash, "Deduplication". */
const KNOWN_FOR_MS = 10 * 60_000;

/** The messages of the local queue, in memory: delivered as QStash delivers them, with their attempts, their pace and their end. */
export class Messages {
  readonly deadLetters = new Map<string, DeadLetter>();
  delivered = 0;
  readonly #open = new Set<Message>();
  readonly #known = new Map<string, { id: string; until: number }>();
  readonly #flows = new Map<string, Flow>();
  readonly #closing = new AbortController();

  constructor(private readonly options: DeliveryOptions) {
    // One for each delivery that is under way or waits.
    setMaxListeners(0, this.#closing.signal);
  }

  get open(): number {
    return this.#open.size;
  }

  add(message: NewMessage): { messageId: string; deduplicated?: true } {
    const { deduplicationId } = message;
    const id = `msg_${randomUUID()}`;
    if (deduplicationId !== undefined) {
      const known = this.#known.get(deduplicationId);
      if (known && known.until > Date.now()) return { messageId: known.id, deduplicated: true };
      this.#known.set(deduplicationId, { id, until: Date.now() + KNOWN_FOR_MS });
    }
    const added = { ...message, id, attempts: 0 };
    this.#open.add(added);
    this.#enter(added);
    return { messageId: id };
  }

  /** Delivers a dead letter once more, as if it were new. @returns false when there is none with that id */
  revive(id: string): boolean {
    const letter = this.deadLetters.get(id);
    if (!letter) return false;
    this.deadLetters.delete(id);
    const { destination, body, retries, flow } = letter;
    this.add({ destination, body, retries, flow });
    return true;
  }

  close(): void {
    this.#closing.abort();
    for (const flow of this.#flows.values()) flow.close();
  }

  #enter(message: Message): void {
    const { key, limits } = message.flow ?? {
      key: "",
      limits: { parallelism: this.options.concurrency, rate: Number.POSITIVE_INFINITY, period: 1_000 },
    };
    const flow = this.#flows.get(key) ?? new Flow(limits);
    this.#flows.set(key, flow);
    flow.limits = limits;
    flow.add(() => this.#attempt(message));
  }

  async #attempt(message: Message): Promise<void> {
    const { pauses, retries: usual, log } = this.options;
    const { signal } = this.#closing;
    const response = await this.#post(message).catch(() => undefined);
    const answer = await response?.text().catch(() => "");
    if (signal.aborted) return;
    const attempt = message.attempts++;
    if (response?.ok) {
      this.#open.delete(message);
      this.delivered++;
      return;
    }
    const outcome = response ? `was answered with ${response.status}` : "could not be delivered";
    const isPermanent =
      response?.status === 489 && response.headers.get("Upstash-NonRetryable-Error") === "true";
    if (isPermanent || attempt >= (message.retries ?? usual)) {
      this.#open.delete(message);
      const at = new Date().toISOString();
      const letter = { ...message, status: response?.status ?? null, answer: answer ?? "", at };
      this.deadLetters.set(message.id, letter);
      log(`Queue: ${message.id} ${outcome} and is given up: ${answer ?? ""}\n`);
      return;
    }
    const asked = Number(response?.headers.get("Retry-After")) || 0;
    const wait = Math.max(asked, pauses[Math.min(attempt, pauses.length - 1)] ?? 1);
    log(`Queue: ${message.id} ${outcome}; again in ${wait} s.\n`);
    // A message that waits for its next attempt makes room for others.
    pause(wait * 1_000, undefined, { signal, ref: false }).then(
      () => this.#enter(message),
      () => {},
    );
  }

  async #post({ id, destination, body, attempts }: Message): Promise<Response> {
    return fetch(destination, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "Upstash-Signature": await signDelivery(body, destination, this.options.signingKey),
        "Upstash-Message-Id": id,
        "Upstash-Retried": String(attempts),
      },
      body,
      signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(60_000)]),
    });
  }
}
