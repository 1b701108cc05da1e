import { AppError } from "../shared/app-error";
import { codeOf, messageOf } from "../shared/error-text";

/** Node's error codes for a server that was not reached. */
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);
/** Error codes for a connection that broke or stayed silent: the request may have arrived. */
const BROKEN = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT"]);
/** Error codes of Node and OpenSSL for a certificate that cannot be verified. */
const CERTIFICATE = /^(CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** There are no valid credentials to sign a call with: nothing was sent, and a later attempt may succeed. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";

  /** @param cause why there are none */
  constructor(cause: unknown) {
    super(`no valid credentials: ${messageOf(cause)}`, { cause });
  }
}

/** Error codes for a session that has ended, or that the provider does not know yet: the next credentials may be accepted. */
const SESSION_CODES = new Set(["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"]);

/** Whether a call was refused because its temporary credentials had ended. It changed nothing. */
export const isSessionOver = (error: unknown): boolean => SESSION_CODES.has(responseCodeOf(error));

/** Whether a call failed before it was sent, so that it cannot have changed anything. */
export function wasNeverSent(error: unknown): boolean {
  if (error instanceof CredentialsError) return true;
  // The AWS SDK's connection time-out has no code.
  return NOT_SENT.has(codeOf(error)) || /establish a connection/i.test(messageOf(error));
}

/** Whether a call failed because of the connection, before or after it was sent. */
export function isConnectionError(error: unknown): boolean {
  return wasNeverSent(error) || BROKEN.has(codeOf(error));
}

/** What the AWS SDK threw: the error itself, or the cause of an AppError. */
const sdkErrorOf = (error: unknown) => (error instanceof AppError ? error.cause : error);

/** The HTTP status behind an error of the AWS SDK; undefined if there was no response. */
export function statusOf(error: unknown): number | undefined {
  const { $metadata, $response } = Object(sdkErrorOf(error)) as {
    $metadata?: { httpStatusCode?: number };
    $response?: { statusCode?: number };
  };
  return $metadata?.httpStatusCode ?? $response?.statusCode;
}

/** The error code in the response behind an error of the AWS SDK, such as `NoSuchKey`; the SDK makes it the error's name. */
export function responseCodeOf(error: unknown): string {
  const sdkError = sdkErrorOf(error);
  return sdkError instanceof Error ? sdkError.name : "";
}

/** For `catch`: returns `value` in place of an error with this code, such as `NoSuchBucketPolicy`; any other error is thrown again. */
export function insteadOf<Value>(code: string, value: Value) {
  return (error: unknown): Value => {
    if (responseCodeOf(error) === code) return value;
    throw error;
  };
}

export function isCertificateError(error: unknown): boolean {
  return CERTIFICATE.test(codeOf(error));
}

/** Whether the SDK had sent the request before, without a response: the call that failed may then have succeeded. */
export function wasRepeated(error: unknown): boolean {
  const { $metadata } = Object(sdkErrorOf(error)) as { $metadata?: { attempts?: number } };
  return ($metadata?.attempts ?? 1) > 1;
}
