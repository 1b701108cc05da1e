import { EmbedError } from "./embed-error.js";
import { type IssuedToken, type TokenReason, toEmbedError } from "./request-token.js";
import { after, onWake } from "./scheduling.js";

const REQUEST_TIMEOUT_MS = 30_000;
/** between two requests */
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

interface RenewalOptions {
  /** ends everything: no timer, request or callback outlives it */
  signal: AbortSignal;
  request: (reason: TokenReason, signal: AbortSignal) => Promise<IssuedToken>;
  onToken: (issued: IssuedToken) => void;
  onFailure: (error: EmbedError) => void;
}

/**
 * Requests tokens, one at a time. A transient failure is retried with exponential back-off and jitter, and at once when
 * the page wakes up.
 */
export class TokenRenewal {
  #options: RenewalOptions;
  #running: Promise<void> | null = null;
  #retry: AbortController | null = null;
  #failures = 0;
  #lastResponse = -MIN_PAUSE_MS;

  constructor(options: RenewalOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#retry?.abort());
  }

  /**
   * Requests a token now, or joins the request that is running.
   * @throws {EmbedError} when this one attempt fails, even if it is retried
   */
  request(reason: TokenReason): Promise<void> {
    this.#retry?.abort();
    this.#running ??= this.#attempt(reason).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /**
   * Requests a token for the frame, at most once a second: if the platform's clocks disagree, a frame takes every
   * token for expired, and must not make this page flood its own endpoint.
   */
  requestForFrame(): void {
    if (this.#running) return;
    const delay = this.#lastResponse + MIN_PAUSE_MS - performance.now();
    if (delay > 0) this.#requestLater(delay, "expired");
    else this.request("expired").catch(() => {});
  }

  async #attempt(reason: TokenReason): Promise<void> {
    const { signal, request, onToken, onFailure } = this.#options;
    const attempt = new AbortController();
    const timeout = new Promise<never>((_, reject) => {
      const giveUp = () => {
        reject(new EmbedError("token_endpoint_failed", true, "(timeout)"));
        attempt.abort();
      };
      after(REQUEST_TIMEOUT_MS, attempt.signal, giveUp);
      signal.addEventListener("abort", giveUp, { signal: attempt.signal });
    });
    try {
      const issued = await Promise.race([request(reason, attempt.signal), timeout]);
      this.#failures = 0;
      if (!signal.aborted) onToken(issued);
    } catch (thrown) {
      const error = toEmbedError(thrown, reason);
      if (!signal.aborted) {
        if (error.retryable) {
          const delay = Math.min(MIN_PAUSE_MS * 2 ** this.#failures++, MAX_PAUSE_MS);
          this.#requestLater(delay * (0.5 + Math.random() / 2), reason);
        }
        onFailure(error);
      }
      throw error;
    } finally {
      this.#lastResponse = performance.now();
      attempt.abort();
    }
  }

  #requestLater(ms: number, reason: TokenReason): void {
    this.#retry?.abort();
    this.#retry = new AbortController();
    const retry = () => void this.request(reason).catch(() => {});
    after(ms, this.#retry.signal, retry);
    onWake(this.#retry.signal, retry);
  }
}
