/** What is common to failures of Amazon's services but S3, and of what speaks their APIs. */
export interface ProviderFailure {
  kind: "unreachable" | "credentials" | "clock" | "denied" | "unknown_operation" | "other";
  /** Amazon's code, or Node's */
  code: string;
}

const KINDS: Record<string, ProviderFailure["kind"]> = {
  InvalidSignatureException: "credentials",
  SignatureDoesNotMatch: "credentials",
  UnrecognizedClientException: "credentials",
  InvalidClientTokenId: "credentials",
  InvalidAccessKeyId: "credentials",
  IncompleteSignature: "credentials",
  IncompleteSignatureException: "credentials",
  MissingAuthenticationTokenException: "credentials",
  RequestExpired: "clock",
  RequestTimeTooSkewed: "clock",
  AccessDeniedException: "denied",
  AccessDenied: "denied",
  UnknownOperationException: "unknown_operation",
};

export function readProviderFailure(error: unknown): ProviderFailure {
  const thrown = typeof error === "object" && error !== null ? error : {};
  const name = "name" in thrown ? String(thrown.name) : "unknown";
  const message = "message" in thrown ? String(thrown.message) : "";
  if (/signature expired|signature not yet current/i.test(message)) return { kind: "clock", code: name };
  const known = KINDS[name];
  if (known !== undefined) return { kind: known, code: name };
  if (!hasStatus(thrown)) {
    return {
      kind: "unreachable",
      code: "code" in thrown && typeof thrown.code === "string" ? thrown.code : name,
    };
  }
  return { kind: "other", code: name };
}

/** Whether there was a response at all. */
function hasStatus(thrown: object): boolean {
  const metadata = "$metadata" in thrown ? thrown.$metadata : undefined;
  return typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata
    ? metadata.httpStatusCode !== undefined
    : false;
}

export const CREDENTIALS_REMEDY =
  "Set CLOUD_ACCESS_KEY_ID and CLOUD_SECRET_ACCESS_KEY to a pair that is active and belongs together.";
export const CLOCK_REMEDY = "Synchronise this machine's clock (NTP: timedatectl set-ntp true).";
