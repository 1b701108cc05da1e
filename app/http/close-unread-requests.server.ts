import type { RequestHandler } from "express";

/** milliseconds for which the rest of a request may arrive after its response */
const LINGER_MS = 2_000;

/**
 * Middleware: closes the connection of a request whose body still arrives some time after its response. Otherwise a caller who is refused
 * could keep sending until `requestTimeout`. It is not closed at once, because a caller who is still sending would then not see the response.
 * @param lingerMs milliseconds
 */
export function closeUnreadRequests(lingerMs = LINGER_MS): RequestHandler {
  return (request, response, next) => {
    response.once("finish", () => {
      if (request.complete) return;
      setTimeout(() => {
        if (!request.complete) request.socket.destroy();
      }, lingerMs).unref();
    });
    next();
  };
}
