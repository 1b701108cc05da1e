import type { FetchToken, TokenReason } from "../src/fetch-token.js";
import { startDeadline } from "./deadline.js";
import { asFilesError, FilesError } from "./errors.js";
import type { World } from "./world.js";

/** Hands out valid tokens. */
export interface TokenSource {
  /** the platform's origin, once there is a token; in a frame, whose origin it is, undefined */
  readonly baseUrl?: string | undefined;
  /** @throws an error with the code `session_ended` if there is none any more, or the signal's reason */
  freshToken(signal?: AbortSignal): Promise<string>;
  /** Call it when the platform responds `token_expired` or `token_revoked` to a request with `token`. */
  reportExpired(token: string): void;
}

/** How long `fetchToken` may take. */
const FETCH_TOKEN_TIMEOUT_MS = 30_000;

/**
 * Keeps the token that `fetchToken` has returned until the platform calls it expired: the clock of this machine may be wrong. Requests that
 * need a token at once share one call.
 */
export class TokenKeeper implements TokenSource {
  #token: string | null = null;
  #reason: TokenReason = "initial";
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
    this.#reason = "expired";
  }

  async #fetch(): Promise<string> {
    const deadline = startDeadline(this.world, FETCH_TOKEN_TIMEOUT_MS);
    try {
      const request = { service: "files", reason: this.#reason, signal: deadline.signal };
      const { url } = await this.fetchToken(request);
      const embedUrl = new URL(url);
      const token = embedUrl.searchParams.get("t");
      if (token === null) throw new FilesError("token_endpoint_invalid");
      this.baseUrl = embedUrl.origin;
      this.#token = token;
      return token;
    } catch (thrown) {
      throw errorOfFetchToken(thrown);
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

/** `fetchToken` may throw a `Response`, or any object with a `status`. Without one, it was the network. */
function errorOfFetchToken(thrown: unknown): FilesError {
  if (thrown instanceof FilesError) return thrown;
  const { status } = Object(thrown) as { status?: number };
  if (status === undefined) return new FilesError("unreachable", { message: asFilesError(thrown).message });
  if (status === 401 || status === 403) return new FilesError("session_ended", { status });
  const isTemporary = status >= 500 || status === 408 || status === 429;
  return new FilesError(isTemporary ? "unreachable" : "token_endpoint_failed", { status });
}
