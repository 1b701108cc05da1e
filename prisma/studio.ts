/**
 * `npm run studio`: Prisma Studio, where records can be looked at and edited, on the database in POSTGRES_URL, or else on
 * that of the local stack that is running here. It downloads nothing.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";

const root = fileURLToPath(new URL("..", import.meta.url));

const { port } = new Command("npm run studio --")
  .description("Opens Prisma Studio on the database in POSTGRES_URL, or on that of the running local stack.")
  .option("--port <port>", "where Studio listens", "5555")
  .parse()
  .opts<{ port: string }>();

if (existsSync(join(root, ".env"))) process.loadEnvFile(join(root, ".env"));
const postgresUrl = process.env.POSTGRES_URL?.trim() || localPostgresUrl();
if (!postgresUrl) {
  console.error(
    "There is no database to look at. Start the local stack with `npm run dev`, or set POSTGRES_URL.",
  );
  process.exit(1);
}

const { host, pathname } = new URL(postgresUrl);
console.log(`Prisma Studio on ${host}${pathname}: http://localhost:${port} (Ctrl-C stops it)`);

const prismaCli = createRequire(import.meta.url).resolve("prisma/build/index.js");
const studio = spawn(
  process.execPath,
  [prismaCli, "studio", "--config", "prisma/prisma.config.ts", "--browser", "none", "--port", port],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      // Not on the command line, where everybody on this machine could read the password.
      POSTGRES_URL: postgresUrl,
      CHECKPOINT_DISABLE: "1",
      // Studio needs no engine; any file that is there keeps Prisma from fetching one.
      PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath,
    },
  },
);
// Ctrl-C reaches both; the exit code is Studio's.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => studio.kill(signal));
studio.on("exit", (code, signal) => process.exit(code ?? (signal ? 0 : 1)));

function localPostgresUrl(): string | undefined {
  try {
    const info: unknown = JSON.parse(
      readFileSync(
        join(resolve(root, process.env.LOCAL_STATE_DIR?.trim() || ".local"), "stack.json"),
        "utf8",
      ),
    );
    if (typeof info === "object" && info !== null && "postgresUrl" in info) return String(info.postgresUrl);
  } catch {
    // no stack is running
  }
  return undefined;
}
