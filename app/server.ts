/**
 * The server: Express, its middleware in the order in which a request passes it, and Remix last. Remix compiles this file and the
 * app into `build/index.js`; `npm start` and `npm run dev` load that and call `startServer`.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import * as build from "@remix-run/dev/server-build";
import { createRequestHandler, type GetLoadContextFunction } from "@remix-run/express";
import { broadcastDevReady } from "@remix-run/node";
import compression from "compression";
import express from "express";
import { startApp, stopApp } from "./http/app-context.server";
import { checkRequest } from "./http/check-request.server";
import { closeStalledResponses } from "./http/close-stalled-responses.server";
import { closeUnreadRequests } from "./http/close-unread-requests.server";
import { answerUnexpectedError } from "./http/failure.server";
import { handleInTurn } from "./http/handle-in-turn.server";
import { measureRequests } from "./http/measure-requests.server";
import { publicFiles } from "./http/public-files.server";
import { giveRequestId } from "./http/request-id.server";
import { trackRequests } from "./http/shutdown.server";
import { logError, logInfo } from "./shared/log.server";

/** `npm run serve` runs the same build under plain `remix-serve`, which reads these exports and ignores `startServer`. */
export * from "@remix-run/dev/server-build";
/** For `npm start`, which logs errors outside of requests. */
export { logError, logWarning } from "./shared/log.server";

const timeouts = {
  /** milliseconds; longer than the usual load balancers keep idle connections (60 s), so that they close them first */
  keepAliveTimeout: 65_000,
  /** milliseconds in which the headers of a request have to arrive */
  headersTimeout: 15_000,
  /** milliseconds between two checks of these limits; Node's default is 30 seconds */
  connectionsCheckingInterval: 1_000,
  /** milliseconds in which a whole request has to arrive */
  requestTimeout: 30_000,
};

/** What routes get to know from the middleware before them. */
const getLoadContext: GetLoadContextFunction = (_, response) => ({ ...response.locals, response });

/** Listens until SIGTERM or SIGINT. */
export async function startServer(): Promise<void> {
  const app = startApp();
  const { env } = app;
  if (env.production && build.mode !== "production") {
    throw new Error("build/ holds a development build, which `npm run dev` made. Run `npm run build` first.");
  }
  const requests = trackRequests(app);

  const middleware = express()
    .disable("x-powered-by")
    .use(handleInTurn())
    .use(requests.track)
    .use(giveRequestId)
    .use(measureRequests)
    .use(closeUnreadRequests())
    .use(closeStalledResponses())
    .use(checkRequest(env))
    .use(publicFiles(env.production))
    .use(compression())
    .use(createRequestHandler({ build, mode: build.mode, getLoadContext }))
    .use(answerUnexpectedError);

  const server = createServer(timeouts, middleware).listen({ port: env.port, host: env.host });
  await once(server, "listening");
  // From now on an error is about one connection, for example because the system has no memory for it.
  server.on("error", (thrown) => logError("A connection could not be accepted.", { thrown }));
  logInfo(`Listening on port ${env.port}.`);
  if (build.mode === "development") await broadcastDevReady(build);

  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, async () => {
      // An attempt that is cut off is repeated by another process.
      for (const worker of app.workers) void worker.stop();
      // Explorers go on at another replica.
      app.changeReader.close();
      await requests.drain(server);
      await stopApp(app);
      process.exit(0);
    });
  }
}
