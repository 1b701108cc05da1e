import type { HostMessage } from "../../../embed-element/protocol";
import type { FrameProps } from "./frame-props";
import type { HostPage } from "./host-page";
import { ServerClock } from "./server-clock";
import { nextStep, type SessionStatus } from "./session-step";
import { readTimes } from "./token-times";

/** Timers beyond this overflow and fire at once, milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

export interface SessionState {
  status: SessionStatus;
  /** the token in hand can no longer be used: requests are waiting for the next one */
  expired: boolean;
}

export class SessionEndedError extends Error {
  readonly code = "session_ended";
}

/** Holds the frame's token and has the page around the frame renew it, one request at a time. When, `nextStep` decides. */
export class TokenSession {
  #token: string;
  /** unix seconds */
  #expiresAt: number;
  /** seconds */
  #lifetime: number;
  /** the token that the server said has expired, whatever the clock says */
  #rejected: string | null = null;
  /** by `performance.now()` */
  #askedAt = Number.NEGATIVE_INFINITY;
  #state: SessionState = { status: "active", expired: false };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #listeners = new Set<() => void>();
  readonly clock: ServerClock;

  constructor(
    readonly service: string,
    { token, expiresAt, serverNow }: Pick<FrameProps, "token" | "expiresAt" | "serverNow">,
    readonly host: HostPage,
  ) {
    this.#token = token;
    this.#expiresAt = expiresAt;
    this.#lifetime = expiresAt - serverNow;
    this.clock = new ServerClock(serverNow);
  }

  /** Starts to listen and to watch the clock; the returned function stops both. Browser only. */
  start(): () => void {
    const stop = new AbortController();
    const { signal } = stop;
    const wake = () => document.visibilityState === "visible" && this.renew();
    window.addEventListener("pageshow", () => this.renew(), { signal });
    window.addEventListener("online", () => this.renew(), { signal });
    document.addEventListener("visibilitychange", wake, { signal });
    const stopListening = this.host.listen(this.#onMessage);
    this.#advance();
    return () => {
      clearTimeout(this.#timer);
      stopListening();
      stop.abort();
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  getState = (): SessionState => this.#state;

  /** A valid token: at once, or when the page has sent one. Rejects with SessionEndedError or the abort's reason. */
  freshToken(signal?: AbortSignal): Promise<string> {
    this.#advance();
    return new Promise((resolve, reject) => {
      const look = () => {
        if (this.#state.status === "ended") reject(new SessionEndedError());
        else if (!this.#state.expired) resolve(this.#token);
        else return;
        stop();
      };
      const stop = this.subscribe(look);
      signal?.addEventListener("abort", () => {
        stop();
        reject(signal.reason);
      });
      look();
    });
  }

  /** The server responded `token_expired` to a request made with `token`. */
  reportExpired(token: string): void {
    if (token !== this.#token) return;
    this.#rejected = token;
    this.#advance();
  }

  /** Asks the page again when it has not renewed the token: what the retry button does. */
  renew(): void {
    this.#advance(this.#state.status, true);
  }

  /** Does whatever is due, from `status` on; harmless at any moment. */
  #advance(status = this.#state.status, retry = false): void {
    const left = this.#expiresAt - this.clock.now();
    const expired = this.#rejected === this.#token || left <= 0;
    const step = nextStep({
      status,
      expired,
      left: left * 1000,
      lifetime: this.#lifetime * 1000,
      sinceAsked: performance.now() - this.#askedAt,
      retry,
    });
    const ask = step.status === "renewing" && status !== "renewing";
    if (ask) this.#askedAt = performance.now();
    if (step.status !== this.#state.status || expired !== this.#state.expired) {
      this.#state = { status: step.status, expired };
      for (const listener of this.#listeners) listener();
    }
    if (ask) this.host.post({ type: "platform.embed.token-expired", service: this.service });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#advance(), Math.min(step.wakeAfter, LONGEST_TIMER));
  }

  #onMessage = (message: HostMessage): void => {
    if (message.type === "platform.embed.token-refreshed") this.#accept(message.token);
    if (message.type === "platform.embed.token-unavailable") {
      this.#advance(message.retryable ? "not-renewed" : "ended");
    }
  };

  #accept(token: string): void {
    const times = readTimes(token);
    if (times === null) return;
    this.clock.restart(times.issuedAt);
    this.#token = token;
    this.#rejected = null;
    this.#expiresAt = times.expiresAt;
    this.#lifetime = times.expiresAt - times.issuedAt;
    this.#advance("active");
  }
}
