import { codeOf, messageOf } from "../error-text";

/** Node's codes of a server that was never reached. */
const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);
/** Of a connection that broke, or on which nothing came: what was sent may have arrived. */
const BROKEN = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT"]);
/** Node's and OpenSSL's, of a certificate that does not verify. */
const CERTIFICATE = /^(CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** Whether a call failed before anything was sent: it certainly changed nothing. */
export function wasNeverSent(error: unknown): boolean {
  // The AWS SDK's own limit for connecting has no code.
  return NEVER_SENT.has(codeOf(error)) || /establish a connection/i.test(messageOf(error));
}

/** Whether a call failed on its way, there or back. */
export function isConnectionError(error: unknown): boolean {
  return wasNeverSent(error) || BROKEN.has(codeOf(error));
}

/** The status of the response that one of the AWS SDK's errors was made of; undefined where there was none. */
export function statusOf(error: unknown): number | undefined {
  const { $metadata, $response } = Object(error) as {
    $metadata?: { httpStatusCode?: number };
    $response?: { statusCode?: number };
  };
  return $metadata?.httpStatusCode ?? $response?.statusCode;
}

export function isCertificateError(error: unknown): boolean {
  return CERTIFICATE.test(codeOf(error));
}
