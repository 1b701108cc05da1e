import type { History, Verdict } from "../drill";
import { unless } from "./failure";

export type Outcome = number | "refused" | "broken" | "timeout";
/** how many requests had each outcome */
export type Outcomes = Partial<Record<Outcome, number>>;

export interface ProcessFound {
  code: number | null;
  /** from the signal to the end of the process */
  seconds: number;
  maxSeconds: number;
  /** of the requests that ended before the signal */
  before: Outcomes;
  /** of the requests that ended after the signal */
  outcomes: Outcomes;
}

/** The process ends by itself in time, and answers every request that it has begun. After that, connections are refused. */
export function checkProcess({ found }: History<unknown, ProcessFound>): Verdict {
  const { code, seconds, maxSeconds, before, outcomes } = found;
  const { 200: served = 0, broken = 0 } = outcomes;
  return {
    figures: `ended after ${seconds.toFixed(1)} s   ${served} more requests served, ${broken} broken off`,
    failures: [
      ...unless(code === 0, `it ended with ${code}`),
      ...unless(seconds <= maxSeconds, `it took ${seconds.toFixed(1)} s`),
      ...others(before, ["200"]).map((text) => `before the signal, ${text}`),
      ...others(outcomes, ["200", "refused"]).map((text) => `after the signal, ${text}`),
      ...unless(served > 0, "no request was running when the signal came"),
    ],
  };
}

/** Sentences about outcomes other than the expected ones. */
const others = (outcomes: Outcomes, expected: readonly string[]): string[] =>
  Object.entries(outcomes)
    .filter(([outcome]) => !expected.includes(outcome))
    .map(([outcome, count]) => `${count} requests ended with "${outcome}"`);
