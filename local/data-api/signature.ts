/** Checks the signature in a request's `Authorization` header, with the errors of AWS's JSON services. */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import {
  ALGORITHM,
  type Credentials,
  findSecret,
  isSignatureValid,
  parseAuthorization,
  parseCredential,
  parseLongDate,
} from "../sigv4";
import { DataApiError } from "./errors";

const MAX_CLOCK_SKEW_MS = 5 * 60_000;

/** @throws DataApiError as AWS responds */
export function authenticate(request: IncomingMessage, body: Buffer, credentials: Credentials): void {
  const { headers, method = "", url = "" } = request;
  if (!headers.authorization) {
    throw new DataApiError("MissingAuthenticationTokenException", "Missing Authentication Token");
  }
  const sent = parseAuthorization(headers.authorization);
  const credential = parseCredential(sent?.credential ?? "");
  if (sent?.algorithm !== ALGORITHM || !credential) {
    throw new DataApiError("IncompleteSignatureException", "The Authorization header is malformed.");
  }
  const sessionToken = headers["x-amz-security-token"];
  const { accessKeyId } = credential;
  const found = findSecret(
    credentials,
    { accessKeyId, sessionToken: typeof sessionToken === "string" ? sessionToken : undefined },
    Date.now(),
  );
  if (found === "expired") {
    throw new DataApiError("ExpiredTokenException", "The security token included in the request is expired.");
  }
  if (typeof found !== "object") {
    throw new DataApiError(
      "UnrecognizedClientException",
      "The security token included in the request is invalid.",
    );
  }
  const longDate = String(headers["x-amz-date"]);
  const signedAt = parseLongDate(longDate) ?? 0;
  if (Math.abs(Date.now() - signedAt) > MAX_CLOCK_SKEW_MS) {
    throw new DataApiError("InvalidSignatureException", "Signature expired.");
  }
  const signed = {
    method,
    path: url,
    query: new URLSearchParams(),
    headers,
    longDate,
    // Always of the received body, not from a header.
    payloadHash: createHash("sha256").update(body).digest("hex"),
  };
  const isValid =
    credential.service === "rds-data" &&
    longDate.startsWith(`${credential.shortDate}T`) &&
    isSignatureValid(signed, sent, credential, found.secretAccessKey);
  if (!isValid) {
    throw new DataApiError(
      "InvalidSignatureException",
      "The request signature we calculated does not match the signature you provided.",
    );
  }
}
