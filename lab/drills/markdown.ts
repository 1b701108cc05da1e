import { setTimeout as sleep } from "node:timers/promises";
import type { StackInfo } from "../../local/stack-info";
import { startBuiltApp } from "../../tests/support/app/built-app";
import { costlyMarkdown } from "../../tests/support/email/costly-markdown";
import type { MarkdownFound } from "./checkers/markdown";
import type { History } from "./drill";

const CONCURRENT_REQUESTS = 20;
const HEALTH_CHECK_INTERVAL_MS = 20;

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
      const status = await fetch(`${app.ownUrl}/healthz`)
        .then(async (response) => {
          await response.text();
          return response.status;
        })
        .catch(() => 0);
      healthChecks.push({ status, milliseconds: performance.now() - started });
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
