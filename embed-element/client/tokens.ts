import { tokenHolder } from "../shared/token-payload.js";
import { type FetchToken, INTEGRATOR_ERROR, type TokenAnswer, type TokenReason } from "../src/token-types.js";
import { startDeadline } from "./deadline.js";
import { FilesError } from "./errors.js";
import type { World } from "./world.js";

/** Hands out valid tokens. */
export interface TokenSource {
  /** the platform's origin, once there is a token; in a frame, whose origin it is, undefined */
  readonly baseUrl?: string | undefined;
  /** the platform's clock, unix seconds, if it is known; otherwise this machine's is used */
  readonly clock?: { now(): number };
  /** @throws an error with the code `session_ended` if there is none any more, or the signal's reason */
  freshToken(signal?: AbortSignal): Promise<string>;
  /** Call it when the platform responds `token_expired` or `token_revoked` to a request with `token`. */
  reportExpired(token: string): void;
}

const SERVICE = "files";
/** How long `fetchToken` may take. */
const FETCH_TOKEN_TIMEOUT_MS = 30_000;

/**
 * Keeps the token that `fetchToken` has returned until the platform calls it expired: the clock of this machine may be wrong. Requests that
 * need a token at once share one call.
 */
export class TokenKeeper implements TokenSource {
  #token: string | null = null;
  /** whom all tokens are for; null before the first one */
  #holder: string | null = null;
  #reason: TokenReason = "initial";
  /** the last one that the platform has called expired */
  #expired: string | null = null;
  #fetching: Promise<string> | null = null;
  baseUrl: string | undefined;

  constructor(
    readonly fetchToken: FetchToken,
    readonly world: World,
  ) {}

  async freshToken(signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    if (this.#token !== null) return this.#token;
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = null;
    });
    return signal ? untilAborted(this.#fetching, signal) : this.#fetching;
  }

  reportExpired(token: string): void {
    if (token !== this.#token) return;
    this.#token = null;
    this.#expired = token;
    this.#reason = "expired";
  }

  async #fetch(): Promise<string> {
    const deadline = startDeadline(this.world, FETCH_TOKEN_TIMEOUT_MS);
    try {
      const { signal } = deadline;
      const fetching = this.fetchToken({ service: SERVICE, reason: this.#reason, signal });
      // It may ignore the signal.
      const answer: Partial<TokenAnswer> | null = await untilAborted(Promise.resolve(fetching), signal);
      const embedUrl = embedUrlOf(answer?.url);
      const token = embedUrl?.searchParams.get("t");
      if (!embedUrl || !token || answer?.service !== SERVICE) throw new FilesError("token_endpoint_invalid");
      // Otherwise a backend that keeps old URLs would be asked in a loop.
      if (token === this.#expired)
        throw new FilesError("token_endpoint_invalid", {
          message: "fetchToken returned an expired token again.",
        });
      const holder = tokenHolder(token);
      // Its work must not become the work of somebody else, who has signed in meanwhile.
      if (this.#holder !== null && holder !== this.#holder)
        throw new FilesError("session_ended", {
          message: "fetchToken returned a token of another visitor. Make a new client for them.",
        });
      this.#holder = holder;
      this.baseUrl = embedUrl.origin;
      this.#token = token;
      return token;
    } catch (thrown) {
      if (deadline.isOver())
        throw new FilesError("unreachable", {
          message: `fetchToken returned nothing within ${FETCH_TOKEN_TIMEOUT_MS / 1000} seconds.`,
        });
      throw errorOfFetchToken(thrown, this.#reason);
    } finally {
      deadline.end();
    }
  }
}

/** Others may still need what `work` returns, so it goes on. @throws the signal's reason */
function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Null unless it is the http(s) URL of the service's page. */
function embedUrlOf(text: unknown): URL | null {
  try {
    const url = new URL(String(text));
    return /^https?:$/.test(url.protocol) && url.pathname.endsWith(`/embed/${SERVICE}`) ? url : null;
  } catch {
    return null;
  }
}

/**
 * `fetchToken` may throw a `Response`, or any object with a `status`. Without one, it was the network, or a setting is missing. What each
 * status means is as for the element (README.md).
 */
function errorOfFetchToken(thrown: unknown, reason: TokenReason): FilesError {
  if (thrown instanceof FilesError) return thrown;
  const { status, code, name, message, error = message, requestId } = Object(thrown) as ThrownByFetchToken;
  const details = { status, requestId, message: error };
  if (status === undefined)
    return new FilesError(name === "ConfigurationError" ? "token_endpoint_failed" : "unreachable", details);
  if (code !== undefined && (status === 502 || INTEGRATOR_ERROR.test(code)))
    return new FilesError(code, details);
  if (status === 401 || (status === 403 && reason === "expired"))
    return new FilesError("session_ended", details);
  const isTemporary = status >= 500 || status === 408 || status === 429;
  return new FilesError(isTemporary ? "unreachable" : "token_endpoint_failed", details);
}

interface ThrownByFetchToken {
  status?: number;
  code?: string;
  name?: string;
  message?: string;
  error?: string;
  requestId?: string;
}
