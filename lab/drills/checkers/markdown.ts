import type { History, Verdict } from "../drill";
import { failure, unless } from "./failure";

/** A blocked event loop would delay a health check for as long as the texts take, which is many seconds. */
const MAX_HEALTH_CHECK_MS = 1_000;

export interface MarkdownFound {
  /** of the responses to the texts, in order */
  statuses: number[];
  /** status 0: no response */
  healthChecks: { status: number; milliseconds: number }[];
  /** the status for an ordinary text after the others */
  afterwards: number;
  seconds: number;
}

/** Every text is rendered or refused, and nothing else has to wait for it. */
export function checkMarkdown({ found }: History<never, MarkdownFound>): Verdict {
  const { statuses, healthChecks, afterwards, seconds } = found;
  const times = healthChecks.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const slowest = times.at(-1) ?? Number.POSITIVE_INFINITY;
  const median = times[Math.floor(times.length / 2)] ?? Number.POSITIVE_INFINITY;
  const count = (wanted: number) => statuses.filter((status) => status === wanted).length;
  return {
    figures: `${statuses.length} texts in ${seconds.toFixed(1)} s: ${count(200)} rendered, ${count(400)} refused   /healthz ${median.toFixed(0)} ms (median), ${slowest.toFixed(0)} ms at most`,
    failures: [
      ...unless(statuses.length > 0, "no text was sent"),
      ...failure(
        statuses.filter((status) => status !== 200 && status !== 400),
        "statuses are neither 200 nor 400",
      ),
      ...unless(afterwards === 200, `an ordinary text afterwards got ${afterwards}`),
      ...failure(
        healthChecks.map(({ status }) => status).filter((status) => status !== 200),
        "health checks failed",
      ),
      ...unless(slowest <= MAX_HEALTH_CHECK_MS, `a health check took ${slowest.toFixed(0)} ms`),
    ],
  };
}
