import { Agent, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { StackInfo } from "../../local/stack-info";
import { startBuiltApp } from "../../tests/support/app/built-app";
import { makeEmbedClient } from "../../tests/support/app/embed-client";
import type { Outcome, Outcomes, ProcessFound } from "./checkers/process";
import { type DrillOptions, type History, Recorder } from "./drill";
import { wholeNumber } from "./seed";

const CALLERS = 16;
const MAX_SHUTDOWN_SECONDS = 10;
/** Time after which a caller stops waiting for a response, milliseconds. */
const RESPONSE_TIMEOUT_MS = 10_000;

/** Starts callers with keep-alive connections that each send one request after the other. */
function startCallers(url: string, body: string, headers: Record<string, string>) {
  const outcomes: Outcome[] = [];
  let isOver = false;
  const call = (agent: Agent) =>
    new Promise<Outcome>((resolve) => {
      const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
      const sent = request(url, { method: "POST", agent, headers, signal }, (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
        response.on("error", () => resolve("broken"));
      });
      sent.on("error", (error: NodeJS.ErrnoException) => {
        if (signal.aborted) resolve("timeout");
        else resolve(error.code === "ECONNREFUSED" ? "refused" : "broken");
      });
      sent.end(body);
    });
  const callers = Array.from({ length: CALLERS }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      const outcome = await call(agent);
      outcomes.push(outcome);
      if (outcome === "refused") await sleep(20);
    }
    agent.destroy();
  });
  return {
    outcomes,
    /** Resolves when the callers have got so many responses. */
    async served(count: number) {
      while (outcomes.length < count) await sleep(5);
    },
    async stop() {
      isOver = true;
      await Promise.all(callers);
    },
  };
}

async function prepare(stack: StackInfo) {
  const client = await makeEmbedClient(stack);
  const app = await startBuiltApp(stack, {
    RATE_LIMIT_PER_KEY: "1000000",
    SHUTDOWN_SECONDS: String(MAX_SHUTDOWN_SECONDS),
  });
  const load = startCallers(
    `${app.apiBaseUrl}/api/embed/url`,
    JSON.stringify({ service: "files", scope: { bucket: client.bucket } }),
    { "Content-Type": "application/json", "X-Api-Key": client.apiKey },
  );
  return { app, load };
}

/** Stops the app with SIGTERM while callers send requests continuously. */
export async function* drillProcess(
  stack: StackInfo,
  { choose }: DrillOptions,
): AsyncGenerator<History<{ what: string; requests: number }, ProcessFound>> {
  const { app, load } = await prepare(stack);
  const recorder = new Recorder<{ what: string; requests: number }>();
  const { hostname, port } = new URL(app.apiBaseUrl);
  await load.served(500);
  // These connect and send nothing.
  const silent = Array.from({ length: 20 }, () => connect(Number(port), hostname).on("error", () => {}));
  await load.served(wholeNumber(choose("SIGTERM"), 600, 1_200));
  const before = load.outcomes.length;
  recorder.add({ what: "SIGTERM", requests: before });
  const { code } = await app.signal("SIGTERM");
  recorder.add({ what: "the process ended", requests: load.outcomes.length });
  const [began, ended] = recorder.operations.map(({ at }) => at);
  await load.stop();
  for (const socket of silent) socket.destroy();
  await app.close();
  yield {
    title: "SIGTERM under load",
    operations: recorder.operations,
    found: {
      code,
      seconds: ((ended ?? 0) - (began ?? 0)) / 1000,
      maxSeconds: MAX_SHUTDOWN_SECONDS,
      before: countOutcomes(load.outcomes.slice(0, before)),
      outcomes: countOutcomes(load.outcomes.slice(before)),
    },
  };
}

function countOutcomes(outcomes: readonly Outcome[]): Outcomes {
  const counts: Outcomes = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
