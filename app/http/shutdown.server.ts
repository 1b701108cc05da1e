import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { RequestHandler } from "express";
import onHeaders from "on-headers";
import { logWarning } from "../shared/log.server";
import type { AppContext } from "./app-context.server";

/**
 * milliseconds after SIGTERM in which the server still accepts requests, so that none is lost on an idle connection. Each response
 * closes its connection.
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

  /** Stops accepting requests and lets running ones end, for at most `SHUTDOWN_SECONDS`. */
  async function drain(server: Server): Promise<void> {
    const { shutdownSeconds, production } = app.env;
    const deadline = performance.now() + shutdownSeconds * 1000;
    app.isStopping = true;
    // In development every change of the code restarts the server, so it does not wait.
    if (production) await sleep(Math.min(IDLE_GRACE_MS, shutdownSeconds * 250));
    server.close();
    while (running > 0 && performance.now() < deadline) await sleep(POLL_MS);
    if (running > 0) logWarning(`Stopped before all requests had ended: ${running} still running.`);
    server.closeAllConnections();
  }

  return { track, drain };
}
