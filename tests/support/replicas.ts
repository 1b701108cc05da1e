/** Three replicas behind nginx, as `docs/examples/nginx.conf` has them, under load while things happen to them. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { revokeEmbedClient } from "../../app/embed/manage-embed-clients.server";
import type { StackInfo } from "../../local/stack-info";
import { type BuiltApp, startBuiltApp } from "./built-app";
import { databaseOf, makeEmbedClient, postEmbedUrl, type TestEmbedClient } from "./embed-client";
import { findFreePort } from "./free-port";

/** milliseconds between two things that happen */
const STEP = 2_000;
const CALLERS = 8;

export interface ReplicasFigures {
  requests: number;
  /** statuses other than 200 that callers with a live key were given; 0 is no response at all */
  wrong: number[];
  /** requests that nginx gave to a second replica, and the most replicas that one request went to */
  retried: number;
  mostTries: number;
  /** statuses of a key other than 401 for requests begun after it had been revoked */
  afterRevocation: number[];
  /** requests that each replica had a part in */
  perReplica: number[];
  /** statuses of a long URL and of a large body that are the service's to judge, and whose answers are not its own */
  judgedByProxy: number[];
}

export function hasNginx(): boolean {
  return spawnSync("nginx", ["-v"]).status === 0;
}

/**
 * Issues embed URLs all the time, while one replica is killed and started again, a key is revoked, and another replica is
 * stopped in order and started again.
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
    nginx = await startNginx(
      port,
      replicas.map(({ ownUrl }) => new URL(ownUrl).port),
    );
    const judgedByProxy = await statusesOfProxy(publicUrl);
    const steady = await makeEmbedClient(stack);
    const revoked = await makeEmbedClient(stack);
    const load = startLoad({ ...stack, apiBaseUrl: publicUrl }, steady, revoked);
    const [first, second] = replicas;

    await sleep(STEP);
    first?.kill();
    await sleep(STEP);
    await first?.start();
    await sleep(STEP);
    await revokeEmbedClient(databaseOf(stack), revoked.id);
    const revokedAt = performance.now();
    await sleep(STEP);
    await second?.signal("SIGTERM");
    await sleep(STEP);
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
        .filter(({ begun, status }) => begun > revokedAt && status !== 401)
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

/** Asks for what is as large as the service takes it: it refuses both in its own words. */
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
  /** by `performance.now()` */
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
    // So slow that what is refused stays below the limit for callers without a valid key.
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

/** nginx with the example's configuration, on other ports. */
async function startNginx(port: number, upstreams: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "nginx-"));
  const example = readFileSync(
    fileURLToPath(new URL("../../docs/examples/nginx.conf", import.meta.url)),
    "utf8",
  );
  const configuration = upstreams.reduce(
    (text, upstream, index) => text.replace(`:${3001 + index} `, `:${upstream} `),
    example.replace("listen 8080", `listen 127.0.0.1:${port}`),
  );
  writeFileSync(join(folder, "nginx.conf"), configuration);
  const nginx = spawn("nginx", ["-p", folder, "-c", "nginx.conf", "-g", "daemon off;"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  nginx.stderr.on("data", (text) => {
    said += text;
  });
  while (
    !(await fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (nginx.exitCode !== null) throw new Error(`nginx ended. It said:\n${said}`);
    await sleep(50);
  }
  return {
    accessLog: () => readFileSync(join(folder, "access.log"), "utf8").trim().split("\n"),
    async stop() {
      const exited = once(nginx, "exit");
      nginx.kill("SIGTERM");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
