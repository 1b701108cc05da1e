/**
 * `npm run docs`: builds the documentation's site in docs/.vitepress/dist. It fails on a dead link. VitePress is installed in
 * this folder when it is first needed; the product does not need it.
 */
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Command, InvalidArgumentError } from "commander";
import { apiReference } from "./api-reference";

const here = fileURLToPath(new URL(".", import.meta.url));
const { serve, port, install } = new Command("npm run docs --")
  .option("--serve", "show the site, and update it when a page changes, until Ctrl+C")
  .option("--port <number>", "port of --serve", readPort, 4100)
  .option("--no-install", "do not install VitePress")
  .parse()
  .opts<{ serve?: boolean; port: number; install: boolean }>();

if (install && !existsSync(`${here}node_modules/vitepress`)) run("npm", ["ci", "--no-audit", "--no-fund"]);
writeFileSync(`${here}reference/api.md`, `${apiReference()}\n`);
if (serve) {
  console.log(`The documentation is at http://127.0.0.1:${port}/`);
  run("npx", ["--no-install", "vitepress", "dev", ".", "--port", String(port), "--host", "127.0.0.1"]);
} else {
  run("npx", ["--no-install", "vitepress", "build", "."]);
  console.log(`The site is in ${here}.vitepress/dist: any static file server can serve it.`);
}
process.exit();

function run(command: string, words: string[]): void {
  const { status } = spawnSync(command, words, { cwd: here, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

function readPort(value: string): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidArgumentError("It must be a number from 1 to 65535.");
  return port;
}
