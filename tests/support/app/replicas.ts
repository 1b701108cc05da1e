/** Three replicas behind nginx, configured as in `docs/examples/nginx.conf`, are killed, stopped and restarted under load. */
import { setTimeout as sleep } from "node:timers/promises";
import { KEY_TTL_MS } from "../../../app/embed/embed-clients.server";
import { revokeEmbedClient } from "../../../app/embed/manage-embed-clients.server";
import type { StackInfo } from "../../../local/stack-info";
import { findFreePort } from "../machine/free-port";
import { startNginx } from "../network/nginx";
import { type BuiltApp, startBuiltApp } from "./built-app";
import { databaseOf, makeEmbedClient, postEmbedUrl, type TestEmbedClient } from "./embed-client";

/** time between two events, milliseconds */
const STEP_MS = 2_000;
const CALLERS = 8;

export interface ReplicasFigures {
  requests: number;
  /** statuses other than 200 that callers with an active key received; 0 means no response */
  wrong: number[];
  /** requests that nginx retried on a second replica, and the maximum number of replicas that one request was sent to */
  retried: number;
  mostTries: number;
  /** statuses other than 401 of requests that began 5 seconds or more after their key had been revoked */
  afterRevocation: number[];
  /** requests that each replica handled */
  perReplica: number[];
  /** statuses of responses to a long URL and a large body that came from nginx although the service should have refused the request */
  judgedByProxy: number[];
}

/**
 * Issues embed URLs continuously. Meanwhile one replica is killed and restarted, a key is revoked, and another replica is
 * shut down gracefully and restarted.
 */
export async function drillReplicas(stack: StackInfo): Promise<ReplicasFigures> {
  const port = await findFreePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const replicas: BuiltApp[] = [];
  let nginx: Awaited<ReturnType<typeof startNginx>> | undefined;
  try {
    for (let count = 0; count < 3; count++) {
      replicas.push(
        await startBuiltApp(stack, {
          API_BASE_URL: publicUrl,
          PLATFORM_BASE_URL: `http://localhost:${port}`,
          TRUST_PROXY: "true",
          RATE_LIMIT_PER_KEY: "1000000",
        }),
      );
    }
    const ports = replicas.map(({ ownUrl }) => new URL(ownUrl).port);
    nginx = await startNginx("nginx.conf", port, (example) =>
      ports.reduce((text, own, index) => text.replace(`:${3001 + index} `, `:${own} `), example),
    );
    const judgedByProxy = await statusesOfProxy(publicUrl);
    const steady = await makeEmbedClient(stack);
    const revoked = await makeEmbedClient(stack);
    const load = startLoad({ ...stack, apiBaseUrl: publicUrl }, steady, revoked);
    const [first, second] = replicas;

    await sleep(STEP_MS);
    first?.kill();
    await sleep(STEP_MS);
    await first?.start();
    await sleep(STEP_MS);
    await revokeEmbedClient(databaseOf(stack), revoked.id);
    const revokedAt = performance.now();
    await sleep(STEP_MS);
    await second?.signal("SIGTERM");
    await sleep(STEP_MS);
    await second?.start();
    const outcomes = await load.stop();

    const lines = nginx.accessLog();
    const tries = lines.map((line) => (/"([^"]*)"/.exec(line)?.[1] ?? "").split(",").length);
    return {
      requests: outcomes.steady.length + outcomes.revoked.length,
      wrong: outcomes.steady.map(({ status }) => status).filter((status) => status !== 200),
      retried: tries.filter((count) => count > 1).length,
      mostTries: Math.max(...tries),
      afterRevocation: outcomes.revoked
        .filter(({ begun, status }) => begun > revokedAt + KEY_TTL_MS && status !== 401)
        .map(({ status }) => status),
      perReplica: replicas.map(
        ({ ownUrl }) => lines.filter((line) => line.includes(new URL(ownUrl).host)).length,
      ),
      judgedByProxy,
    };
  } finally {
    await nginx?.stop();
    for (const app of replicas) await app.close();
  }
}

/** Sends a URL and a body that nginx has to pass on and the service refuses. A response without a request ID came from nginx. */
async function statusesOfProxy(publicUrl: string): Promise<number[]> {
  const answers = await Promise.all([
    fetch(`${publicUrl}/embed/files?t=${"t".repeat(9_000)}`),
    fetch(`${publicUrl}/api/embed/storage/move`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: "t", items: "i".repeat(2_000_000) }),
    }),
  ]);
  return answers.filter(({ headers }) => !headers.has("X-Request-Id")).map(({ status }) => status);
}

interface Outcome {
  /** in the time of `performance.now()` */
  begun: number;
  status: number;
}

function startLoad(stack: StackInfo, steady: TestEmbedClient, revoked: TestEmbedClient) {
  const outcomes: Record<"steady" | "revoked", Outcome[]> = { steady: [], revoked: [] };
  let isOver = false;
  const call = async (client: TestEmbedClient, results: Outcome[], pauseMs = 0) => {
    while (!isOver) {
      if (pauseMs > 0) await sleep(pauseMs);
      const begun = performance.now();
      const status = await postEmbedUrl(stack, client.apiKey, {
        service: "files",
        scope: { bucket: client.bucket },
      }).then(
        async (response) => {
          await response.body?.cancel();
          return response.status;
        },
        () => 0,
      );
      results.push({ begun, status });
    }
  };
  const callers = [
    ...Array.from({ length: CALLERS }, () => call(steady, outcomes.steady)),
    // The pause keeps refused requests below the rate limit for callers without a valid key.
    call(revoked, outcomes.revoked, 25),
  ];
  return {
    async stop() {
      isOver = true;
      await Promise.all(callers);
      return outcomes;
    },
  };
}
