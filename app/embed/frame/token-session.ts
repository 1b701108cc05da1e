import { Store } from "platform-embed-element/client";
import { type HostMessage, PROTOCOL_VERSION } from "../../../embed-element/protocol";
import { readTokenPayload, tokenHolder } from "../../../embed-element/shared/token-payload";
import { decideRenewal, type SessionStatus } from "./decide-renewal";
import type { EmbeddingPage } from "./embedding-page-messages";
import type { FrameProps } from "./frame-props";

/** Longer timers overflow and fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface SessionState {
  status: SessionStatus;
  /** the current token has expired: requests wait for the next one */
  expired: boolean;
  /**
   * The browser has kept the page for its Back button, so whoever sees it next may be somebody else. Nothing is shown until the embedding page
   * has sent another token.
   */
  wasLeft: boolean;
}

export class SessionEndedError extends Error {
  readonly code = "session_ended";
}

/** Holds the frame's token and asks the embedding page to renew it, one request at a time. `decideRenewal` decides when. */
export class TokenSession {
  #token: string;
  /** whom the frame shows its content to; null in a frame that was refused, which shows none */
  readonly #holder: string | null;
  /** unix seconds */
  #expiresAt: number;
  #lifetimeSeconds: number;
  /** unix seconds; of the last token from the embedding page */
  #issuedAt = Number.NEGATIVE_INFINITY;
  /** the token that the server has called expired, whatever the clock says */
  #rejected: string | null = null;
  /** by `performance.now()` */
  #askedAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** the page is in the back/forward cache, or about to be */
  #isAway = false;
  /** when the page was left: what was issued until then is not taken; unix seconds, until a token has come since */
  #leftAt = Number.NEGATIVE_INFINITY;
  /** Requests without a response, at most: one response may be for several of them. */
  #unanswered = 0;
  /** how many tokens that were asked for before the page was left may still come */
  #lateTokens = 0;
  readonly #store = new Store<SessionState>({ status: "active", expired: false, wasLeft: false });
  readonly clock: ServerClock;

  constructor(
    readonly service: string,
    { token, expiresAt, serverNow }: Pick<FrameProps, "token" | "expiresAt" | "serverNow">,
    readonly embeddingPage: EmbeddingPage,
  ) {
    this.#token = token;
    this.#holder = tokenHolder(token);
    this.#expiresAt = expiresAt;
    this.#lifetimeSeconds = expiresAt - serverNow;
    this.clock = new ServerClock(serverNow);
  }

  /** Starts listening and the timer; the returned function stops both. Browser only. */
  start(): () => void {
    const stop = new AbortController();
    const { signal } = stop;
    const wake = () => document.visibilityState === "visible" && this.renew();
    window.addEventListener("pagehide", ({ persisted }) => persisted && this.#leave(), { signal });
    window.addEventListener("pageshow", () => this.#comeBack(), { signal });
    window.addEventListener("online", () => this.renew(), { signal });
    document.addEventListener("visibilitychange", wake, { signal });
    const stopListening = this.embeddingPage.listen(this.#onMessage);
    this.#decide();
    return () => {
      clearTimeout(this.#timer);
      stopListening();
      stop.abort();
    };
  }

  readonly subscribe = this.#store.subscribe;
  readonly getState = this.#store.getState;

  /** Resolves with a valid token, at once or when the embedding page has sent one. Rejects with SessionEndedError or the abort's reason. */
  async freshToken(signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    this.#decide();
    return new Promise((resolve, reject) => {
      const look = () => {
        if (this.getState().status === "ended") reject(new SessionEndedError());
        else if (!this.getState().expired) resolve(this.#token);
        else return;
        stop();
      };
      const abort = () => {
        stop();
        reject(signal?.reason);
      };
      const unsubscribe = this.subscribe(look);
      const stop = () => {
        unsubscribe();
        signal?.removeEventListener("abort", abort);
      };
      signal?.addEventListener("abort", abort);
      look();
    });
  }

  /** Call it when the server responds `token_expired` or `token_revoked` to a request with `token`. */
  reportExpired(token: string): void {
    if (token !== this.#token) return;
    this.#rejected = token;
    this.#decide();
  }

  /** Asks the embedding page again, if it has not renewed the token. */
  renew(): void {
    this.#decide({ retry: true });
  }

  /**
   * Decides by `decideRenewal` what to do now, does it, and sets the timer for the next decision. May be called at any time.
   * @param change.status the status as of now, if a message has just changed it
   * @param change.retry the person or the browser asks for another try
   */
  #decide(change: { status?: SessionStatus; retry?: boolean } = {}): void {
    if (this.#isAway) return;
    const { status = this.getState().status, retry = false } = change;
    const left = this.#expiresAt - this.clock.now();
    const expired = this.#rejected === this.#token || left <= 0;
    const decision = decideRenewal({
      status,
      expired,
      leftMs: left * 1000,
      lifetimeMs: this.#lifetimeSeconds * 1000,
      sinceAskedMs: performance.now() - this.#askedAt,
      retry,
    });
    if (decision.ask) this.#askedAt = performance.now();
    const before = this.getState();
    if (decision.status !== before.status || expired !== before.expired) {
      this.#store.setState({ ...before, status: decision.status, expired });
    }
    if (decision.ask) {
      this.#unanswered++;
      this.embeddingPage.post({ type: "platform.embed.token-expired", service: this.service });
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#decide(), Math.min(decision.wakeAfterMs, MAX_TIMER_MS));
  }

  /** The page is put into the back/forward cache. */
  #leave(): void {
    const { status } = this.getState();
    this.#isAway = true;
    // Tokens name the second in which they were issued. One of this second may have been asked for before.
    this.#leftAt = status === "active" ? Math.floor(this.clock.now()) - 1 : this.clock.now();
    // At least one, which the embedding page may have sent without a request.
    this.#lateTokens = Math.max(this.#unanswered, 1);
    this.#rejected = this.#token;
    this.#forgetAsking(status);
    this.#store.setState({ ...this.getState(), expired: true, wasLeft: true });
  }

  /** A reply to an earlier request may be lost or too old, so the next one needs not wait for it. */
  #forgetAsking(status: SessionStatus): void {
    this.#askedAt = Number.NEGATIVE_INFINITY;
    this.#store.setState({ ...this.getState(), status: status === "ended" ? "ended" : "active" });
  }

  #comeBack(): void {
    this.#isAway = false;
    this.renew();
  }

  #onMessage = (message: HostMessage): void => {
    const isResponse =
      message.type === "platform.embed.token-refreshed" ||
      message.type === "platform.embed.token-unavailable";
    if (isResponse) this.#unanswered = Math.max(this.#unanswered - 1, 0);
    if (this.#isAway) return;
    if (message.type === "platform.embed.token-refreshed") this.#accept(message.token);
    if (message.type === "platform.embed.token-unavailable") {
      this.#decide({ status: message.retryable ? "not-renewed" : "ended" });
    }
  };

  #accept(token: string): void {
    const times = readTimes(token);
    if (times === null) return;
    // A late answer to an earlier request. The page has answered a later one meanwhile.
    if (times.issuedAt < this.#issuedAt && !this.getState().expired) return;
    if (times.issuedAt <= this.#leftAt) {
      // It was asked for before the page was left, and whoever sees the page now may have signed out. After as many as were asked for, the next
      // one is taken whatever it says, because the clock is an estimate.
      this.#lateTokens--;
      if (this.#lateTokens <= 0) this.#leftAt = Number.NEGATIVE_INFINITY;
      this.#forgetAsking(this.getState().status);
      this.#decide();
      return;
    }
    if (this.#holder !== null && tokenHolder(token) !== this.#holder) {
      this.#refuseOther();
      return;
    }
    this.#leftAt = Number.NEGATIVE_INFINITY;
    this.#issuedAt = times.issuedAt;
    this.clock.restart(times.issuedAt);
    this.#token = token;
    this.#rejected = null;
    this.#expiresAt = times.expiresAt;
    this.#lifetimeSeconds = times.expiresAt - times.issuedAt;
    this.#store.setState({ ...this.getState(), wasLeft: false });
    this.#decide({ status: "active" });
  }

  /**
   * Somebody else has signed in. They must not see what this frame shows, and its uploads must not become theirs. `<platform-embed>` replaces
   * a frame that reports this error by a new one, with a token for it.
   */
  #refuseOther(): void {
    this.#decide({ status: "ended" });
    const { service } = this;
    this.embeddingPage.post({
      type: "platform.embed.error",
      version: PROTOCOL_VERSION,
      service,
      code: "invalid_token",
    });
  }
}

/** When a token was issued and when it expires, unix seconds; null if its payload cannot be read. For scheduling only. */
export function readTimes(token: string): { issuedAt: number; expiresAt: number } | null {
  const { iat, exp } = readTokenPayload(token) ?? {};
  return typeof iat === "number" && typeof exp === "number" ? { issuedAt: iat, expiresAt: exp } : null;
}

/**
 * An estimate of the server's clock: its time when it rendered the page, plus the time since by `performance.now()` or by `Date.now()`,
 * whichever is longer. The first stands still while a machine sleeps; the second jumps when the clock is changed. Taking the longer one can
 * only renew a token too early.
 */
export class ServerClock {
  #server: number;
  #performance = requestStart();
  #date = Date.now();

  /** @param serverNow unix seconds */
  constructor(serverNow: number) {
    this.#server = serverNow;
  }

  /** Unix seconds. */
  now(): number {
    const passed = Math.max(performance.now() - this.#performance, Date.now() - this.#date);
    return this.#server + passed / 1000;
  }

  /**
   * Restarts with the time at which the server issued a token, so that clock changes before it no longer count.
   * @param issuedAt unix seconds
   */
  restart(issuedAt: number): void {
    const byPerformance = this.#server + (performance.now() - this.#performance) / 1000;
    this.#server = Math.max(byPerformance, issuedAt);
    this.#performance = performance.now();
    this.#date = Date.now();
  }
}

/** When this page was requested, on `performance.now()`'s clock: the server rendered it after that. */
function requestStart(): number {
  const [navigation] = performance.getEntriesByType?.("navigation") ?? [];
  return navigation && "requestStart" in navigation ? Number(navigation.requestStart) : performance.now();
}
