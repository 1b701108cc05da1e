/** `npm run studio` lets whoever reaches it run any SQL. Prisma's own server decides who does, so an update of it may change that. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestPostgres, type TestPostgres } from "../tests/support/databases/postgres";
import { findFreePort } from "../tests/support/machine/free-port";

let postgres: TestPostgres;
let studio: ChildProcess;
let port: number;

beforeAll(async () => {
  postgres = await startTestPostgres();
  port = await findFreePort();
  const words = ["--import", "tsx", "prisma/studio.ts", "--port", String(port)];
  studio = spawn(process.execPath, words, {
    env: { ...process.env, POSTGRES_URL: await postgres.createDatabase() },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await vi.waitFor(() => statusOf({}), { timeout: 50_000, interval: 200 });
});
afterAll(async () => {
  const ended = once(studio, "exit");
  if (studio.kill("SIGTERM")) await ended;
  await postgres?.stop();
});

/** The status of a request for SQL. `fetch` would not send a `Host` of ours. */
function statusOf(headers: Record<string, string>): Promise<number> {
  const body = JSON.stringify({ procedure: "query", query: { sql: "SELECT 1 AS one", parameters: [] } });
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      path: "/bff",
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
    };
    request(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end(body);
  });
}

describe("Prisma Studio", () => {
  it("runs SQL for its own page", async () => {
    expect(await statusOf({ Origin: `http://localhost:${port}` })).toBe(200);
  });

  it.each([
    ["of another site", () => ({ Origin: "https://site.example" })],
    ["in a sandbox", () => ({ Origin: "null" })],
    ["of another port of this machine", () => ({ Origin: "http://localhost:4000" })],
    [
      "whose name leads to this machine",
      () => ({ Origin: `http://site.example:${port}`, Host: `site.example:${port}` }),
    ],
  ])("runs no SQL for a page %s", async (_, headers) => {
    expect(await statusOf(headers())).toBe(403);
  });

  it("cannot be reached from other machines", async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((found = []) =>
      found.flatMap(({ internal, family, address }) => (internal || family !== "IPv4" ? [] : [address])),
    );
    for (const host of addresses)
      await expect(once(connect({ host, port }), "connect"), host).rejects.toMatchObject({
        code: "ECONNREFUSED",
      });
  });
});
