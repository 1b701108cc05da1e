import { Agent, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { StackInfo } from "../../local/stack-info";
import { startBuiltApp } from "../support/app/built-app";
import { makeEmbedClient } from "../support/app/embed-client";
import type { DrillResult } from "./result";

const CALLERS = 16;
const MAX_SHUTDOWN_SECONDS = 10;
/** Time after which a caller stops waiting for a response, milliseconds. */
const RESPONSE_TIMEOUT_MS = 10_000;
type Outcome = number | "refused" | "broken" | "timeout";

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
    MAX_SHUTDOWN_SECONDS: String(MAX_SHUTDOWN_SECONDS),
  });
  const load = startCallers(
    `${app.apiBaseUrl}/api/embed/url`,
    JSON.stringify({ service: "files", scope: { bucket: client.bucket } }),
    { "Content-Type": "application/json", "X-Api-Key": client.apiKey },
  );
  await sleep(1_500);
  return { app, load };
}

/** Stops the app with SIGTERM while callers send requests continuously. No request may be broken off. */
export async function* drillProcess(stack: StackInfo): AsyncGenerator<DrillResult> {
  const { app, load } = await prepare(stack);
  const { hostname, port } = new URL(app.apiBaseUrl);
  // These connect and send nothing.
  const silent = Array.from({ length: 20 }, () => connect(Number(port), hostname).on("error", () => {}));
  await sleep(200);
  const before = load.outcomes.length;
  const started = performance.now();
  const { code } = await app.signal("SIGTERM");
  const seconds = (performance.now() - started) / 1000;
  await load.stop();
  for (const socket of silent) socket.destroy();
  await app.close();
  const after = load.outcomes.slice(before);
  const count = (wanted: Outcome) => after.filter((outcome) => outcome === wanted).length;
  const broken = count("broken");
  const unanswered = count("timeout");
  yield {
    drill: "SIGTERM under load",
    figures: `ended after ${seconds.toFixed(1)} s   ${count(200)} more requests served, ${broken} broken off`,
    failures: [
      ...(code === 0 ? [] : [`it ended with ${code}`]),
      ...(seconds > MAX_SHUTDOWN_SECONDS ? [`it took ${seconds.toFixed(1)} s`] : []),
      ...(broken === 0 ? [] : [`${broken} requests were broken off`]),
      ...(unanswered === 0 ? [] : [`${unanswered} requests were never answered`]),
    ],
  };
}
