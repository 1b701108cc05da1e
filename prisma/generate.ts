/**
 * `npm run generate`: writes the typed Prisma client to `prisma/generated`.
 *
 * `prisma generate` needs no schema engine, but tries to download one when none is there, and fails where that host is
 * blocked. Naming any existing file as the engine keeps it from trying.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const prismaCli = fileURLToPath(new URL("../node_modules/prisma/build/index.js", import.meta.url));

const result = spawnSync(
  process.execPath,
  [prismaCli, "generate", "--config", "prisma/prisma.config.ts", "--no-hints"],
  {
    cwd: root,
    encoding: "utf8",
    env: {
      ...process.env,
      PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath,
      CHECKPOINT_DISABLE: "1",
    },
  },
);
if (result.status !== 0) {
  process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}`);
  console.error("The Prisma client could not be generated; what Prisma said stands above.");
}
process.exit(result.status ?? 1);
