/** `npm start`: runs app/server.ts, as `npm run build` has compiled it together with the app. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../shared/error-text";

// React and Express read this when they are loaded.
process.env.NODE_ENV ??= "production";
// The log consists of JSON lines. The AWS SDK would print a text about Node versions that it will drop.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";

const build: typeof import("../server") = await import(pathToFileURL(resolve("build/index.js")).href);
await build.startServer().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exit(1);
});
