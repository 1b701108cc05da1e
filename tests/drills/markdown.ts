import { setTimeout as sleep } from "node:timers/promises";
import type { StackInfo } from "../../local/stack-info";
import { startBuiltApp } from "../support/app/built-app";
import { costlyMarkdown } from "../support/email/costly-markdown";
import { failure, unless } from "./checkers/failure";
import type { History, Verdict } from "./drill";

const CONCURRENT_REQUESTS = 20;
/** A blocked event loop would delay a health check for as long as the texts take, which is many seconds. */
const MAX_HEALTH_CHECK_MS = 1_000;
const HEALTH_CHECK_INTERVAL_MS = 20;

interface MarkdownFound {
  /** of the responses to the texts, in order */
  statuses: number[];
  healthChecks: { status: number; milliseconds: number }[];
  /** the status for an ordinary text after the others */
  afterwards: number;
  seconds: number;
}

/** Sends Markdown, some of which takes `marked` more than a minute, in 20 requests at a time, and polls `/healthz`. */
export async function* drillMarkdown(stack: StackInfo): AsyncGenerator<History<never, MarkdownFound>> {
  const app = await startBuiltApp(stack, {
    RATE_LIMIT_PER_KEY: "1000000",
    RATE_LIMIT_PER_ADDRESS: "1000000",
  });
  const preview = async (description: string) => {
    const response = await fetch(`${app.apiBaseUrl}/api/preview-simple-email`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ to: "ada@example.com", title: "Hello", description }),
    });
    await response.text();
    return response.status;
  };

  const statuses: number[] = [];
  const healthChecks: MarkdownFound["healthChecks"] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const started = performance.now();
      const response = await fetch(`${app.ownUrl}/healthz`);
      await response.text();
      healthChecks.push({ status: response.status, milliseconds: performance.now() - started });
      await sleep(HEALTH_CHECK_INTERVAL_MS);
    }
  })();

  const started = performance.now();
  try {
    for (let from = 0; from < costlyMarkdown.length; from += CONCURRENT_REQUESTS) {
      const texts = costlyMarkdown.slice(from, from + CONCURRENT_REQUESTS);
      statuses.push(...(await Promise.all(texts.map(preview))));
    }
    const afterwards = await preview("An **ordinary** text");
    isOver = true;
    await watching;

    yield {
      title: `costly Markdown, ${CONCURRENT_REQUESTS} at once`,
      operations: [],
      found: { statuses, healthChecks, afterwards, seconds: (performance.now() - started) / 1000 },
    };
  } finally {
    isOver = true;
    await app.close();
  }
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
