/**
 * Measures requests per second of issuing and presigning, relative to a Remix route that does nothing. `remix-serve` serves that route: it
 * is Express with the same request handler as our server. Aims: issue at least 0.64, presign at least 0.66, with
 * uploads recorded.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { issueEmbedUrl, makeEmbedClient } from "../../tests/support/app/embed-client";
import { startTestStack } from "../../tests/support/app/stack";
import { findFreePort } from "../../tests/support/machine/free-port";
import { type BenchmarkResult, median, medianRow, spread } from "./result";

const ROUNDS = 7;
const SECONDS = 3;
const WARM_UP_SECONDS = 5;
const CONNECTIONS = 16;
const bareApp = fileURLToPath(new URL("bare-app", import.meta.url));
const bin = (name: string) => fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url));

export async function run(): Promise<BenchmarkResult> {
  const stack = await startTestStack();
  const bare = await startBareApp();
  try {
    const client = await makeEmbedClient(stack.info);
    const { token } = await issueEmbedUrl(stack.info, client, { expiresInSeconds: 3600 });
    const post = (url: string, body: object, headers = {}): autocannon.Options => ({
      url,
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const { apiBaseUrl, platformBaseUrl } = stack.info;
    return await compare({
      "a Remix route that does nothing": { url: `${bare.url}/nothing` },
      "POST /api/embed/url": post(
        `${apiBaseUrl}/api/embed/url`,
        { service: "files", scope: { bucket: client.bucket } },
        { "X-Api-Key": client.apiKey },
      ),
      "POST …/presign-upload": post(`${platformBaseUrl}/api/embed/storage/presign-upload`, {
        token,
        bucket: client.bucket,
        folderPath: "/reports",
        fileName: "march.pdf",
        contentType: "application/pdf",
        size: 12_345,
        // Without `ifNoneMatch`, for which stores other than Amazon S3 are asked once more.
      }),
    });
  } finally {
    await bare.stop();
    await stack.close();
  }
}

/** Measures every case in turn in each round, and compares each with the first. */
async function compare(cases: Record<string, autocannon.Options>): Promise<BenchmarkResult> {
  const rates = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
  for (const options of Object.values(cases)) await measure(options, WARM_UP_SECONDS);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, options] of Object.entries(cases)) {
      rates.get(name)?.push(await measure(options, SECONDS));
    }
  }
  const [baseline = []] = rates.values();
  return {
    title: `Requests per second over ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s each`,
    rows: [...rates].map(([name, measured]) => {
      const ratios = measured.map((rate, round) => rate / (baseline[round] ?? Number.NaN));
      const ratio = `${median(ratios).toFixed(2)} (${spread(ratios, (value) => value.toFixed(2))}) of the first row`;
      return medianRow(name, measured, (rate) => `${rate.toFixed(0)}/s`, ratio);
    }),
    raw: Object.fromEntries([...rates].map(([name, measured]) => [`${name}, requests per second`, measured])),
  };
}

async function measure(options: autocannon.Options, duration: number): Promise<number> {
  const result = await autocannon({ ...options, connections: CONNECTIONS, duration });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${options.url}: ${result.non2xx} refused and ${result.errors} failed requests`);
  }
  return result.requests.average;
}

async function startBareApp(): Promise<{ url: string; stop: () => Promise<unknown> }> {
  const built = spawnSync(process.execPath, [bin("remix"), "build"], { cwd: bareApp, encoding: "utf8" });
  if (built.status !== 0) throw new Error(`The bare app does not build:\n${built.stderr}`);
  const port = await findFreePort();
  const server = spawn(process.execPath, [bin("remix-serve"), "build/index.js"], {
    cwd: bareApp,
    env: { PATH: process.env.PATH, PORT: String(port), HOST: "127.0.0.1", NODE_ENV: "production" },
    // Its request log costs as much as ours. Both are written to a pipe that is read.
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(server.stdout, "data");
  server.stdout.resume();
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      const exited = once(server, "exit");
      server.kill();
      return exited;
    },
  };
}
