/** Checks AWS Signature Version 4 in a request's `Authorization` header. AWS IAM user guide, "Signature Version 4". */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { SignatureV4 } from "@smithy/signature-v4";
import { Sha256 } from "../object-store/authenticate";
import { DataApiError } from "./errors";

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/** A signature is good for so long, in milliseconds, before and after. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
const FORM =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/([^/,]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** @throws DataApiError as AWS answers */
export async function verifySignature(
  request: IncomingMessage,
  body: Buffer,
  credentials: Credentials,
): Promise<void> {
  const { authorization } = request.headers;
  if (!authorization) {
    throw new DataApiError("MissingAuthenticationTokenException", "Missing Authentication Token");
  }
  const [, accessKeyId, , region = "", service, signedHeaders = "", signature = ""] =
    FORM.exec(authorization) ?? [];
  if (!accessKeyId) {
    throw new DataApiError("IncompleteSignatureException", "The Authorization header is malformed.");
  }
  if (accessKeyId !== credentials.accessKeyId) {
    throw new DataApiError(
      "UnrecognizedClientException",
      "The security token included in the request is invalid.",
    );
  }
  const signingDate = parseAmzDate(request.headers["x-amz-date"]);
  const mismatch = new DataApiError(
    "InvalidSignatureException",
    "The request signature we calculated does not match the signature you provided.",
  );
  if (service !== "rds-data" || !signingDate) throw mismatch;
  if (Math.abs(Date.now() - signingDate.getTime()) > CLOCK_TOLERANCE_MS) {
    throw new DataApiError("InvalidSignatureException", "Signature expired.");
  }
  const names = signedHeaders.split(";");
  // The body's hash is computed from the body that came: the signer would trust a header that has it.
  const copied = names.filter((name) => name !== "x-amz-content-sha256");
  const headers = Object.fromEntries(copied.map((name) => [name, String(request.headers[name] ?? "")]));
  const signer = new SignatureV4({
    service,
    region,
    credentials,
    sha256: Sha256,
    // Adds that header to what is signed.
    applyChecksum: names.length > copied.length,
  });
  const own = await signer.sign(
    {
      method: request.method ?? "",
      protocol: "http:",
      hostname: "",
      path: request.url ?? "",
      headers,
      body,
    },
    { signingDate, signableHeaders: new Set(names) },
  );
  const expected = Buffer.from(/Signature=([0-9a-f]+)/.exec(own.headers.authorization ?? "")?.[1] ?? "");
  const given = Buffer.from(signature);
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) throw mismatch;
}

/** `20261120T104500Z` */
function parseAmzDate(text: string | string[] | undefined): Date | undefined {
  const parts = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(String(text));
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second] = parts;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
