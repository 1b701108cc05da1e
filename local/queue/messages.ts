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
  label?: string | undefined;
}

export interface Message extends NewMessage {
  id: string;
  /** deliveries so far */
  attempts: number;
}

/** A message that the queue has given up on, as QStash calls it, with the last response. */
export interface DeadLetter extends Message {
  /** null if there was no response */
  status: number | null;
  responseText: string;
  /** ISO 8601 */
  at: string;
}

export interface DeliveryOptions {
  /** signs deliveries */
  signingKey: string;
  /** the pause before each retry, unless the endpoint asks for a longer one; the last one is repeated */
  retrySeconds: number[];
  /** further attempts, unless the message says how many */
  retries: number;
  /** concurrent deliveries of messages without flow control */
  concurrency: number;
  log: (text: string) => void;
}

/** How long a deduplication id is remembered. QStash, "Deduplication". */
const DEDUPLICATION_MS = 10 * 60_000;

/** The messages of the local queue, kept in memory. Delivers them with flow control and retries, like QStash. */
export class Messages {
  readonly deadLetters = new Map<string, DeadLetter>();
  delivered = 0;
  readonly #open = new Set<Message>();
  readonly #known = new Map<string, { id: string; until: number }>();
  readonly #flows = new Map<string, Flow>();
  readonly #closing = new AbortController();

  constructor(private readonly options: DeliveryOptions) {
    // Each delivery, and each pause before one, adds a listener.
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
      this.#known.set(deduplicationId, { id, until: Date.now() + DEDUPLICATION_MS });
    }
    const added = { ...message, id, attempts: 0 };
    this.#open.add(added);
    this.#schedule(added);
    return { messageId: id };
  }

  /**
   * Removes messages, also those that wait for their next attempt. A delivery that has begun goes on.
   * @returns how many there were
   */
  cancel(matches: (message: Message) => boolean, count: number): number {
    const cancelled = new Set(
      [...this.#open]
        .filter(matches)
        .slice(0, count)
        .map((message) => {
          this.#open.delete(message);
          return message.id;
        }),
    );
    for (const flow of this.#flows.values()) flow.remove(cancelled);
    return cancelled.size;
  }

  /** Delivers a dead letter again, as a new message. */
  redeliver(id: string): void {
    const letter = this.deadLetters.get(id);
    if (!letter) return;
    this.deadLetters.delete(id);
    const { destination, body, retries, flow, label } = letter;
    this.add({ destination, body, retries, flow, label });
  }

  close(): void {
    this.#closing.abort();
    for (const flow of this.#flows.values()) flow.close();
  }

  #schedule(message: Message): void {
    const { key, limits } = message.flow ?? {
      key: "",
      limits: { parallelism: this.options.concurrency, rate: Number.POSITIVE_INFINITY, periodMs: 1_000 },
    };
    const flow = this.#flows.get(key) ?? new Flow(limits);
    this.#flows.set(key, flow);
    flow.limits = limits;
    flow.add(message.id, () => this.#attempt(message));
  }

  async #attempt(message: Message): Promise<void> {
    const { retrySeconds, retries: defaultRetries, log } = this.options;
    const { signal } = this.#closing;
    const response = await this.#post(message).catch(() => undefined);
    const responseText = (await response?.text().catch(() => "")) ?? "";
    if (signal.aborted || !this.#open.has(message)) return;
    const attempt = message.attempts++;
    if (response?.ok) {
      this.#open.delete(message);
      this.delivered++;
      return;
    }
    const outcome = response ? `got a ${response.status}` : "could not be delivered";
    const isPermanent =
      response?.status === 489 && response.headers.get("Upstash-NonRetryable-Error") === "true";
    if (isPermanent || attempt >= (message.retries ?? defaultRetries)) {
      this.#open.delete(message);
      const at = new Date().toISOString();
      const letter = { ...message, status: response?.status ?? null, responseText, at };
      this.deadLetters.set(message.id, letter);
      log(`Queue: ${message.id} ${outcome} and is given up: ${responseText}\n`);
      return;
    }
    const retryAfter = Number(response?.headers.get("Retry-After")) || 0;
    const wait = Math.max(retryAfter, retrySeconds[Math.min(attempt, retrySeconds.length - 1)] ?? 1);
    log(`Queue: ${message.id} ${outcome}; next attempt in ${wait} s.\n`);
    // While a message waits for its next attempt, others are delivered.
    pause(wait * 1_000, undefined, { signal, ref: false }).then(
      () => {
        if (this.#open.has(message)) this.#schedule(message);
      },
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
