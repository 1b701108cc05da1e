import { errorCodes } from "../app-error";
import { redact, writeLog } from "../log.server";
import type { RequestContext } from "../request-context.server";
import type { Failure } from "./failure.server";

export interface RequestLogEntry {
  method: string;
  status: number;
  milliseconds: number;
  /** why a page was refused */
  code?: string;
  failure?: Failure;
}

/**
 * One line for each request. Never a header, a body or a query, and of the path only which of our addresses it is: that is
 * where tokens, keys and signatures are, and what is no address of ours may hold one in any shape.
 */
export function logRequest({ requestId, address }: RequestContext, entry: RequestLogEntry): void {
  const { failure, status } = entry;
  const milliseconds = Math.round(entry.milliseconds * 10) / 10;
  const method = entry.method.slice(0, 16);
  const code = failure?.error.code ?? entry.code;
  const detail = failure?.error.logDetail === undefined ? undefined : redact(failure.error.logDetail);
  const stack = failure?.stack === undefined ? undefined : redact(failure.stack);
  const isOurs = failure !== undefined && errorCodes[failure.error.code].status >= 500;
  writeLog(
    isOurs ? "error" : "info",
    { requestId, method, path: address, status, milliseconds, code, detail, stack },
    () =>
      [
        `${method} ${address} ${status} ${milliseconds} ms ${code ?? ""}`.trimEnd(),
        ...(detail ? [` (${detail})`] : []),
        ...(stack ? [`\n${stack}`] : []),
      ].join(""),
  );
}

/** What is logged for a request whose client went away before it could be answered: nobody was sent it. nginx's number. */
export const CLIENT_GONE = 499;
