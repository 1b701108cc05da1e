import { httpUrl, list, text, wholeNumber } from "./parse.server";

/** `ada@example.com` or `Ada <ada@example.com>`; ASCII, for SES takes no other. */
const MAILBOX = /^(?:([^<>@]*)<\s*)?([!-;=?A-~]+@[a-z0-9.-]+)(?:\s*>)?$/i;
/** A FIFO topic delivers to no HTTPS endpoint. */
const TOPIC_ARN = /^arn:aws(-cn|-us-gov)?:sns:[a-z0-9-]{1,30}:\d{12}:[\w-]{1,256}$/;
/** A hundred years; far more would leave the range of PostgreSQL's timestamps. */
const MAX_KEEP_DAYS = 36_500;

export const mailVariables = {
  CLOUD_SES_ENDPOINT: httpUrl.optional().describe("an http(s) URL; unset, it is Amazon SES in CLOUD_REGION"),
  SES_CONFIGURATION_SET: text
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional()
    .describe("the name of a configuration set of SES: letters, digits, _ and -, 64 at most"),
  EMAIL_FROM: text
    .regex(MAILBOX)
    .optional()
    .describe("an address like no-reply@example.com or Example <no-reply@example.com>"),
  UNSUBSCRIBE_URL: text
    .regex(/^(https?:\/\/|\{siteUrl\}).*\{token\}/)
    .default("{siteUrl}/unsubscribe?token={token}")
    .describe("an http(s) URL with {token} in it, like https://example.com/unsubscribe?token={token}"),
  UNSUBSCRIBE_SECRET: text.optional().describe("a random secret of at least 32 bytes"),
  UNSUBSCRIBE_SECRET_PREVIOUS: list
    .refine((secrets) => !secrets.includes(""))
    .optional()
    .describe("the secret in use before, or several separated by commas"),
  EMAIL_EVENTS_TOPICS: list
    .refine((topics) => topics.every((topic) => TOPIC_ARN.test(topic)))
    .optional()
    .describe(
      "the ARN of a topic of Amazon SNS, like arn:aws:sns:eu-west-1:123456789012:email-events, or several separated by commas",
    ),
  EMAIL_DELIVERIES_KEEP_DAYS: wholeNumber(1, MAX_KEEP_DAYS, 400),
};

/** Who e-mail is from. */
export interface Mailbox {
  name: string | undefined;
  address: string;
}

export function readMailbox(value: string | undefined): Mailbox | undefined {
  const [, name, address] = MAILBOX.exec(value ?? "") ?? [];
  if (address === undefined) return undefined;
  return { name: name?.trim().replace(/^"(.*)"$/, "$1") || undefined, address };
}
