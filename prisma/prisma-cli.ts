import { type SpawnOptions, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const cli = createRequire(import.meta.url).resolve("prisma/build/index.js");

/** Starts a command of Prisma's own CLI. `env` is added to the environment. */
export function startPrisma(
  args: string[],
  env: Record<string, string> = {},
  stdio: SpawnOptions["stdio"] = "inherit",
) {
  return spawn(process.execPath, [cli, ...args, "--config", "prisma/prisma.config.ts"], {
    cwd: root,
    stdio,
    env: {
      ...process.env,
      ...env,
      CHECKPOINT_DISABLE: "1",
      // These commands need no schema engine, but Prisma downloads one unless this names an existing file.
      PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath,
    },
  });
}
