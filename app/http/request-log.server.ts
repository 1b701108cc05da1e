import { type AppError, errorCodes } from "../app-error";
import { redact, writeLog } from "../log.server";
import type { RequestContext } from "../request-context.server";

/** How a request ended. */
interface Outcome {
  status: number;
  failure?: AppError | undefined;
}

/** What is logged for a request whose client went away before it could be answered: nobody was sent it. nginx's number. */
export const CLIENT_GONE = 499;

/** Does `work`, and writes the request's line. What is thrown because the client went away is no failure of ours. */
export async function logged<Result>(
  request: Request,
  context: RequestContext,
  work: () => Promise<Outcome & { result: Result }>,
): Promise<Result> {
  const started = performance.now();
  const { result, status, failure } = await work();
  const outcome = request.signal.aborted ? { status: CLIENT_GONE } : { status, failure };
  logRequest(context, { ...outcome, method: request.method, milliseconds: performance.now() - started });
  return result;
}

/**
 * One line for each request. Never a header, a body or a query, and of the path only which of our addresses it is: that is
 * where tokens, keys and signatures are, and what is no address of ours may hold one in any shape.
 */
export function logRequest(
  { requestId, address }: Pick<RequestContext, "requestId" | "address">,
  entry: Outcome & { method: string; milliseconds: number },
): void {
  const { failure, status } = entry;
  const milliseconds = Math.round(entry.milliseconds * 10) / 10;
  const method = entry.method.slice(0, 16);
  const code = failure?.code;
  const detail = failure?.logDetail && redact(failure.logDetail);
  // Where a defect of ours was thrown.
  const defect = code === "internal" && failure?.cause instanceof Error ? failure.cause.stack : undefined;
  const stack = defect && redact(defect);
  const isOurs = code !== undefined && errorCodes[code].status >= 500;
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
