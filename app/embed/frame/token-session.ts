import type { HostMessage } from "../../../embed-element/protocol";
import type { FrameProps } from "./frame-props";
import type { HostPage } from "./host-page";
import { readTimes, requestStart } from "./token-times";

/** How long the page may take to answer before the person is told, milliseconds. */
export const RENEWAL_TIMEOUT = 15_000;
/**
 * A page that answers with spent tokens is not asked again faster than this (or half a token's lifetime, when
 * that is shorter), milliseconds.
 */
const ASK_AGAIN_AFTER = 5_000;
/** Timers beyond this overflow and fire at once, milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * - `active`: the token serves.
 * - `renewing`: a new one has been asked for.
 * - `not-renewed`: asked, and no answer for RENEWAL_TIMEOUT; `renew()` asks again.
 * - `ended`: the page said that no new token will come.
 */
export type SessionStatus = "active" | "renewing" | "not-renewed" | "ended";

export interface SessionState {
  status: SessionStatus;
  /** the token in hand no longer serves: requests are waiting for the next one */
  expired: boolean;
}

export class SessionEndedError extends Error {
  readonly code = "session_ended";
}

interface Waiter {
  resolve: (token: string) => void;
  reject: (reason: unknown) => void;
}

/**
 * Holds the frame's token and has it renewed by the page around the frame, one request at a time.
 * Specification, "Events"; decisions, section 5.
 *
 * Time is the server's: its clock when it rendered the page, plus what has passed since by `performance.now()` or by
 * `Date.now()`, whichever says more. The first ignores a changed clock but stands still while a machine sleeps; the
 * second is the reverse. Believing the longer one can only renew a token early.
 */
export class TokenSession {
  #token: string;
  #expiresAt: number;
  #lifetime: number;
  #anchor: { server: number; performance: number; date: number };
  /** the token that a request found expired, whatever the clock says */
  #refused: string | null = null;
  #lastAsk = Number.NEGATIVE_INFINITY;
  #state: SessionState = { status: "active", expired: false };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting = new Set<Waiter>();
  #listeners = new Set<() => void>();

  constructor(
    readonly service: string,
    { token, expiresAt, serverNow }: Pick<FrameProps, "token" | "expiresAt" | "serverNow">,
    readonly host: HostPage,
  ) {
    this.#token = token;
    this.#expiresAt = expiresAt;
    this.#lifetime = expiresAt - serverNow;
    this.#anchor = { server: serverNow, performance: requestStart(), date: Date.now() };
  }

  /** Starts to listen and to watch the clock; the returned function stops both. Browser only. */
  start(): () => void {
    const wake = () => (this.#state.status === "not-renewed" ? this.#ask() : this.#check());
    const onVisible = () => document.visibilityState === "visible" && wake();
    const stopListening = this.host.listen(this.#onMessage);
    window.addEventListener("pageshow", wake);
    window.addEventListener("online", wake);
    document.addEventListener("visibilitychange", onVisible);
    this.#check();
    return () => {
      clearTimeout(this.#timer);
      stopListening();
      window.removeEventListener("pageshow", wake);
      window.removeEventListener("online", wake);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  getState = (): SessionState => this.#state;

  /** When the token in hand ends, unix seconds. */
  get expiresAt(): number {
    return this.#expiresAt;
  }

  /** The server's clock as far as we can know it, unix seconds. */
  serverNow(): number {
    const passed = Math.max(performance.now() - this.#anchor.performance, Date.now() - this.#anchor.date);
    return this.#anchor.server + passed / 1000;
  }

  /** A token that serves: at once, or when the page has sent one. Rejects with SessionEndedError or the abort's reason. */
  freshToken(signal?: AbortSignal): Promise<string> {
    this.#check();
    if (this.#state.status === "ended") return Promise.reject(new SessionEndedError());
    if (!this.#state.expired) return Promise.resolve(this.#token);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { resolve, reject };
      this.#waiting.add(waiter);
      signal?.addEventListener("abort", () => {
        this.#waiting.delete(waiter);
        reject(signal.reason);
      });
    });
  }

  /** The server answered `token_expired` to a request made with `token`. */
  reportExpired(token: string): void {
    if (token !== this.#token) return;
    this.#refused = token;
    this.#check();
  }

  /** Asks the page for a token now: what the retry button does. */
  renew(): void {
    if (this.#state.status !== "ended") this.#ask();
  }

  #isExpired(): boolean {
    return this.#refused === this.#token || this.serverNow() >= this.#expiresAt;
  }

  /** Decides from the clock alone what should be going on; harmless at any moment. */
  #check(): void {
    if (this.#state.status === "ended") return;
    const expired = this.#isExpired();
    const untilEnd = this.#expiresAt - this.serverNow();
    const untilRenewal = untilEnd - Math.min(30, this.#lifetime / 5);
    const { status } = this.#state;
    if (status === "active" && (expired || untilRenewal <= 0)) {
      this.#ask();
      return;
    }
    const beforeEnd = expired ? Number.POSITIVE_INFINITY : untilEnd * 1000;
    const waited = performance.now() - this.#lastAsk;
    const overdue = status === "renewing" && waited >= RENEWAL_TIMEOUT;
    this.#setState({ status: overdue ? "not-renewed" : status, expired });
    if (status === "active") this.#wakeAfter(untilRenewal * 1000);
    else if (status === "renewing" && !overdue)
      this.#wakeAfter(Math.min(RENEWAL_TIMEOUT - waited, beforeEnd));
    else if (!expired) this.#wakeAfter(beforeEnd);
  }

  #ask(): void {
    const expired = this.#isExpired();
    const tooSoon = this.#lastAsk + Math.min(ASK_AGAIN_AFTER, this.#lifetime * 500) - performance.now();
    if (this.#state.status === "active" && tooSoon > 0) {
      this.#setState({ status: "active", expired });
      this.#wakeAfter(tooSoon);
      return;
    }
    this.#lastAsk = performance.now();
    this.#setState({ status: "renewing", expired });
    this.host.post({ type: "platform.embed.token-expired", service: this.service });
    this.#check();
  }

  #wakeAfter(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), Math.min(Math.max(milliseconds, 0), LONGEST_TIMER));
  }

  #onMessage = (message: HostMessage): void => {
    if (message.type === "platform.embed.token-refreshed") this.#accept(message.token);
    if (message.type === "platform.embed.token-unavailable") {
      if (message.retryable) this.#setState({ status: "not-renewed", expired: this.#isExpired() });
      else this.#end();
    }
  };

  #accept(token: string): void {
    const times = readTimes(token);
    if (times === null) return;
    // A clock that jumped must not follow us to the next token: Date starts anew, and the token's own
    // time of issue, which is now, corrects a performance.now() that slept.
    const byPerformance = this.#anchor.server + (performance.now() - this.#anchor.performance) / 1000;
    this.#anchor = {
      server: Math.max(byPerformance, times.issuedAt),
      performance: performance.now(),
      date: Date.now(),
    };
    this.#token = token;
    this.#refused = null;
    this.#expiresAt = times.expiresAt;
    this.#lifetime = times.expiresAt - times.issuedAt;
    this.#setState({ status: "active", expired: this.#isExpired() });
    this.#check();
    if (this.#state.expired) return;
    for (const waiter of this.#waiting) waiter.resolve(token);
    this.#waiting.clear();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#setState({ status: "ended", expired: this.#isExpired() });
    for (const waiter of this.#waiting) waiter.reject(new SessionEndedError());
    this.#waiting.clear();
  }

  #setState(state: SessionState): void {
    if (state.status === this.#state.status && state.expired === this.#state.expired) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
