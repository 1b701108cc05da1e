import type { History, Verdict } from "../drill";
import { unless } from "./failure";

const MAX_RECOVERY_SECONDS = 10;
const MAX_READINESS_SECONDS = 2;

export interface Timing<Result> {
  result: Result;
  seconds: number;
}

export interface ProvidersFound {
  /** Every one of the requests before the fault succeeded. */
  workedBefore: boolean;
  /** requests during the fault, and whether they succeeded */
  during: Timing<boolean>[];
  /** statuses */
  readiness: Timing<number>;
  health: Timing<number>;
  recoverySeconds: number;
  /** 503 if the app cannot work without the provider. Then this status shows that the fault was there. */
  wantedReadiness: number;
  /** the limit for a request during the fault */
  maxSeconds: number;
}

/** Responses are in time, health checks are correct, and recovery is quick. */
export function checkProviders({ found }: History<never, ProvidersFound>): Verdict {
  const { workedBefore, during, readiness, health, recoverySeconds, wantedReadiness, maxSeconds } = found;
  const slowest = Math.max(...during.map(({ seconds }) => seconds));
  // Without PostgreSQL, requests may succeed for as long as an API key is cached.
  const isFaultSeen = wantedReadiness !== 200 || during.some(({ result }) => !result);
  return {
    figures: [
      `slowest response ${slowest.toFixed(1).padStart(4)} s`,
      `/readyz ${readiness.result} in ${readiness.seconds.toFixed(1)} s`,
      `recovered after ${recoverySeconds.toFixed(1)} s`,
    ].join("   "),
    failures: [
      ...unless(workedBefore, "did not work before"),
      ...unless(isFaultSeen, "every request succeeded, so the fault was not there"),
      ...unless(slowest <= maxSeconds, `a response took ${slowest.toFixed(1)} s`),
      ...unless(readiness.result === wantedReadiness, `/readyz responded with ${readiness.result}`),
      ...unless(readiness.seconds <= MAX_READINESS_SECONDS, `/readyz took ${readiness.seconds.toFixed(1)} s`),
      ...unless(health.result === 200 && health.seconds <= 1, "/healthz did not respond within a second"),
      ...unless(recoverySeconds <= MAX_RECOVERY_SECONDS, `recovery took ${recoverySeconds.toFixed(1)} s`),
    ],
  };
}
