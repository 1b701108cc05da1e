/** What a failed call to the object store means to whoever operates this service, and what they can do about it. */
export interface StoreFailure {
  kind: StoreFailureKind;
  /** a sentence without a secret; the store's own message is not in it, because it quotes keys */
  message: string;
  /** what to do, naming the variable, command or permission */
  remedy: string;
}

export type StoreFailureKind =
  | "unreachable"
  | "silent"
  | "certificate"
  | "signature"
  | "access_key"
  | "session"
  | "access_denied"
  | "no_such_bucket"
  | "region"
  | "clock"
  | "not_offered"
  | "overloaded"
  | "no_store"
  | "other";

/** What the SDK's errors have, and what it copies from the store's document into them. */
interface ThrownByStore {
  name?: string;
  code?: string;
  Region?: string;
  $metadata?: { httpStatusCode?: number };
  $response?: { statusCode?: number; headers?: Record<string, string> };
}

/** Codes by which S3 and compatible stores say the same. Amazon S3 API Reference, "Error responses". */
const KINDS: Record<string, StoreFailureKind> = {
  SignatureDoesNotMatch: "signature",
  InvalidAccessKeyId: "access_key",
  InvalidToken: "session",
  ExpiredToken: "session",
  AccessDenied: "access_denied",
  AllAccessDisabled: "access_denied",
  AccountProblem: "access_denied",
  NoSuchBucket: "no_such_bucket",
  PermanentRedirect: "region",
  TemporaryRedirect: "region",
  AuthorizationHeaderMalformed: "region",
  AuthorizationQueryParametersError: "region",
  IllegalLocationConstraintException: "region",
  RequestTimeTooSkewed: "clock",
  NotImplemented: "not_offered",
  MethodNotAllowed: "not_offered",
  SlowDown: "overloaded",
  ServiceUnavailable: "overloaded",
};

/**
 * @param permission what the call takes, like `s3:ListBucket`
 * @param bucket what was asked about, if it was a bucket
 */
export function explainStoreFailure(
  error: unknown,
  { permission, bucket }: { permission?: string; bucket?: string } = {},
): StoreFailure {
  const thrown: ThrownByStore = typeof error === "object" && error !== null ? error : {};
  const kind = kindOf(thrown);
  const code = thrown.name ?? "unknown";
  const status = statusOf(thrown);
  const where = bucket === undefined ? "CLOUD_S3_ENDPOINT and CLOUD_REGION" : `the bucket ${bucket}`;
  const region = thrown.Region ?? thrown.$response?.headers?.["x-amz-bucket-region"];
  const sentences: Record<StoreFailureKind, [message: string, remedy: string]> = {
    unreachable: [
      `The object store cannot be reached (${thrown.code ?? code}).`,
      "Check CLOUD_S3_ENDPOINT (unset means Amazon S3 in CLOUD_REGION), DNS and the firewall between here and there.",
    ],
    silent: [
      "The object store takes the connection, but does not answer in time.",
      "Check that CLOUD_S3_ENDPOINT names the store itself, and that no firewall or proxy swallows the traffic.",
    ],
    certificate: [
      `The object store's TLS certificate is not trusted (${thrown.code ?? code}).`,
      "Give the store a valid certificate for the host in CLOUD_S3_ENDPOINT, or name its authority in NODE_EXTRA_CA_CERTS.",
    ],
    signature: [
      `The object store refuses the signature (${code}).`,
      "Set CLOUD_SECRET_ACCESS_KEY to the secret of the key in CLOUD_ACCESS_KEY_ID: it is another one, or was cut off.",
    ],
    access_key: [
      `The object store does not know the access key (${code}).`,
      "Set CLOUD_ACCESS_KEY_ID (and CLOUD_SECRET_ACCESS_KEY with it) to a key that exists and is active.",
    ],
    session: [
      `The object store refuses the credentials as a session's (${code}).`,
      "Set CLOUD_ACCESS_KEY_ID and CLOUD_SECRET_ACCESS_KEY to a long-lived key; temporary ones are not supported.",
    ],
    access_denied: [
      `The access key may not do this (${code}).`,
      `Grant ${permission ?? "what is missing"} on ${bucket === undefined ? "the buckets" : where} to the key in CLOUD_ACCESS_KEY_ID.`,
    ],
    no_such_bucket: [
      `The object store has no bucket ${bucket ?? "of that name"} (${code}).`,
      "Create the bucket, or correct its name in the embed client's policy (npm run client -- list shows it).",
    ],
    region: [
      `The region is wrong${region ? `: the store says ${region}` : ""} (${code}, status ${status}).`,
      `Set CLOUD_REGION to the region of ${where}${region ? `: ${region}` : ""}.`,
    ],
    clock: [
      `The object store says that this machine's clock is wrong (${code}).`,
      "Synchronise this machine's clock (NTP): the store refuses signatures that are 15 minutes off.",
    ],
    not_offered: [
      `The object store does not offer this by its S3 interface (status ${status}).`,
      "Look for it in the store's own settings.",
    ],
    overloaded: [
      `The object store asks for a pause (${code}).`,
      "Try again in a moment; if it stays so, look at the store's limits.",
    ],
    no_store: [
      `What answers is no S3 store (status ${status}).`,
      "Set CLOUD_S3_ENDPOINT to the S3 address of the store (not its console); CLOUD_S3_FORCE_PATH_STYLE=true where the bucket belongs in the path.",
    ],
    other: [
      `The object store refused the request (${code}${status === undefined ? "" : `, status ${status}`}).`,
      "Look up that code in the store's documentation.",
    ],
  };
  const [message, remedy] = sentences[kind];
  return { kind, message, remedy };
}

const UNREACHABLE = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE)$/;
/** Node's and OpenSSL's codes for a certificate that does not verify. */
const CERTIFICATE = /^(CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function kindOf(thrown: ThrownByStore): StoreFailureKind {
  const { name = "", code = "" } = thrown;
  const known = KINDS[name];
  if (known !== undefined) return known;
  if (UNREACHABLE.test(code)) return "unreachable";
  if (CERTIFICATE.test(code)) return "certificate";
  if (name === "AbortError" || name === "TimeoutError") return "silent";
  const status = statusOf(thrown);
  if (status === 501 || status === 405) return "not_offered";
  if (status === 503) return "overloaded";
  if (status === 301 || status === 307) return "region";
  // An answer, but not one of the documents that S3 answers with.
  const isDocument = /^[A-Z]\w+$/.test(name) && !/Error$|^Unknown/.test(name);
  return status !== undefined && !isDocument ? "no_store" : "other";
}

function statusOf({ $metadata, $response }: ThrownByStore): number | undefined {
  return $metadata?.httpStatusCode ?? $response?.statusCode;
}
