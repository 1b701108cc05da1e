import { ok, type Verdict, warning, wrong } from "../../embed-element/doctor/report";
import { statusOf } from "../providers/connection-errors";
import { codeOf, messageOf } from "../shared/error-text";

/** A failure of Amazon's services other than S3, and of what speaks their APIs. */
interface ProviderFailure {
  kind: "unreachable" | "credentials" | "no_credentials" | "clock" | "denied" | "other";
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
  ExpiredToken: "credentials",
  ExpiredTokenException: "credentials",
  CredentialsError: "no_credentials",
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

const CLOCK_REMEDY = "Synchronize this machine's clock (NTP: timedatectl set-ntp true).";

/** What fails alike for every provider; undefined for the rest. @param endpoint the variables and settings behind its address */
export function explainCommonFailure(
  { kind, code }: ProviderFailure,
  { provider, endpoint }: { provider: string; endpoint: string },
): Verdict | undefined {
  switch (kind) {
    case "unreachable":
      return wrong(`${provider} cannot be reached (${code}).`, `Check ${endpoint}, DNS and the firewall.`);
    case "credentials":
      return wrong(
        `${provider} refuses the credentials (${code}).`,
        "With CLOUD_CREDENTIALS=default, look at the role (npm run doctor -- --only credentials). Otherwise set CLOUD_ACCESS_KEY_ID and CLOUD_SECRET_ACCESS_KEY to a pair that is active and belongs together.",
      );
    case "no_credentials":
      return wrong(
        `There are no valid credentials for ${provider}.`,
        "npm run doctor -- --only credentials says why.",
      );
    case "clock":
      return wrong(`${provider} says that this machine's clock is wrong (${code}).`, CLOCK_REMEDY);
    default:
      return undefined;
  }
}

/** Below it nothing goes wrong: presigned URLs and tokens are valid for minutes. */
const WARN_SKEW_MS = 60_000;
/** The lifetime of a presigned URL: a clock that is as far behind signs URLs that have expired. */
const MAX_SKEW_MS = 5 * 60_000;

/** @param aheadMs how far the other clock is ahead of this machine's, milliseconds */
export function judgeClock(whose: string, aheadMs: number): Verdict {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const difference = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
  const direction = aheadMs > 0 ? "behind" : "ahead of";
  const message = `This machine's clock is ${difference} ${direction} ${whose}.`;
  const remedy = `${CLOCK_REMEDY} If that one is right, synchronize ${whose}.`;
  if (Math.abs(aheadMs) >= MAX_SKEW_MS) return wrong(message, remedy);
  if (Math.abs(aheadMs) >= WARN_SKEW_MS) return warning(message, remedy);
  return ok(`This machine's clock and ${whose} agree.`);
}
