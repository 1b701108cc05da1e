/** `npm run dev`: runs the whole product on this machine until Ctrl-C. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { codeOf } from "../app/shared/error-text";
import { MigrationError } from "../prisma/migrate";
import { StackError } from "./addresses";
import { generateClientIfNeeded } from "./app-server";
import { listAddresses } from "./stack-info";

const root = fileURLToPath(new URL("..", import.meta.url));

const { fresh, app } = new Command("npm run dev --")
  .description(
    "Starts PostgreSQL, the object store, the mailbox, the Data API, the queue, the app and the demo portal.",
  )
  .option("--fresh", "delete everything under .local/ first")
  .option("--no-app", "leave out the app and the demo portal, to run the app in another way")
  .addHelpText(
    "after",
    `
LOCAL_PORT_OFFSET=100 moves every port by 100; PORT moves the app alone. LOCAL_STATE_DIR is used instead of .local.
A part is not started when a setting names a real one: POSTGRES_URL, CLOUD_S3_ENDPOINT (or CLOUD_REGION with
CLOUD_ACCESS_KEY_ID and CLOUD_SECRET_ACCESS_KEY), CLOUD_SES_ENDPOINT, CLOUD_RDS_DATA_ENDPOINT, QUEUE_URL.
Settings are taken from the environment, or from a .env file. Addresses and keys are in .local/stack.json.`,
  )
  .parse()
  .opts<{ fresh?: boolean; app: boolean }>();

if (existsSync(join(root, ".env"))) process.loadEnvFile(join(root, ".env"));

// Silences the AWS SDK's announcement of the Node version that it will need in future.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";

/** Time between two checks that the shell of `npm run` is still there, milliseconds. */
const PARENT_CHECK_MS = 500;

/** Switches the catalogue of the demo's bucket on. What other programs do with the bucket is known half a minute later. A blank one in the environment switches it off. */
const CATALOGUE_MAX_LAG_SECONDS = "60";

const stop = new AbortController();
// Ctrl-C, `kill`, a closed terminal; and `npm run` that was killed, which leaves nobody to read what is printed.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
process.stdout.on("error", (error) => codeOf(error) !== "ENOSPC" && stop.abort());
process.stderr.on("error", () => {});
// npm passes SIGTERM on to its shell only. Many shells end then, and leave this process alone.
if (process.env.npm_lifecycle_event === "dev") {
  const shell = process.ppid;
  setInterval(() => process.ppid !== shell && stop.abort(), PARENT_CHECK_MS).unref();
}
const stopped = once(stop.signal, "abort").then(() => undefined);

async function main(): Promise<number> {
  console.log(app ? "Starting the local stack, and building the app …" : "Starting the local stack …");
  let isUp = false;
  // After `npm ci` there is no Prisma client yet. The stack imports it, so it is loaded afterwards.
  await generateClientIfNeeded();
  const { startStack } = await import("./stack");
  const stack = await startStack({
    dataDir: resolve(root, process.env.LOCAL_STATE_DIR?.trim() || ".local"),
    portOffset: Number(process.env.LOCAL_PORT_OFFSET?.trim() || 0),
    app: app ? "dev" : "none",
    env: { CATALOGUE_MAX_LAG_SECONDS, ...process.env },
    fresh,
    signal: stop.signal,
    // Until all is up only a failure is of interest, and that brings its output along.
    log: (text) => isUp && process.stdout.write(text),
  });
  isUp = true;
  const intro = app ? "All is up. Open the demo first." : "All but the app and the demo is up.";
  console.log(`\n${intro}\n\n${listAddresses(stack.info, app).join("\n")}\n\nCtrl-C stops it.\n`);

  const crashed = await Promise.race([stopped, stack.crashed]);
  if (crashed) console.error(`${upperFirst(crashed)} ended by itself, so everything else is stopped.`);
  await stack.close();
  return crashed ? 1 : 0;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

main()
  .catch((error: unknown) => {
    if (stop.signal.aborted) return 0;
    const isClear = error instanceof StackError || error instanceof MigrationError;
    console.error(isClear ? error.message : error);
    return 1;
  })
  .then((code) => process.exit(code));
