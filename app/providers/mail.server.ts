import { SESv2Client, SESv2ServiceException, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { AppError, type AppErrorCode } from "../app-error";
import type { Env } from "../env.server";
import { nameAndMessageOf } from "../error-text";
import { redact } from "../log.server";
import { type CallContext, timeLeft } from "../request-context.server";
import { observeCall } from "../telemetry/observe.server";
import { wasNeverSent } from "./connection-errors";

export interface OutgoingEmail {
  /** mailboxes in the form of a header, ASCII */
  from: string;
  to: string;
  subject: string;
  html: string;
  text: string;
  /** names and values are ASCII; a value has at most 870 characters */
  headers: { name: string; value: string }[];
  /** a mailbox, as `from` is */
  replyTo?: string | undefined;
  /** what the provider's events of this message say of it; as `messageTags` in email/fields.server.ts */
  tags?: Record<string, string> | undefined;
}

export interface Mailer {
  /** Hands one message to one recipient over. @throws MailError */
  send(email: OutgoingEmail, request?: CallContext): Promise<{ messageId: string }>;
}

/**
 * Why a message was not handed over:
 * - `throttled`, `unreachable`: certainly not sent; later it may work
 * - `refused`: certainly not sent; the provider will never take this message for this recipient
 * - `failed`: certainly not sent; the account is not set up or suspended, which somebody has to mend
 * - `unknown`: the connection broke or timed out after the message was on its way: it may have been sent
 */
export type MailErrorKind = "throttled" | "unreachable" | "refused" | "failed" | "unknown";

const kinds: Record<MailErrorKind, { code: AppErrorCode; message: string; mayPass?: true }> = {
  throttled: {
    code: "unavailable",
    message: "The mail provider asks for a pause. Try again in a moment.",
    mayPass: true,
  },
  unreachable: {
    code: "unavailable",
    message: "The mail provider cannot be reached. Try again in a moment.",
    mayPass: true,
  },
  refused: { code: "email_refused", message: "The mail provider refused this address or message." },
  failed: { code: "provider_failed", message: "The mail provider does not accept mail from this service." },
  unknown: {
    code: "provider_failed",
    message: "The mail provider did not answer in time; the message may have been sent.",
  },
};

/** For what is no recipient's own. */
const REMEDY = " (npm run doctor -- --only mail says what to mend)";

export class MailError extends AppError {
  readonly kind: MailErrorKind;
  /** certainly not sent, and perhaps taken a moment later */
  readonly mayPass: boolean;

  /** @param cause what was thrown; of its message nothing is kept that names the recipient */
  constructor(kind: MailErrorKind, cause: unknown, recipient?: string) {
    const { code, message, mayPass = false } = kinds[kind];
    super(code, message, {
      cause,
      logDetail: `The mail provider: ${describe(cause, recipient)}${kind === "refused" ? "" : REMEDY}`,
      ...(mayPass ? { retryAfterSeconds: drawPause() } : {}),
    });
    this.kind = kind;
    this.mayPass = mayPass;
  }
}

/** Seconds, at random: those who are told at the same moment must not all come back at one. */
const drawPause = () => 5 + Math.floor(Math.random() * 16);

/** Providers quote the mailbox that they refuse; the log is no place for people. */
function describe(cause: unknown, recipient: string | undefined): string {
  const message = nameAndMessageOf(cause);
  return redact(recipient ? message.replaceAll(recipient, "[recipient]") : message);
}

/** milliseconds for one message. A response that is given up leaves a message of which nobody knows, so it is not shorter. */
export const SEND_TIMEOUT_MS = 10_000;

/**
 * Amazon SES v2, or what speaks its API at `endpoint`.
 * @param sendTimeoutMs how long handing one message over may take, milliseconds
 */
export function createMailer(settings: Env["mail"], sendTimeoutMs = SEND_TIMEOUT_MS): Mailer {
  const client = new SESv2Client({
    region: settings.region,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    endpoint: settings.endpoint,
    // SES has no idempotency key: the SDK's own retry after a time-out or a broken connection could send a message twice.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: sendTimeoutMs,
      throwOnRequestTimeout: true,
      // A connection that is kept may be closed by the other side just when it is used again, and then nobody can tell whether
      // the message was taken: a new one for each message costs a few milliseconds and leaves no such doubt.
      httpAgent: { keepAlive: false },
      httpsAgent: { keepAlive: false },
    },
  });
  return {
    async send({ from, to, subject, html, text, headers, replyTo, tags = {} }, request) {
      const part = (data: string) => ({ Data: data, Charset: "UTF-8" });
      const emailTags = Object.entries(tags).map(([Name, Value]) => ({ Name, Value }));
      const command = new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [to] },
        ...(replyTo === undefined ? {} : { ReplyToAddresses: [replyTo] }),
        ...(settings.configurationSet === undefined
          ? {}
          : { ConfigurationSetName: settings.configurationSet }),
        ...(emailTags.length === 0 ? {} : { EmailTags: emailTags }),
        Content: {
          Simple: {
            Subject: part(subject),
            Body: { Html: part(html), Text: part(text) },
            ...(headers.length === 0
              ? {}
              : { Headers: headers.map(({ name, value }) => ({ Name: name, Value: value })) }),
          },
        },
      });
      const abortSignal = AbortSignal.timeout(timeLeft(sendTimeoutMs, request));
      const sent = await observeCall("mail", "send", () =>
        client.send(command, { abortSignal }).catch((error: unknown) => {
          throw new MailError(kindOf(error), error, to);
        }),
      );
      return { messageId: sent.MessageId ?? "" };
    },
  };
}

/** SES's words for "not so fast". Amazon SES API v2, "SendEmail", Errors, and "Common errors". */
const throttledNames = new Set([
  "TooManyRequestsException",
  "LimitExceededException",
  "ThrottlingException",
  "Throttling",
]);
const refusedNames = new Set(["MessageRejected", "BadRequestException"]);

function kindOf(error: unknown): MailErrorKind {
  if (error instanceof SESv2ServiceException) {
    const status = error.$metadata.httpStatusCode ?? 0;
    if (throttledNames.has(error.name) || status === 429) return "throttled";
    if (status >= 500) return "unreachable";
    return refusedNames.has(error.name) ? "refused" : "failed";
  }
  return wasNeverSent(error) ? "unreachable" : "unknown";
}
