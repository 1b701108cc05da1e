import type { Socket } from "node:net";
import type { RequestHandler } from "express";

/** Requests of one connection that may wait for their turn. Browsers and proxies do not send the next one before the response. */
const MAX_WAITING = 10;

/**
 * Middleware: handles the requests of one connection one after the other. Node would handle all that have arrived at once, thousands of
 * them. It tells only the first of these that the caller has gone, so the others would keep their files open for ever. RFC 9112, section 9.3.2
 */
export function handleInTurn(): RequestHandler {
  /** by connection, while one of its requests is handled: what begins those behind it */
  const queues = new WeakMap<Socket, (() => void)[]>();
  return ({ socket }, response, next) => {
    const queue = queues.get(socket) ?? [];
    const begin = () => {
      response.once("close", () => {
        const following = queue.shift();
        if (following === undefined) queues.delete(socket);
        // A response that closes its connection leaves none for those behind it.
        else if (!socket.destroyed && !socket.writableEnded) following();
      });
      next();
    };
    if (!queues.has(socket)) {
      queues.set(socket, queue);
      begin();
    } else if (queue.length < MAX_WAITING) queue.push(begin);
    else socket.destroy();
  };
}
