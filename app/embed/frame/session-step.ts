/** How long the page may take to send a token before the person is told, milliseconds. */
export const RENEWAL_TIMEOUT = 15_000;
/** A token is renewed so long before its end, or a fifth of its lifetime when that is shorter, milliseconds. */
const RENEW_BEFORE = 30_000;
/**
 * A page that sends expired tokens is not asked again faster than this, or half a token's lifetime when that is shorter,
 * milliseconds.
 */
const ASK_AGAIN_AFTER = 5_000;

/**
 * - `active`: the token is in use.
 * - `renewing`: a new one has been asked for.
 * - `not-renewed`: none came for RENEWAL_TIMEOUT, or the page could not get one; it can be asked again.
 * - `ended`: the page said that no new token will come.
 */
export type SessionStatus = "active" | "renewing" | "not-renewed" | "ended";

/** All that the next step depends on. Times in milliseconds. */
export interface SessionMoment {
  status: SessionStatus;
  /** the token can no longer be used */
  expired: boolean;
  /** until the token ends */
  left: number;
  /** of the token when it was issued */
  lifetime: number;
  /** since the page was last asked for a token */
  sinceAsked: number;
  /** the person, or a browser that is back online or on the screen, wants another try */
  retry: boolean;
}

export interface SessionStep {
  /** `renewing` after another status: the page is to be asked for a token now */
  status: SessionStatus;
  /** when to decide again if nothing happens before, milliseconds */
  wakeAfter: number;
}

/** What a token session does at this moment. */
export function nextStep(moment: SessionMoment): SessionStep {
  const { status, expired, left, lifetime, sinceAsked, retry } = moment;
  const untilExpiry = expired ? Number.POSITIVE_INFINITY : left;
  const ask: SessionStep = { status: "renewing", wakeAfter: Math.min(RENEWAL_TIMEOUT, untilExpiry) };
  switch (status) {
    case "active": {
      const untilRenewal = expired ? 0 : left - Math.min(RENEW_BEFORE, lifetime / 5);
      const untilAllowed = Math.min(ASK_AGAIN_AFTER, lifetime / 2) - sinceAsked;
      const wakeAfter = untilRenewal > 0 ? untilRenewal : untilAllowed;
      return wakeAfter > 0 ? { status, wakeAfter } : ask;
    }
    case "renewing": {
      const untilTimeout = RENEWAL_TIMEOUT - sinceAsked;
      if (untilTimeout <= 0) return { status: "not-renewed", wakeAfter: untilExpiry };
      return { status, wakeAfter: Math.min(untilTimeout, untilExpiry) };
    }
    case "not-renewed":
      return retry ? ask : { status, wakeAfter: untilExpiry };
    case "ended":
      return { status, wakeAfter: Number.POSITIVE_INFINITY };
    default:
      return status satisfies never;
  }
}
