import { DatabaseResumingException, RDSDataServiceException } from "@aws-sdk/client-rds-data";
import { AppError } from "../shared/app-error";
import { nameAndMessageOf } from "../shared/error-text";
import { wasNeverSent } from "./connection-errors";

/** Temporary errors that occur before the statement is run: the Data API is overloaded, or its cluster is paused. */
const BEFORE_RUNNING = ["DatabaseResumingException", "ThrottlingException", "TooManyRequestsException"];
/** Temporary errors after which it is unknown whether the statement was run. */
const TEMPORARY = [
  "DatabaseUnavailableException",
  "InternalServerErrorException",
  "ServiceUnavailableError",
  "StatementTimeoutException",
];
/** How clusters of the first generation report that they are paused, or that the connection broke. */
const LINK_FAILURE = /communications link failure/i;
/**
 * SQLSTATE 42P04, or a violation of the catalogue's unique index when two statements create the same database at once. The Data API puts
 * the state at the end of its message; clusters of the first generation have the sentence only.
 */
const DUPLICATE =
  /SQLState: 42P04|database ".*" already exists|unique constraint "pg_database_datname_index"/;

/** Whether the database to create exists already. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof RDSDataServiceException && DUPLICATE.test(error.message);
}

/** Whether PostgreSQL refused the statement with this SQLSTATE, which the Data API puts at the end of its message. */
export function hasState(error: unknown, state: string): boolean {
  return error instanceof RDSDataServiceException && error.message.endsWith(`SQLState: ${state}`);
}

/** Whether another statement has changed the same entry of the catalogue at the same time. PostgreSQL has no SQLSTATE of its own for it. */
export const isConcurrentChange = (error: unknown): boolean =>
  error instanceof RDSDataServiceException && error.message.includes("tuple concurrently updated");

/** Whether a statement that failed with this error is known to have changed nothing. */
export function wasNotRun(error: unknown): boolean {
  if (error instanceof RDSDataServiceException) {
    return BEFORE_RUNNING.includes(error.name) || !isTemporary(error);
  }
  return wasNeverSent(error);
}

function isTemporary(error: RDSDataServiceException): boolean {
  const isServerFault = (error.$metadata.httpStatusCode ?? 500) >= 500;
  const isNamed = BEFORE_RUNNING.includes(error.name) || TEMPORARY.includes(error.name);
  return isNamed || isServerFault || LINK_FAILURE.test(error.message);
}

/** The error for callers. It never contains the cluster's message, which may name other customers' objects. */
export function toAppError(error: unknown): AppError {
  const logDetail = `The Data API: ${nameAndMessageOf(error)} (run npm run doctor -- --only clusters to find the cause)`;
  const details = { cause: error, logDetail };
  if (error instanceof RDSDataServiceException && !isTemporary(error)) {
    return new AppError("provider_failed", "The database cluster refused the request.", details);
  }
  return new AppError("unavailable", "The database cluster cannot be reached. Try again in a moment.", {
    ...details,
    retryAfterSeconds: error instanceof DatabaseResumingException ? 15 : 5,
  });
}
