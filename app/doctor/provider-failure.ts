import { codeOf, messageOf } from "../error-text";
import { statusOf } from "../providers/connection-errors";

/** What is common to failures of Amazon's services but S3, and of what speaks their APIs. */
export interface ProviderFailure {
  kind: "unreachable" | "credentials" | "clock" | "denied" | "other";
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
};

export function readProviderFailure(error: unknown): ProviderFailure {
  const name = error instanceof Error ? error.name : "unknown";
  if (/signature expired|signature not yet current/i.test(messageOf(error)))
    return { kind: "clock", code: name };
  // Without a status there was no response at all.
  const kind = KINDS[name] ?? (statusOf(error) === undefined ? "unreachable" : "other");
  return { kind, code: (kind === "unreachable" && codeOf(error)) || name };
}

export const CREDENTIALS_REMEDY =
  "Set CLOUD_ACCESS_KEY_ID and CLOUD_SECRET_ACCESS_KEY to a pair that is active and belongs together.";
export const CLOCK_REMEDY = "Synchronise this machine's clock (NTP: timedatectl set-ntp true).";
