import type { RequestHandler } from "express";
import onHeaders from "on-headers";

/** milliseconds for which a caller may take nothing of a response; Node may notice that only after twice as long */
const STALL_MS = 60_000;

/**
 * Middleware: closes the connection of a caller who does not read the response. Node would keep it for ever, with the file that is sent.
 * @param stallMs milliseconds
 */
export function closeStalledResponses(stallMs = STALL_MS): RequestHandler {
  return (_request, response, next) => {
    // A request that has waited behind another one finds the limit of that one's response.
    response.socket?.setTimeout(0);
    // Not before: while a request is handled nothing is sent either, and that may take two minutes.
    onHeaders(response, () => response.setTimeout(stallMs));
    next();
  };
}
