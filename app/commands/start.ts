/** `npm start`: runs app/server.ts, as `npm run build` has compiled it together with the app. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { plainValues } from "../env/env.server";
import { messageOf } from "../shared/error-text";
import { configureLog, logError, logWarning } from "../shared/log.server";

// React and Express read this when they are loaded.
Object.assign(process.env, { NODE_ENV: plainValues(process.env).NODE_ENV ?? "production" });
// The version of the SDK is fixed by the lock file, so what later versions will require is of no use to an operator.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
const isProduction = process.env.NODE_ENV === "production";
configureLog({ json: isProduction, secrets: [] });

// This file is built by itself. Until the app is loaded it has its own copy of the log, which does not know the secrets of the environment.
let log = { logError, logWarning };

// In production every line is JSON. `npm start` runs Node with --no-warnings, so Node does not print warnings itself.
if (isProduction) process.on("warning", ({ name, message }) => log.logWarning(`${name}: ${message}`));
// Node would print the error as text, and exit with 1, too.
process.on("uncaughtException", (thrown) => {
  log.logError("The process ended because of an error that nothing handled.", { thrown });
  process.exit(1);
});

const build: typeof import("../server") = await import(pathToFileURL(resolve("build/index.js")).href);
log = build;
await build.startServer().catch((thrown: unknown) => {
  log.logError(messageOf(thrown));
  process.exit(1);
});
