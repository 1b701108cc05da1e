import type { IncomingMessage, RequestListener, Server } from "node:http";

/** The names under which browsers reach this machine and no other. */
const LOCAL_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** Methods that change nothing here. */
const READING = ["GET", "HEAD"];

/**
 * Makes a server answer only to this machine's own names, and change something only for its own pages and for programs that are no
 * browsers. It listens on 127.0.0.1, but every site that the browser on this machine shows could otherwise send forms to it. A name
 * of that site that leads to 127.0.0.1 could even read the responses.
 *
 * The object store and the Data API need none of this: each request is signed with a secret, and `Host` is part of what is signed.
 * @returns the server
 */
export function refuseOtherSites<Given extends Server>(server: Given): Given {
  const [handle] = server.listeners("request") as RequestListener[];
  server.removeAllListeners("request");
  return server.on("request", (request, response) => {
    const reason = whyRefused(request);
    if (reason === undefined) return handle?.(request, response);
    request.resume();
    response.writeHead(403, { "Content-Type": "text/plain; charset=utf-8" }).end(`${reason}\n`);
  });
}

/** A sentence; undefined if the request is not refused. */
function whyRefused({ method = "", headers }: IncomingMessage): string | undefined {
  const { host = "", origin, "sec-fetch-site": site } = headers;
  if (!LOCAL_HOST.test(host)) return "This server has only the names 127.0.0.1 and localhost.";
  if (READING.includes(method)) return undefined;
  // Browsers that do not send the first header send the second one with every such request.
  const isOwn =
    site === undefined
      ? origin === undefined || origin === `http://${host}`
      : site === "same-origin" || site === "none";
  return isOwn ? undefined : "A page of another site may not change anything here.";
}
