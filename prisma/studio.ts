/**
 * `npm run studio`: Prisma Studio, which shows and edits records, on the database in POSTGRES_URL or, if that is not set, of
 * the running local stack.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { plainValues } from "../app/env/env.server";
import { startPrisma } from "./prisma-cli";

const root = fileURLToPath(new URL("..", import.meta.url));

const { port } = new Command("npm run studio --")
  .description("Opens Prisma Studio on the database in POSTGRES_URL, or on that of the running local stack.")
  .option("--port <port>", "the port of Studio", "5555")
  .parse()
  .opts<{ port: string }>();

if (existsSync(join(root, ".env"))) process.loadEnvFile(join(root, ".env"));
const postgresUrl = plainValues(process.env).POSTGRES_URL ?? localPostgresUrl();
if (!postgresUrl) {
  console.error("There is no database. Start the local stack with `npm run dev`, or set POSTGRES_URL.");
  process.exit(1);
}

const { host, pathname } = new URL(postgresUrl);
console.log(`Prisma Studio on ${host}${pathname}: http://localhost:${port} (Ctrl-C stops it)`);

const studio = startPrisma(
  ["studio", "--browser", "none", "--port", port],
  // Not on the command line, where other users of this machine could read the password.
  { POSTGRES_URL: postgresUrl },
);
// Ctrl-C reaches both processes. The exit code is that of Studio.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => studio.kill(signal));
studio.on("error", ({ message }) => {
  console.error(`Prisma Studio could not be started: ${message}`);
  process.exit(1);
});
studio.on("exit", (code, signal) => process.exit(code ?? (signal ? 0 : 1)));

function localPostgresUrl(): string | undefined {
  try {
    const folder = resolve(root, process.env.LOCAL_STATE_DIR?.trim() || ".local");
    const info: unknown = JSON.parse(readFileSync(join(folder, "stack.json"), "utf8"));
    if (typeof info === "object" && info !== null && "postgresUrl" in info) return String(info.postgresUrl);
  } catch {
    // No stack is running.
  }
  return undefined;
}
