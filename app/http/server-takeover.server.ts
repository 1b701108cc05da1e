import cluster from "node:cluster";
import diagnosticsChannel from "node:diagnostics_channel";
import { Server as HttpServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Env } from "../env.server";
import { logError, writeLog } from "../log.server";
import { enterFrontDoor, METHODS } from "./front-door.server";
import { endWithParent, giveSignsOfLife } from "./heartbeat.server";

/** milliseconds; longer than the idle time of the usual load balancers (60 s), so that they close first and never meet a closed one */
const KEEP_ALIVE_MS = 65_000;
/** milliseconds in which a request's headers, and all of it, have to arrive */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 30_000;
/**
 * Whichever of several processes is free takes the next connection, so a proxy's may not stay with one for ever. Not Node's
 * `maxRequestsPerSocket`, which says that it closes, does not, and answers what comes after without a body.
 */
const REQUESTS_PER_CONNECTION = cluster.isWorker ? 100 : Number.POSITIVE_INFINITY;
/**
 * milliseconds for which idle connections stay open after SIGTERM: a request that is on its way on one of them is still
 * answered, with word to come back on another.
 */
const IDLE_GRACE_MS = 1_000;
/**
 * milliseconds in which several processes have all let go of the port that they share. Whoever is told sooner to come back on
 * another connection gets one that nobody takes any more.
 */
const LETTING_GO_MS = cluster.isWorker ? 250 : 0;

/** One for the process: `remix dev` evaluates this module again on every change, on the same server. */
const holder = globalThis as { [owner]?: { settings: Settings; servers: WeakSet<HttpServer> } };
const owner = Symbol.for("platform-embed.server-takeover");

interface Settings {
  env: Pick<Env, "trustProxy" | "production" | "shutdownSeconds">;
  /** ends what else the process has open, such as database connections; called once, at the end */
  close: () => Promise<void>;
}

let isStopping = false;
/** from when on connections end with their next response */
let isLeaving = false;

/** Whether the process has been asked to stop: then a load balancer should send requests elsewhere. */
export function isShuttingDown(): boolean {
  return isStopping;
}

/**
 * Takes charge of the server that `remix-serve` is about to make, which gives no other way to reach it: Node's diagnostics
 * channel hands it over as it begins to listen. From then on every request passes the front door first, what is no HTTP
 * is answered in our shape, and stopping is ours. docs/decisions/0050.
 */
export function takeOverServer(settings: Settings): void {
  if (holder[owner] !== undefined) {
    holder[owner].settings = settings;
    return;
  }
  const own = { settings, servers: new WeakSet<HttpServer>() };
  holder[owner] = own;
  const adopt = (message: unknown) => {
    const server = (message as { server?: unknown }).server;
    if (!(server instanceof HttpServer) || own.servers.has(server)) return;
    own.servers.add(server);
    adoptServer(server, () => own.settings);
  };
  diagnosticsChannel.subscribe("tracing:net.server.listen:asyncStart", adopt);
}

function adoptServer(server: HttpServer, settings: () => Settings): void {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  if (cluster.isWorker) {
    giveSignsOfLife();
    endWithParent();
  }
  // Node would answer a request without Host, or with an unknown Expect, with an empty body; we answer those as all others.
  Reflect.set(server, "requireHostHeader", false);

  const connections = new Connections();
  const listeners = server.listeners("request") as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[];
  server.removeAllListeners("request");
  const enter = (request: IncomingMessage, response: ServerResponse) => {
    const isFull = connections.begin(request, response) >= REQUESTS_PER_CONNECTION;
    const isLast = () => (isFull && !isBodyComing(request)) || isLeaving;
    enterFrontDoor(request, response, settings().env, isLast, () => {
      for (const listener of listeners) listener.call(server, request, response);
    });
  };
  server.on("request", enter);
  server.on("checkExpectation", enter);
  // Node would close the connection without a word.
  server.on("connect", (_request, socket: Socket) => socket.end(responseToNoRequest("CONNECT")));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable || connections.isAnswering(socket)) socket.destroy();
    else socket.end(responseToNoRequest(error.code));
  });

  // What remix-serve calls on SIGTERM and SIGINT.
  server.close = () => {
    void stop(server, connections, settings());
    return server;
  };
}

/** The requests under way, and which connection each is on. */
class Connections {
  activeCount = 0;
  readonly #begun = new WeakMap<Socket, number>();
  readonly #answering = new WeakMap<Socket, number>();
  #whenIdle: (() => void) | undefined;

  /** @returns the how manieth request on its connection this is */
  begin({ socket }: IncomingMessage, response: ServerResponse): number {
    this.#count(socket, 1);
    response.once("close", () => {
      this.#count(socket, -1);
      if (this.activeCount === 0) this.#whenIdle?.();
    });
    const begun = (this.#begun.get(socket) ?? 0) + 1;
    this.#begun.set(socket, begun);
    return begun;
  }

  #count(socket: Socket, change: 1 | -1): void {
    this.activeCount += change;
    this.#answering.set(socket, (this.#answering.get(socket) ?? 0) + change);
  }

  isAnswering(socket: Socket): boolean {
    return (this.#answering.get(socket) ?? 0) > 0;
  }

  /** resolves when no request is under way */
  async idle(): Promise<void> {
    if (this.activeCount === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
  }
}

/**
 * Stops listening, lets running requests end, and exits: at the latest after `SHUTDOWN_SECONDS`, whatever the clients do.
 */
async function stop(server: HttpServer, connections: Connections, { env, close }: Settings): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  const deadline = sleep(env.shutdownSeconds * 1000, "late" as const);
  // Not Node's own `close` of an HTTP server: that would cut idle connections at once, with requests on their way.
  NetServer.prototype.close.call(server);
  await sleep(LETTING_GO_MS);
  isLeaving = true;
  const ended = (async () => {
    // Not in development, where every change of the code restarts the process.
    if (env.production) await sleep(Math.min(IDLE_GRACE_MS, env.shutdownSeconds * 250));
    await connections.idle();
    return "ended" as const;
  })();
  if ((await Promise.race([ended, deadline])) === "late") {
    const left = connections.activeCount;
    writeLog(
      "warn",
      { message: "Stopped before all requests had ended.", left },
      () => `Stopped with ${left} requests open.`,
    );
  }
  server.closeAllConnections();
  await Promise.race([close(), sleep(1_000)]).catch((error: unknown) =>
    logError("Closing failed.", { thrown: error }),
  );
  process.exit(0);
}

/** Whether a response that ends the connection would cut off a caller who is still sending, and does not read yet. */
function isBodyComing({ complete, headers }: IncomingMessage): boolean {
  return (
    !complete && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0)
  );
}

/** What is sent to a client whose bytes are no HTTP request, as RFC 9112 has it; the connection ends with it. */
function responseToNoRequest(code: string | undefined): string {
  const [status, error] =
    code === "HPE_HEADER_OVERFLOW"
      ? [431, "The request's headers are too large."]
      : code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? [408, "The request did not arrive in time."]
        : code === "CONNECT"
          ? [405, "This method is not supported."]
          : [400, "This is not a valid HTTP request."];
  const body = JSON.stringify({ error, ...(status === 400 ? { code: "invalid_request" } : {}) });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    `X-Request-Id: ${crypto.randomUUID()}`,
    ...(status === 405 ? [`Allow: ${METHODS.join(", ")}`] : []),
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
