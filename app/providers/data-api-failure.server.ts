import { DatabaseResumingException, RDSDataServiceException } from "@aws-sdk/client-rds-data";
import { AppError } from "../app-error";
import { nameAndMessageOf } from "../error-text";
import { wasNeverSent } from "./connection-errors";

/** Errors of a Data API, or of its cluster, that is overloaded, asleep or away for a moment; before a statement is run. */
const BEFORE_RUNNING = ["DatabaseResumingException", "ThrottlingException", "TooManyRequestsException"];
/** The same, but nobody knows whether the statement was run. */
const PASSING = [
  "DatabaseUnavailableException",
  "InternalServerErrorException",
  "ServiceUnavailableError",
  "StatementTimeoutException",
];
/** How clusters of the first generation say that they sleep, or that the connection broke. */
const LINK_FAILURE = /communications link failure/i;
/**
 * SQLSTATE 42P04, or what a `CREATE DATABASE` meets that waited for another one of that name: the catalogue's unique index.
 * The Data API gives the state at the end of its message; clusters of the first generation give the sentence only.
 */
const DUPLICATE =
  /SQLState: 42P04|database ".*" already exists|unique constraint "pg_database_datname_index"/;

/** Whether the cluster has a database of the name that was to be created. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof RDSDataServiceException && DUPLICATE.test(error.message);
}

/** Whether a statement that failed so certainly changed nothing. */
export function wasNotRun(error: unknown): boolean {
  if (error instanceof RDSDataServiceException) {
    return BEFORE_RUNNING.includes(error.name) || !isPassing(error);
  }
  return wasNeverSent(error);
}

function isPassing(error: RDSDataServiceException): boolean {
  const isServerFault = (error.$metadata.httpStatusCode ?? 500) >= 500;
  const isNamed = BEFORE_RUNNING.includes(error.name) || PASSING.includes(error.name);
  return isNamed || isServerFault || LINK_FAILURE.test(error.message);
}

/** What the caller is told: never the cluster's own message, which may name what is not theirs. */
export function toAppError(error: unknown): AppError {
  const logDetail = `The Data API: ${nameAndMessageOf(error)} (npm run doctor -- --only clusters says what to mend)`;
  const details = { cause: error, logDetail };
  if (error instanceof RDSDataServiceException && !isPassing(error)) {
    return new AppError("provider_failed", "The database cluster refused the request.", details);
  }
  return new AppError("unavailable", "The database cluster cannot be reached. Try again in a moment.", {
    ...details,
    retryAfterSeconds: error instanceof DatabaseResumingException ? 15 : 5,
  });
}
