import { AppError, type AppErrorCode } from "../app-error";

/** No later delivery of the same job can come out otherwise. */
const permanentErrors: ReadonlySet<AppErrorCode> = new Set([
  "invalid_request",
  "body_too_large",
  "email_refused",
]);

/** Tells the queue not to deliver a job again that can never succeed: 489 with this header is how QStash takes it. */
export function refuseForGood(error: AppError): AppError {
  if (!permanentErrors.has(error.code)) return error;
  const { message, issues, logDetail } = error;
  const headers = { "Upstash-NonRetryable-Error": "true" };
  return new AppError("job_refused", message, { cause: error, headers, issues, logDetail });
}
