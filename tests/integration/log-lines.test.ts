/** Everything that the production process writes is one JSON object per line, also what Node and libraries have to say. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, inject, it } from "vitest";
import { scripts } from "../../package.json" with { type: "json" };
import { startBuiltApp } from "../support/app/built-app";
import { deploymentEnv } from "../support/app/deployment";
import { issueEmbedUrl, makeEmbedClient } from "../support/app/embed-client";
import { makeTestFolder } from "../support/databases/postgres";
import { findFreePort } from "../support/machine/free-port";

const stack = inject("stack");
const root = fileURLToPath(new URL("../..", import.meta.url));

/** @throws Error if a line of `output` is not a JSON object with a time, a level, and a message or a route */
function readLines(output: string): Record<string, unknown>[] {
  return output
    .trim()
    .split("\n")
    .map((line) => {
      const entry = JSON.parse(line);
      expect(entry).toMatchObject({
        time: expect.stringMatching(/^2/),
        level: expect.stringMatching(/^[a-z]+$/),
      });
      expect(entry.message ?? entry.route, line).toEqual(expect.any(String));
      return entry;
    });
}

/** Runs what `npm start` runs until it ends. */
async function runUntilEnd(env: NodeJS.ProcessEnv, folder = root) {
  const [, ...words] = scripts.start.replace("build/", `${root}build/`).split(" ");
  const child = spawn(process.execPath, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code, lines: readLines(stdout + stderr) };
}

it("warnings of Node and of libraries, and every other line, are JSON", async () => {
  const app = await startBuiltApp(stack, {
    // Node warns of this setting with the first TLS connection.
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
    CLOUD_S3_ENDPOINT: `https://127.0.0.1:${await findFreePort()}`,
    // As a library would.
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
      'setTimeout(() => process.emitWarning("Ask ada@example.com about support", "LibraryWarning"), 500)',
    )}`,
    QUEUE_VERIFY: "false",
    QUEUE_ALLOW_UNVERIFIED: "true",
  });
  try {
    const client = await makeEmbedClient(stack);
    const { token } = await issueEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, client);
    const response = await fetch(`${app.env.PLATFORM_BASE_URL}/api/embed/storage/list`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket: client.bucket }),
    });
    expect(response.status).toBe(503);
  } finally {
    expect(await app.signal("SIGTERM")).toMatchObject({ code: 0 });
  }
  const lines = readLines(app.output());
  const warnings = lines.filter(({ level }) => level === "warn").map(({ message }) => message);
  expect(warnings).toContain("LibraryWarning: Ask [address] about support");
  expect(warnings).toContainEqual(expect.stringContaining("NODE_TLS_REJECT_UNAUTHORIZED"));
  expect(warnings).toContainEqual(expect.stringContaining("QUEUE_VERIFY is not true"));
  expect(warnings).not.toContainEqual(expect.stringContaining("NodeVersionSupportWarning"));
  expect(lines.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^Listening on port /));
});

const env = () => deploymentEnv(stack, stack.postgresUrl);

it("an invalid environment is one JSON line that lists every issue", async () => {
  const { code, lines } = await runUntilEnd({ ...env(), API_BASE_URL: "", EMBED_SIGNING_SECRET: "short" });
  expect(code).toBe(1);
  const message = lines.find(({ level }) => level === "error")?.message;
  expect(message).toMatch(/API_BASE_URL is not set/);
  expect(message).toMatch(/EMBED_SIGNING_SECRET is too short/);
});

it("a port that is taken, and a build that is missing, are JSON lines", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const PORT = String((other.address() as AddressInfo).port);
  const taken = await runUntilEnd({ ...env(), PORT, HOST: "127.0.0.1" });
  other.close();
  expect([taken.code, taken.lines.at(-1)]).toEqual([
    1,
    expect.objectContaining({ level: "error", message: expect.stringContaining("EADDRINUSE") }),
  ]);

  const missing = await runUntilEnd(env(), await makeTestFolder());
  expect([missing.code, missing.lines.at(-1)]).toEqual([
    1,
    expect.objectContaining({ level: "error", detail: expect.stringContaining("ERR_MODULE_NOT_FOUND") }),
  ]);
});

it("a development build is one JSON line that says what to run", async () => {
  const folder = await makeTestFolder();
  await mkdir(join(folder, "build"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const built = await readFile(join(root, "build/index.js"), "utf8");
  const development = built.replace('mode = "production"', 'mode = "development"');
  expect(development).not.toBe(built);
  await writeFile(join(folder, "build/index.js"), development);
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  const { code, lines } = await runUntilEnd(env(), folder);
  expect([code, lines.at(-1)]).toEqual([
    1,
    expect.objectContaining({
      level: "error",
      message: expect.stringContaining("Run `npm run build` first."),
    }),
  ]);
});

it("an error that nothing handles is a JSON line without addresses, and ends the process with 1", async () => {
  const fail = 'setTimeout(() => { throw new Error("no place for ada@example.com") }, 1500)';
  const { code, lines } = await runUntilEnd({
    ...env(),
    PORT: String(await findFreePort()),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fail)}`,
  });
  expect(code).toBe(1);
  expect(lines.at(-1)).toMatchObject({
    level: "error",
    detail: expect.stringMatching(/no place for \[address\]/),
  });
});
