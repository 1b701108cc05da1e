import { Agent, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { StackInfo } from "../../local/stack-info";
import { type BuiltApp, startBuiltApp } from "../support/built-app";
import { makeEmbedClient } from "../support/embed-client";
import type { DrillResult } from "./result";

const CALLERS = 16;
/** seconds */
const SHUTDOWN = 10;
/** milliseconds; a caller that waits longer has been forgotten */
const PATIENCE = 10_000;
/** milliseconds; by then a process that gives no sign of life has been replaced */
const HANGING = 45_000;
/** the more kills, the more connections that were just on their way to the process */
const KILLS = 6;

/** A process that is asked to stop under load, one that is killed, and one of several that is. */
export async function* drillProcess(stack: StackInfo): AsyncGenerator<DrillResult> {
  yield await stopUnderLoad(stack, 1);
  yield await stopUnderLoad(stack, 2);
  yield await killUnderLoad(stack);
  yield await hangUnderLoad(stack);
}

type Outcome = number | "refused" | "broken" | "forgotten";

/** Callers that keep their connections, each with one request after the other. */
function startCallers(url: string, body: string, headers: Record<string, string>) {
  const outcomes: Outcome[] = [];
  let isOver = false;
  const call = (agent: Agent) =>
    new Promise<Outcome>((resolve) => {
      const signal = AbortSignal.timeout(PATIENCE);
      const sent = request(url, { method: "POST", agent, headers, signal }, (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
        response.on("error", () => resolve("broken"));
      });
      sent.on("error", (error: NodeJS.ErrnoException) => {
        if (signal.aborted) resolve("forgotten");
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

async function prepare(stack: StackInfo, settings: Record<string, string>) {
  const client = await makeEmbedClient(stack);
  const app = await startBuiltApp(stack, { RATE_LIMIT_PER_KEY: "1000000", ...settings });
  const load = startCallers(
    `${app.apiBaseUrl}/api/embed/url`,
    JSON.stringify({ service: "files", scope: { bucket: client.bucket } }),
    { "Content-Type": "application/json", "X-Api-Key": client.apiKey },
  );
  await sleep(1_500);
  return { app, load };
}

const count = (outcomes: Outcome[], wanted: Outcome) =>
  outcomes.filter((outcome) => outcome === wanted).length;

async function stopUnderLoad(stack: StackInfo, processes: number): Promise<DrillResult> {
  const { app, load } = await prepare(stack, {
    SHUTDOWN_SECONDS: String(SHUTDOWN),
    WEB_CONCURRENCY: String(processes),
  });
  const { hostname, port } = new URL(app.apiBaseUrl);
  // Connected, and silent for ever.
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
  const served = count(after, 200);
  const broken = count(after, "broken");
  const failures = [
    ...(code === 0 ? [] : [`it ended with ${code}`]),
    ...(seconds > SHUTDOWN ? [`it took ${seconds.toFixed(1)} s`] : []),
    ...(broken === 0 ? [] : [`${broken} requests were broken off`]),
  ];
  return {
    drill: processes === 1 ? "SIGTERM under load" : `SIGTERM under load, ${processes} processes`,
    figures: `ended after ${seconds.toFixed(1)} s   ${served} more requests served, ${broken} broken off`,
    failures,
  };
}

function endAtOnce(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** @returns after how many seconds */
async function untilReplaced(app: BuiltApp, victim: number, patience: number): Promise<number> {
  const started = performance.now();
  while (app.children().filter((pid) => pid !== victim).length < 2) {
    if (performance.now() - started > patience) throw new Error(`It was not replaced:\n${app.output()}`);
    await sleep(20);
  }
  return (performance.now() - started) / 1000;
}

async function killUnderLoad(stack: StackInfo): Promise<DrillResult> {
  const { app, load } = await prepare(stack, { WEB_CONCURRENCY: "2" });
  const before = load.outcomes.length;
  let slowest = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    // The older one: one that ends soon after its start is not replaced at once.
    const [victim = 0] = app.children();
    process.kill(victim, "SIGKILL");
    slowest = Math.max(slowest, await untilReplaced(app, victim, PATIENCE));
    await sleep(3_000);
  }
  await load.stop();
  await app.close();
  const after = load.outcomes.slice(before);
  const broken = count(after, "broken");
  const refused = count(after, "refused");
  const forgotten = count(after, "forgotten");
  const wrong = after.filter((outcome) => typeof outcome === "number" && outcome !== 200).length;
  return {
    drill: `kill -9 of one of two processes, ${KILLS} times`,
    figures: `replaced after ${slowest.toFixed(1)} s at most   ${count(after, 200)} served, ${broken} broken off with them, ${refused} refused, ${forgotten} never answered`,
    failures: [
      ...(broken <= CALLERS * KILLS ? [] : [`${broken} requests were broken off`]),
      ...(refused === 0 ? [] : [`${refused} connections were refused`]),
      ...(forgotten === 0 ? [] : [`${forgotten} requests were never answered`]),
      ...(wrong === 0 ? [] : [`${wrong} wrong responses`]),
    ],
  };
}

async function hangUnderLoad(stack: StackInfo): Promise<DrillResult> {
  const { app, load } = await prepare(stack, { WEB_CONCURRENCY: "2" });
  const [victim = 0] = app.children();
  const before = load.outcomes.length;
  process.kill(victim, "SIGSTOP");
  // Where it is not: it would hold the port for ever.
  const seconds = await untilReplaced(app, victim, HANGING).finally(() => endAtOnce(victim));
  await sleep(1_500);
  await load.stop();
  await app.close();
  const after = load.outcomes.slice(before);
  const forgotten = count(after, "forgotten");
  const others = after.filter((outcome) => outcome !== 200 && outcome !== "forgotten").length;
  return {
    drill: "one of two processes hangs",
    figures: `replaced after ${seconds.toFixed(1)} s   ${count(after, 200)} served, ${forgotten} never answered`,
    failures: [
      // Those that were on its connections when it hung; whoever connects anew is served by the other one.
      ...(forgotten <= CALLERS ? [] : [`${forgotten} requests were never answered`]),
      ...(others === 0 ? [] : [`${others} requests failed otherwise`]),
    ],
  };
}
