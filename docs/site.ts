/**
 * `npm run docs`: builds the documentation's site in docs/.vitepress/dist. It fails on a dead link. VitePress and
 * Scalar are installed in this folder when they are first needed; the product does not need them.
 *
 * Scalar shows the API because it sends requests and makes code in many languages. The free edition of Redoc sends none, and Swagger UI makes code
 * for curl alone. Its bundle (1.4 MB compressed) is served unchanged, by one page only. reference/api.md has the same for readers without
 * JavaScript, for the search and for language models.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Command, InvalidArgumentError } from "commander";
import { DOCS_PORT } from "../local/addresses";
import { describeApiWithExamples } from "./api-description";
import { apiReference } from "./api-reference";
import { API_PATH, PLATFORM_PATH, readLocalStack } from "./local-stack";

const here = fileURLToPath(new URL(".", import.meta.url));
const { serve, port, install } = new Command("npm run docs --")
  .option("--serve", "show the site, and update it when a page changes, until Ctrl+C")
  .option(
    "--port <number>",
    "port of --serve",
    readPort,
    DOCS_PORT + Number(process.env.LOCAL_PORT_OFFSET || 0),
  )
  .option("--no-install", "do not install VitePress and Scalar")
  .parse()
  .opts<{ serve?: boolean; port: number; install: boolean }>();

if (install && !existsSync(`${here}node_modules/@scalar/api-reference`))
  run("npm", ["ci", "--no-audit", "--no-fund"]);
writeFileSync(`${here}reference/api.md`, `${apiReference()}\n`);
writeConsole();
if (serve) {
  console.log(`The documentation is at http://127.0.0.1:${port}/`);
  run("npx", ["--no-install", "vitepress", "dev", ".", "--port", String(port), "--host", "127.0.0.1"]);
} else {
  run("npx", ["--no-install", "vitepress", "build", "."]);
  console.log(`The site is in ${here}.vitepress/dist: any static file server can serve it.`);
}
process.exit();

/** Writes what public/reference/api-console.html loads: Scalar, and the description of the API. */
function writeConsole(): void {
  const folder = `${here}public/reference/`;
  copyFileSync(`${here}node_modules/@scalar/api-reference/dist/browser/standalone.js`, `${folder}scalar.js`);
  const description = describeApiWithExamples();
  description.info.description += " [All documentation](../).";
  const stack = serve ? readLocalStack() : undefined;
  if (stack) {
    const { paths, components } = description;
    description.servers.unshift({ url: API_PATH, description: "on this machine" });
    for (const { servers } of Object.values(paths) as { servers?: { url: string; description: string }[] }[])
      servers?.unshift({ url: PLATFORM_PATH, description: "on this machine" });
    // Scalar fills in the key.
    Object.assign(components.securitySchemes.apiKey, { "x-scalar-secret-token": stack.demoClient.apiKey });
  } else if (serve) {
    console.log("The API console sends no requests: start `npm run dev` first.");
  }
  writeFileSync(`${folder}openapi.json`, JSON.stringify(description));
}

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
