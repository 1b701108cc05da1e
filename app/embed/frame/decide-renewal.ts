/** If the embedding page sends no token within this time, the frame says so. */
export const RENEWAL_TIMEOUT_MS = 15_000;
/** A token is renewed this time before it expires, or a fifth of its lifetime, whichever is shorter. */
const RENEW_BEFORE_MS = 30_000;
/**
 * Minimum time between two requests for a token, so that a page that sends expired ones is not asked in a loop; half a token's lifetime, if that is shorter.
 */
const MIN_REQUEST_INTERVAL_MS = 5_000;

/**
 * - `active`: the token is in use.
 * - `renewing`: the embedding page has been asked for a new one.
 * - `not-renewed`: none came within RENEWAL_TIMEOUT_MS, or the embedding page could not get one. It is asked once more when the token expires,
 *   and can be asked again after that.
 * - `ended`: the embedding page said that there will be no new token.
 */
export type SessionStatus = "active" | "renewing" | "not-renewed" | "ended";

/** Everything that the decision depends on. Times in milliseconds. */
export interface SessionMoment {
  status: SessionStatus;
  /** the token can no longer be used */
  expired: boolean;
  /** until the token ends */
  leftMs: number;
  /** of the token when it was issued */
  lifetimeMs: number;
  /** since the embedding page was last asked for a token */
  sinceAskedMs: number;
  /** the person asked for another try, or the browser is online or visible again */
  retry: boolean;
}

interface RenewalDecision {
  status: SessionStatus;
  /** the embedding page must be asked for a token now */
  ask: boolean;
  /** when to decide again at the latest, milliseconds */
  wakeAfterMs: number;
}

/** Decides what a token session does next. */
export function decideRenewal(moment: SessionMoment): RenewalDecision {
  const { status, expired, leftMs, lifetimeMs, sinceAskedMs, retry } = moment;
  // At expiry, it is decided again. After it, there is nothing to wait for.
  const untilExpiry = expired ? Number.POSITIVE_INFINITY : leftMs;
  const ask: RenewalDecision = {
    status: "renewing",
    ask: true,
    wakeAfterMs: Math.min(RENEWAL_TIMEOUT_MS, untilExpiry),
  };
  const wait = (status: SessionStatus, wakeAfterMs: number): RenewalDecision => ({
    status,
    ask: false,
    wakeAfterMs,
  });
  const wasAskedBeforeExpiry = leftMs <= 0 && sinceAskedMs > -leftMs;
  switch (status) {
    case "active": {
      const untilRenewal = expired ? 0 : leftMs - Math.min(RENEW_BEFORE_MS, lifetimeMs / 5);
      const untilAllowed = Math.min(MIN_REQUEST_INTERVAL_MS, lifetimeMs / 2) - sinceAskedMs;
      if (untilRenewal > 0) return wait(status, untilRenewal);
      return untilAllowed > 0 ? wait(status, untilAllowed) : ask;
    }
    case "renewing": {
      const untilTimeout = RENEWAL_TIMEOUT_MS - sinceAskedMs;
      if (wasAskedBeforeExpiry) return ask;
      if (untilTimeout <= 0) return wait("not-renewed", untilExpiry);
      return wait(status, Math.min(untilTimeout, untilExpiry));
    }
    case "not-renewed":
      return retry || wasAskedBeforeExpiry ? ask : wait(status, untilExpiry);
    case "ended":
      return wait(status, Number.POSITIVE_INFINITY);
    default:
      return status satisfies never;
  }
}
