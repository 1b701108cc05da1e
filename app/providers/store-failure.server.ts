import { S3ServiceException } from "@aws-sdk/client-s3";
import { AppError, type AppErrorCode, type AppErrorDetails, invalidRequest } from "../shared/app-error";
import { codeOf } from "../shared/error-text";
import { isCertificateError, isConnectionError, isSessionOver, statusOf } from "./connection-errors";

/** Why the store cannot be used, as the explorer distinguishes it. */
export const storeProblems = [
  "store_unreachable",
  "store_busy",
  "store_refused",
  "bucket_not_found",
  "clock_skewed",
  "cors_missing",
] as const;
export type StoreProblem = (typeof storeProblems)[number];

/** A failed call to the object store, explained to the operator of this service. */
export interface StoreFailure {
  kind: StoreFailureKind;
  /** one sentence; without the store's own message, which quotes keys */
  message: string;
  /** what to do; names the variable, command or permission */
  remedy: string;
  problem: StoreProblem;
  /** both sentences, for the log; with the store's own message if only that tells what was denied. The log redacts it. */
  advice: string;
}

type StoreFailureKind = keyof ReturnType<typeof sentencesOf>;

/** What the failed call was about. */
interface StoreCall {
  /** the bucket, if it was about one */
  bucket?: string | undefined;
  /** what a policy has to grant for it, like `s3:ListBucket` */
  permission?: string | undefined;
  /** the request contained a cursor */
  withCursor?: boolean | undefined;
}

/** Members that the SDK copies from the store's response into its errors. */
interface ThrownByStore {
  Region?: string;
  $response?: { headers?: Record<string, string> };
}

/** Error codes of S3 and compatible stores. Amazon S3 API Reference, "Error responses". */
const KINDS: Record<string, StoreFailureKind> = {
  SignatureDoesNotMatch: "signature",
  InvalidAccessKeyId: "access_key",
  InvalidToken: "access_key",
  CredentialsError: "no_credentials",
  AccessDenied: "access_denied",
  InternalError: "overloaded",
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
  ThrottlingException: "overloaded",
  RequestLimitExceeded: "overloaded",
};

const NAME_TAKEN: [code: AppErrorCode, message: string] = [
  "name_taken",
  "There is already a file with that name.",
];
/** For names that are found to be taken before the store refuses them. */
export const nameTaken = () => new AppError(...NAME_TAKEN);

const OBJECT_NOT_FOUND: [code: AppErrorCode, message: string] = [
  "not_found",
  "There is no such object in the store.",
];
export const objectNotFound = () => new AppError(...OBJECT_NOT_FOUND);

const UPLOAD_NOT_FOUND: [code: AppErrorCode, message: string] = [
  "upload_not_found",
  "This upload no longer exists. Start again.",
];
/** For stores that use another code. */
export const uploadNotFound = (details: AppErrorDetails) => new AppError(...UPLOAD_NOT_FOUND, details);

/** Refusals that the caller can act on. */
const REFUSALS: Record<string, [code: AppErrorCode, message: string]> = {
  PreconditionFailed: NAME_TAKEN,
  ConditionalRequestConflict: [
    "upload_conflict",
    "Another upload with that name finished first. Start again.",
  ],
  // A part was sent again after the parts had been listed.
  InvalidPart: [
    "upload_incomplete",
    "A part of the upload changed during completion. Send the request again.",
  ],
  NoSuchUpload: UPLOAD_NOT_FOUND,
  BadDigest: ["checksum_mismatch", "The store received other bytes than were sent. Start again."],
};

const PROBLEMS: Partial<Record<StoreFailureKind, StoreProblem>> = {
  unreachable: "store_unreachable",
  silent: "store_unreachable",
  certificate: "store_unreachable",
  overloaded: "store_busy",
  // A later request is signed with new ones.
  session: "store_busy",
  no_credentials: "store_busy",
  no_such_bucket: "bucket_not_found",
  clock: "clock_skewed",
};

/** Explains an error of the store; for requests, diagnosis, the doctor and commands. */
export function explainStoreFailure(error: unknown, call: StoreCall = {}): StoreFailure {
  const kind = kindOf(error);
  const [message, remedy] = sentencesOf(error, call)[kind];
  const hasMore = (kind === "access_denied" || kind === "other") && error instanceof Error && error.message;
  const advice = `${message} ${remedy}${hasMore ? ` The store says: ${error.message}` : ""}`;
  return { kind, message, remedy, problem: PROBLEMS[kind] ?? "store_refused", advice };
}

/** For each kind of failure what happened, and what to do. */
function sentencesOf(error: unknown, { permission, bucket }: StoreCall) {
  const thrown = Object(error) as ThrownByStore;
  const code = error instanceof Error ? error.name : "unknown";
  const status = statusOf(error);
  const where = bucket === undefined ? "CLOUD_S3_ENDPOINT and CLOUD_REGION" : `the bucket ${bucket}`;
  const region = thrown.Region ?? thrown.$response?.headers?.["x-amz-bucket-region"];
  return {
    unreachable: [
      `The object store cannot be reached (${codeOf(error) || code}).`,
      "Check CLOUD_S3_ENDPOINT (unset means Amazon S3 in CLOUD_REGION), DNS and the firewall between here and there.",
    ],
    silent: [
      "The object store accepts the connection, but does not respond in time.",
      "Check that CLOUD_S3_ENDPOINT names the store itself, and that no firewall or proxy swallows the traffic.",
    ],
    certificate: [
      `The object store's TLS certificate is not trusted (${codeOf(error) || code}).`,
      "Give the store a valid certificate for the host in CLOUD_S3_ENDPOINT, or name its authority in NODE_EXTRA_CA_CERTS.",
    ],
    signature: [
      `The object store refuses the signature (${code}).`,
      "Set CLOUD_SECRET_ACCESS_KEY to the secret of the key in CLOUD_ACCESS_KEY_ID. The current value belongs to another key, or is truncated.",
    ],
    access_key: [
      `The object store does not know the access key (${code}).`,
      "Set CLOUD_ACCESS_KEY_ID (and CLOUD_SECRET_ACCESS_KEY with it) to a key that exists and is active. A key that begins with ASIA also needs its CLOUD_SESSION_TOKEN.",
    ],
    session: [
      `The session of the temporary credentials is over (${code}).`,
      "With CLOUD_CREDENTIALS=default they are renewed, so synchronize this machine's clock (NTP), and run this again. Otherwise set CLOUD_ACCESS_KEY_ID, CLOUD_SECRET_ACCESS_KEY and CLOUD_SESSION_TOKEN to a session that has not ended, or to a key without one.",
    ],
    no_credentials: [
      "There are no valid credentials for the object store.",
      "npm run doctor -- --only credentials says why.",
    ],
    access_denied: [
      `The credentials may not do this (${code}).`,
      `Grant ${permission ?? "what is missing"} on ${bucket === undefined ? "the buckets" : where} to the role, or to the key in CLOUD_ACCESS_KEY_ID (npm run doctor -- --policy prints the policy).`,
    ],
    no_such_bucket: [
      `The object store has no bucket ${bucket ?? "of that name"} (${code}).`,
      "Create the bucket, or correct its name in the embed client's allowed_scopes (npm run client -- list shows it).",
    ],
    region: [
      `The region is wrong${region ? `: the store says ${region}` : ""} (${code}, status ${status}).`,
      `Set CLOUD_REGION to ${region ? `${region}, ` : ""}the region of ${bucket === undefined ? "the store" : where}.`,
    ],
    clock: [
      `According to the object store, this machine's clock is wrong (${code}).`,
      "Synchronize this machine's clock (NTP): the store refuses signatures that are 15 minutes off.",
    ],
    not_offered: [
      `The object store does not offer this by its S3 interface (status ${status}).`,
      "Look for it in the store's own settings.",
    ],
    overloaded: [
      `The object store asks for a pause (${code}).`,
      "Try again in a moment; if it happens again, check the store's limits.",
    ],
    no_store: [
      `The server at this address is not an S3 store (status ${status}).`,
      "Set CLOUD_S3_ENDPOINT to the S3 address of the store (not its console); " +
        "CLOUD_S3_FORCE_PATH_STYLE=true where the bucket belongs in the path.",
    ],
    other: [
      `The object store refused the request (${code}${status === undefined ? "" : `, status ${status}`}).`,
      "Look up that code in the store's documentation.",
    ],
  } satisfies Record<string, [message: string, remedy: string]>;
}

function kindOf(error: unknown): StoreFailureKind {
  const name = error instanceof Error ? error.name : "";
  const known = KINDS[name];
  if (known !== undefined) return known;
  if (isSessionOver(error)) return "session";
  if (isConnectionError(error)) return "unreachable";
  if (isCertificateError(error)) return "certificate";
  if (name === "AbortError" || name === "TimeoutError") return "silent";
  const status = statusOf(error);
  if (status === undefined) return "unreachable";
  // The response to a HEAD has no body that could contain a code.
  if (status === 401 || status === 403) return "access_denied";
  if (status === 501 || status === 405) return "not_offered";
  if (status >= 500 || status === 429) return "overloaded";
  if (status === 301 || status === 307) return "region";
  // The response is not an error document of S3.
  const isDocument = /^[A-Z]\w+$/.test(name) && !/Error$|^Unknown/.test(name);
  return isDocument ? "other" : "no_store";
}

/** What a caller reads of a store that a later attempt may reach. */
function unavailableMessage(kind: StoreFailureKind, problem: StoreProblem): string {
  if (kind === "overloaded") return "The object store asks for a pause. Try again in a moment.";
  if (problem === "store_busy") return "The object store cannot be used. Try again in a moment.";
  return "The object store cannot be reached. Try again in a moment.";
}

/** The error for callers. It never contains the store's message, which may name other customers' objects. */
export function toAppError(error: unknown, call: StoreCall): AppError {
  const { kind, problem, advice } = explainStoreFailure(error, call);
  const details = { cause: error, logDetail: advice };
  // A response that does not come from S3 is not a refusal.
  if (problem === "store_unreachable" || problem === "store_busy" || !(error instanceof S3ServiceException)) {
    return new AppError("unavailable", unavailableMessage(kind, problem), {
      ...details,
      retryAfterSeconds: 5,
    });
  }
  if (problem === "bucket_not_found") {
    return new AppError("bucket_not_found", "The bucket does not exist in the object store.", details);
  }
  const refusal = REFUSALS[error.name];
  if (refusal !== undefined) return new AppError(...refusal, details);
  if (error.name === "NotFound" || error.name === "NoSuchKey") {
    return new AppError(...OBJECT_NOT_FOUND, details);
  }
  if (kind === "not_offered") {
    const message =
      "The object store does not offer this by its S3 interface; look for it in its own settings.";
    return new AppError("provider_failed", message, details);
  }
  if (call.withCursor && error.name === "InvalidArgument") {
    const message = "is not a cursor of this listing; start again without one";
    return invalidRequest([{ path: "cursor", message }], details);
  }
  return new AppError("provider_failed", "The object store refused the request.", details);
}
