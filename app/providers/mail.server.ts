import { SESv2Client, SESv2ServiceException, SendEmailCommand } from "@aws-sdk/client-sesv2";
import type { Env } from "../env/env.server";
import { AppError, type AppErrorCode } from "../shared/app-error";
import { nameAndMessageOf } from "../shared/error-text";
import { redact } from "../shared/log.server";
import { type CallContext, timeLeft } from "../shared/request-context.server";
import { randomPauseSeconds } from "../shared/retry";
import { observeCall } from "../telemetry/observe.server";
import { credentialsFor } from "./cloud-credentials.server";
import { isSessionOver, wasNeverSent } from "./connection-errors";

export interface OutgoingEmail {
  /** a mailbox in the form of a header, in ASCII */
  from: string;
  to: string;
  subject: string;
  html: string;
  text: string;
  /** names and values are ASCII; a value has at most 870 characters */
  headers: { name: string; value: string }[];
  /** a mailbox, like `from` */
  replyTo?: string | undefined;
  /** included in the provider's events for this message; see `messageTags` in email/fields.server.ts */
  tags?: Record<string, string> | undefined;
}

export interface Mailer {
  /** Sends one message to one recipient. @throws MailError */
  send(email: OutgoingEmail, context?: CallContext): Promise<{ messageId: string }>;
}

/**
 * Why a message was not accepted by the provider:
 * - `throttled`, `unreachable`: not sent; a later attempt may succeed
 * - `refused`: not sent; the provider will never accept this message for this recipient
 * - `failed`: not sent; the account is suspended or not set up, and the operator has to fix that
 * - `unknown`: the connection broke or timed out after the request was sent, so the message may have been sent
 */
export type MailErrorKind = "throttled" | "unreachable" | "refused" | "failed" | "unknown";

const kinds: Record<MailErrorKind, { code: AppErrorCode; message: string; isTemporary?: true }> = {
  throttled: {
    code: "unavailable",
    message: "The mail provider asks for a pause. Try again in a moment.",
    isTemporary: true,
  },
  unreachable: {
    code: "unavailable",
    message: "The mail provider cannot be reached. Try again in a moment.",
    isTemporary: true,
  },
  refused: { code: "email_refused", message: "The mail provider refused this address or message." },
  failed: { code: "provider_failed", message: "The mail provider does not accept mail from this service." },
  unknown: {
    code: "provider_failed",
    message: "The mail provider did not answer in time; the message may have been sent.",
  },
};

/** For errors that are not about one recipient. */
const REMEDY = " (run npm run doctor -- --only mail to find the cause)";

export class MailError extends AppError {
  readonly kind: MailErrorKind;
  /** not sent, and a later attempt may succeed */
  readonly isTemporary: boolean;

  /** @param cause what was thrown; the recipient is removed from its message */
  constructor(kind: MailErrorKind, cause: unknown, recipient?: string) {
    const { code, message, isTemporary = false } = kinds[kind];
    super(code, message, {
      cause,
      logDetail: `The mail provider: ${describe(cause, recipient)}${kind === "refused" ? "" : REMEDY}`,
      ...(isTemporary ? { retryAfterSeconds: randomPauseSeconds(5, 20) } : {}),
    });
    this.kind = kind;
    this.isTemporary = isTemporary;
  }
}

/** Providers quote the address that they refuse; the log must not contain it. */
function describe(cause: unknown, recipient: string | undefined): string {
  const message = nameAndMessageOf(cause);
  return redact(recipient ? message.replaceAll(recipient, "[recipient]") : message);
}

/** The time limit for one message. After a time-out it is unknown whether the message was sent, so the limit is generous. */
const SEND_TIMEOUT_MS = 10_000;

/**
 * Amazon SES v2, or a service that speaks its API at `endpoint`.
 * @param sendTimeoutMs the time limit for one message, milliseconds
 */
export function createMailer(settings: Env["mail"], sendTimeoutMs = SEND_TIMEOUT_MS): Mailer {
  const credentials = credentialsFor(settings.credentials);
  const client = new SESv2Client({
    region: settings.region,
    credentials,
    endpoint: settings.endpoint,
    // SES has no idempotency key: a retry by the SDK after a time-out or a broken connection could send a message twice.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: sendTimeoutMs,
      throwOnRequestTimeout: true,
      // The other side may close a kept connection at the moment of its next use, and then it is unknown whether the message was sent. A
      // new connection costs a few milliseconds.
      httpAgent: { keepAlive: false },
      httpsAgent: { keepAlive: false },
    },
  });
  return {
    async send({ from, to, subject, html, text, headers, replyTo, tags = {} }, context) {
      const content = (data: string) => ({ Data: data, Charset: "UTF-8" });
      const emailTags = Object.entries(tags).map(([Name, Value]) => ({ Name, Value }));
      const command = new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [to] },
        ReplyToAddresses: replyTo === undefined ? undefined : [replyTo],
        ConfigurationSetName: settings.configurationSet,
        EmailTags: emailTags.length === 0 ? undefined : emailTags,
        Content: {
          Simple: {
            Subject: content(subject),
            Body: { Html: content(html), Text: content(text) },
            Headers:
              headers.length === 0
                ? undefined
                : headers.map(({ name: Name, value: Value }) => ({ Name, Value })),
          },
        },
      });
      const work = async () => {
        // Before the time limit begins: after an abort, it would be unknown whether the message was sent.
        await credentials();
        const abortSignal = AbortSignal.timeout(timeLeft(sendTimeoutMs, context));
        return client.send(command, { abortSignal });
      };
      const sent = await observeCall("mail", "send", () =>
        work().catch((error: unknown) => {
          throw new MailError(kindOf(error), error, to);
        }),
      );
      return { messageId: sent.MessageId ?? "" };
    },
  };
}

/** Amazon SES API v2, "SendEmail", Errors, and "Common errors". */
const throttledNames = new Set([
  "TooManyRequestsException",
  "LimitExceededException",
  "ThrottlingException",
  "Throttling",
]);
const refusedNames = new Set(["MessageRejected", "BadRequestException"]);
/**
 * "Email address is not verified": of the sender, or of a recipient while the account is in SES's sandbox. The operator has to fix either, and
 * nothing is wrong with the message.
 */
const NOT_VERIFIED = /\bnot verified\b/i;

function kindOf(error: unknown): MailErrorKind {
  if (isSessionOver(error)) return "unreachable";
  if (error instanceof SESv2ServiceException) {
    const status = error.$metadata.httpStatusCode ?? 0;
    if (throttledNames.has(error.name) || status === 429) return "throttled";
    if (status >= 500) return "unreachable";
    return refusedNames.has(error.name) && !NOT_VERIFIED.test(error.message) ? "refused" : "failed";
  }
  return wasNeverSent(error) ? "unreachable" : "unknown";
}
