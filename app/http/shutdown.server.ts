import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { RequestHandler } from "express";
import onHeaders from "on-headers";
import { logWarning } from "../shared/log.server";
import type { AppContext } from "./app-context.server";

/**
 * milliseconds for which idle connections stay open after SIGTERM. A request that arrives on one of them is still answered, and
 * its response closes the connection.
 */
const IDLE_GRACE_MS = 1_000;
const POLL_MS = 20;

/** Keeps count of the running requests, so that the server can stop without breaking any of them off. */
export function trackRequests(app: Pick<AppContext, "env" | "isStopping">) {
  let running = 0;

  const track: RequestHandler = (_request, response, next) => {
    running++;
    response.once("close", () => running--);
    onHeaders(response, () => {
      if (app.isStopping) response.setHeader("Connection", "close");
    });
    next();
  };

  /** Stops listening and lets running requests end, for at most `SHUTDOWN_SECONDS`, whatever the clients do. */
  async function drain(server: Server): Promise<void> {
    const { shutdownSeconds, production } = app.env;
    const deadline = performance.now() + shutdownSeconds * 1000;
    app.isStopping = true;
    // `http.Server.close` also closes idle connections, on which a request may be arriving: under load it breaks requests off.
    // `net.Server.close`, which it inherits, only stops listening.
    NetServer.prototype.close.call(server);
    // In development every change of the code restarts the server, so it does not wait.
    if (production) await sleep(Math.min(IDLE_GRACE_MS, shutdownSeconds * 250));
    while (running > 0 && performance.now() < deadline) await sleep(POLL_MS);
    if (running > 0) logWarning(`Stopped before all requests had ended: ${running} still running.`);
    server.closeAllConnections();
  }

  return { track, drain };
}
