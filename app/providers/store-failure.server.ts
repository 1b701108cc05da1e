import { S3ServiceException } from "@aws-sdk/client-s3";
import { AppError } from "../app-error";

/** What is wrong with the store, in words that a program can act on. */
export const storeProblems = [
  "store_unreachable",
  "store_busy",
  "store_refused",
  "bucket_not_found",
  "clock_skewed",
  "cors_missing",
] as const;
export type StoreProblem = (typeof storeProblems)[number];

/** What was being done when the store failed. */
export interface StoreCall {
  bucket: string;
  /** the permission it takes, in the words of a policy: `s3:ListBucket` */
  permission: string;
  /** a cursor was part of the request */
  withCursor?: boolean;
}

const overloaded = new Set(["SlowDown", "ServiceUnavailable", "ThrottlingException", "RequestLimitExceeded"]);
const wrongRegion = new Set([
  "AuthorizationHeaderMalformed",
  "PermanentRedirect",
  "IllegalLocationConstraintException",
]);

/** Which problem of the store `error` shows; null for a refusal of what was asked rather than of us. */
export function problemOf(error: unknown): StoreProblem | null {
  if (!(error instanceof S3ServiceException)) return "store_unreachable";
  const { name } = error;
  const status = error.$metadata.httpStatusCode;
  if (overloaded.has(name) || status === 503 || status === 429) return "store_busy";
  if (name === "NoSuchBucket") return "bucket_not_found";
  if (name === "RequestTimeTooSkewed") return "clock_skewed";
  if (status === 403 || status === 401 || wrongRegion.has(name)) return "store_refused";
  return null;
}

/** For the operator: what happened, and what to mend. Names variables and commands; never shown to an end user. */
export function adviceFor(error: unknown, { bucket, permission }: StoreCall): string {
  const reason = error instanceof Error ? error.name : String(error);
  switch (reason) {
    case "InvalidAccessKeyId":
      return "The object store refuses our credentials (InvalidAccessKeyId): it does not know the access key in CLOUD_ACCESS_KEY_ID.";
    case "SignatureDoesNotMatch":
      return "The object store refuses our credentials (SignatureDoesNotMatch): CLOUD_SECRET_ACCESS_KEY is not the secret of CLOUD_ACCESS_KEY_ID.";
    case "NoSuchBucket":
      return `The object store has no bucket ${bucket} (NoSuchBucket): create it, or correct the bucket in the embed client's allowed_scopes; CLOUD_S3_ENDPOINT and CLOUD_REGION say which store is asked.`;
    case "RequestTimeTooSkewed":
      return "The object store refuses our requests because the clocks differ (RequestTimeTooSkewed), and correcting for it did not help: synchronize this server's clock (NTP).";
    default:
  }
  if (!(error instanceof S3ServiceException)) {
    const detail = error instanceof Error ? `${error.name}: ${error.message}` : reason;
    return `The object store cannot be reached (${detail}): look at CLOUD_S3_ENDPOINT, the network between, and the store itself.`;
  }
  const status = error.$metadata.httpStatusCode;
  const detail = `${reason}, status ${status}: ${error.message}`;
  if (wrongRegion.has(reason)) {
    return `The object store refuses our requests for bucket ${bucket} (${detail}): CLOUD_REGION is not the region of this bucket.`;
  }
  if (status === 403 || status === 401) {
    return `The object store denies us bucket ${bucket} (${detail}): the access key in CLOUD_ACCESS_KEY_ID needs ${permission} there.`;
  }
  return `The object store did not do what was asked with bucket ${bucket} (${detail}).`;
}

/** What the caller is told of a failure of the store: never its own message, which may name what is not theirs. */
export function toAppError(error: unknown, call: StoreCall): AppError {
  const details = { cause: error, logDetail: adviceFor(error, call) };
  const problem = problemOf(error);
  if (problem === "store_unreachable" || problem === "store_busy") {
    const what = problem === "store_busy" ? "asks for a pause" : "cannot be reached";
    return new AppError("unavailable", `The object store ${what}. Try again in a moment.`, {
      ...details,
      retryAfterSeconds: 5,
    });
  }
  if (problem === "bucket_not_found") {
    return new AppError("bucket_not_found", "The bucket does not exist in the object store.", details);
  }
  if (error instanceof Error && (error.name === "NotFound" || error.name === "NoSuchKey")) {
    return new AppError("not_found", "There is no such object in the store.", details);
  }
  if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 501) {
    const message =
      "The object store does not offer this by its S3 interface; look for it in its own settings.";
    return new AppError("provider_failed", message, details);
  }
  if (call.withCursor && error instanceof Error && error.name === "InvalidArgument") {
    const message = "is not a cursor of this listing; start again without one";
    return new AppError("invalid_request", "The request does not fit.", {
      ...details,
      issues: [{ path: "cursor", message }],
    });
  }
  return new AppError("provider_failed", "The object store refused the request.", details);
}
