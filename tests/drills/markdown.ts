import { setTimeout as sleep } from "node:timers/promises";
import type { StackInfo } from "../../local/stack-info";
import { startBuiltApp } from "../support/app/built-app";
import { costlyMarkdown } from "../support/email/costly-markdown";
import type { DrillResult } from "./result";

const CONCURRENT_REQUESTS = 20;
/** A blocked event loop would delay a health check for as long as the texts take, which is many seconds. */
const MAX_HEALTH_CHECK_MS = 1_000;
const HEALTH_CHECK_INTERVAL_MS = 20;

/** Sends Markdown, some of which takes `marked` more than a minute, in 20 requests at a time, and polls `/healthz`. */
export async function* drillMarkdown(stack: StackInfo): AsyncGenerator<DrillResult> {
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
  const healthChecks: { status: number; milliseconds: number }[] = [];
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

    const seconds = (performance.now() - started) / 1000;
    const times = healthChecks.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    const slowest = times.at(-1) ?? Number.POSITIVE_INFINITY;
    const median = times[Math.floor(times.length / 2)] ?? Number.POSITIVE_INFINITY;
    const count = (wanted: number) => statuses.filter((status) => status === wanted).length;
    const others = statuses.filter((status) => status !== 200 && status !== 400);
    yield {
      drill: `costly Markdown, ${CONCURRENT_REQUESTS} at once`,
      figures: `${statuses.length} texts in ${seconds.toFixed(1)} s: ${count(200)} rendered, ${count(400)} refused   /healthz ${median.toFixed(0)} ms (median), ${slowest.toFixed(0)} ms at most`,
      failures: [
        ...(others.length === 0 ? [] : [`statuses other than 200 and 400: ${others.join(", ")}`]),
        ...(afterwards === 200 ? [] : [`an ordinary text afterwards got ${afterwards}`]),
        ...(healthChecks.every(({ status }) => status === 200) ? [] : ["a health check failed"]),
        ...(slowest <= MAX_HEALTH_CHECK_MS ? [] : [`a health check took ${slowest.toFixed(0)} ms`]),
      ],
    };
  } finally {
    isOver = true;
    await app.close();
  }
}
