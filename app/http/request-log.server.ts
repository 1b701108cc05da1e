import { type AppError, errorCodes } from "../shared/app-error";
import { redact, writeLog } from "../shared/log.server";
import type { RequestContext } from "../shared/request-context.server";

interface Outcome {
  status: number;
  failure?: AppError | undefined;
}

/** The status that is logged for a request whose client went away before the response. nginx uses the same number. */
export const CLIENT_GONE = 499;

/** Does `work` and logs the request. What fails because the client went away is not logged as an error. */
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
 * Writes one line for a request. Headers, bodies, queries and paths may contain credentials, so none is logged; the matched route is logged
 * instead of the path.
 */
export function logRequest(
  { requestId, route }: Pick<RequestContext, "requestId" | "route">,
  entry: Outcome & { method: string; milliseconds: number },
): void {
  const { failure, status } = entry;
  const milliseconds = Math.round(entry.milliseconds * 10) / 10;
  const method = entry.method.slice(0, 16);
  const code = failure?.code;
  const detail = failure?.logDetail && redact(failure.logDetail);
  const defect = code === "internal" && failure?.cause instanceof Error ? failure.cause.stack : undefined;
  const stack = defect && redact(defect);
  const isOurs = code !== undefined && errorCodes[code].status >= 500;
  writeLog(
    isOurs ? "error" : "info",
    { requestId, method, route, status, milliseconds, code, detail, stack },
    () =>
      [
        `${method} ${route} ${status} ${milliseconds} ms ${code ?? ""}`.trimEnd(),
        ...(detail ? [` (${detail})`] : []),
        ...(stack ? [`\n${stack}`] : []),
      ].join(""),
  );
}
