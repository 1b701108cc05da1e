import { EmbedError } from "./embed-error";
import { after, onWake } from "./scheduling";
import { type Grant, type TokenReason, toEmbedError } from "./token-source";

const REQUEST_TIMEOUT = 30_000;
const FIRST_DELAY = 1_000;
const LONGEST_DELAY = 60_000;

interface RenewalOptions {
  /** ends everything: no timer, request or callback outlives it */
  signal: AbortSignal;
  request: (reason: TokenReason, signal: AbortSignal) => Promise<Grant>;
  onGrant: (grant: Grant) => void;
  onFailure: (error: EmbedError) => void;
}

/**
 * Gets tokens, one request at a time. A failure that may pass is repeated with exponential back-off and jitter, and at
 * once when the page wakes up.
 */
export class TokenRenewal {
  #options: RenewalOptions;
  #running: Promise<void> | null = null;
  #waiting: AbortController | null = null;
  #failures = 0;
  #lastResponse = -FIRST_DELAY;

  constructor(options: RenewalOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#waiting?.abort());
  }

  /** Asks now, or joins the request that is under way. Rejects with an `EmbedError` when that one attempt fails. */
  ask(reason: TokenReason): Promise<void> {
    this.#waiting?.abort();
    this.#running ??= this.#attempt(reason).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /**
   * Asks for the frame, which may not make this page hammer its own endpoint: a frame that wants another token within
   * a second of the last response (a platform whose clocks disagree sees every token expired) waits for that second.
   */
  askForFrame(): void {
    const rest = this.#lastResponse + FIRST_DELAY - performance.now();
    if (this.#running) return;
    if (rest > 0) this.#askLater(rest, "expired");
    else this.ask("expired").catch(() => {});
  }

  async #attempt(reason: TokenReason): Promise<void> {
    const { signal, request, onGrant, onFailure } = this.#options;
    const attempt = new AbortController();
    const timedOut = new Promise<never>((_, reject) => {
      const giveUp = () => {
        reject(new EmbedError("token_endpoint_failed", true, "(timeout)"));
        attempt.abort();
      };
      after(REQUEST_TIMEOUT, attempt.signal, giveUp);
      signal.addEventListener("abort", giveUp, { signal: attempt.signal });
    });
    try {
      const grant = await Promise.race([request(reason, attempt.signal), timedOut]);
      this.#failures = 0;
      if (!signal.aborted) onGrant(grant);
    } catch (thrown) {
      const error = toEmbedError(thrown, reason);
      if (!signal.aborted) {
        if (error.retryable) {
          const delay = Math.min(FIRST_DELAY * 2 ** this.#failures++, LONGEST_DELAY);
          this.#askLater(delay * (0.5 + Math.random() / 2), reason);
        }
        onFailure(error);
      }
      throw error;
    } finally {
      this.#lastResponse = performance.now();
      attempt.abort();
    }
  }

  #askLater(ms: number, reason: TokenReason): void {
    this.#waiting?.abort();
    this.#waiting = new AbortController();
    const again = () => void this.ask(reason).catch(() => {});
    after(ms, this.#waiting.signal, again);
    onWake(this.#waiting.signal, again);
  }
}
