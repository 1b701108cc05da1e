import { z } from "zod";
import { parseTag } from "../locales/choose-language.server";
import { hasShortHost } from "../short-host";
import { MAX_ADDRESS_LENGTH, normalizeEmailAddress, onOneLine, parseMailbox } from "./email-address.server";
import { isTimeZone } from "./write-date";

/** How much longer a line may be as it comes, with white space that is taken out of it. */
const LINE_SLACK = 10;

/** A piece of text for one line, like a title or a name; `maxLength` counts once white space is taken together. */
export const lineOfText = (maxLength: number) =>
  z
    .string()
    .max(maxLength * LINE_SLACK, { abort: true, error: `must be at most ${maxLength} characters` })
    .transform(onOneLine)
    .pipe(z.string().min(1).max(maxLength));

/** A piece of text of a few lines, like a postal address. */
export const linesOfText = (maxLength: number) =>
  z
    .string()
    .max(maxLength * LINE_SLACK, { abort: true, error: `must be at most ${maxLength} characters` })
    .transform((value) =>
      value
        .split(/[\r\n]+/)
        .map(onOneLine)
        .filter((line) => line !== "")
        .join("\n"),
    )
    .pipe(z.string().min(1).max(maxLength));

export const NO_ADDRESS = "must be an e-mail address, like ada@example.com";

/** An e-mail address, as it will be sent to. */
export const emailAddress = z
  .string()
  .max(MAX_ADDRESS_LENGTH, { abort: true, error: NO_ADDRESS })
  .transform((value, context) => {
    const address = normalizeEmailAddress(value.trim());
    if (address !== null) return address;
    context.addIssue({ code: "custom", message: NO_ADDRESS });
    return z.NEVER;
  });

const NO_MAILBOX =
  "must be like ada@example.com or Ada <ada@example.com>; a name with any of , : ; @ [ ] goes in quotes";

/** What is wrong with text that `parseMailbox` does not read. */
export const issueOfMailbox = (written: string) => (written.includes("<") ? NO_MAILBOX : NO_ADDRESS);

/** An e-mail address, or `Name <address>`. */
export const mailbox = z.string().transform((value, context) => {
  const parsed = parseMailbox(value);
  if (parsed !== null) return parsed;
  context.addIssue({ code: "custom", message: issueOfMailbox(value) });
  return z.NEVER;
});

/** What SES takes as the name or the value of a message's tag. Amazon SES API v2, "MessageTag". */
const TAG_RULE = "must be 1 to 256 ASCII letters, digits, _ and -";
const messageTag = z.string().regex(/^[A-Za-z0-9_-]{1,256}$/, { error: TAG_RULE });
/** of a message; SES takes 50 */
const MAX_TAGS = 10;

/** Tags of a message, values by name. */
export const messageTags = z
  .record(messageTag, messageTag, {
    error: ({ code }) => (code === "invalid_key" ? `is no name of a tag: it ${TAG_RULE}` : undefined),
  })
  .refine((tags) => Object.keys(tags).length <= MAX_TAGS, { error: `must be at most ${MAX_TAGS} tags` });

const MAX_URL_LENGTH = 2000;
const NO_URL = "must be an http or https URL";

/** An address that may be linked to. Parsed only once its length is known: see `hasShortHost`. */
export const httpUrl = z.preprocess(
  (value, context) => {
    if (typeof value !== "string") return value;
    if (value.length > MAX_URL_LENGTH) {
      context.addIssue({
        code: "custom",
        message: `must be at most ${MAX_URL_LENGTH} characters`,
        input: value,
      });
    } else if (!hasShortHost(value)) {
      context.addIssue({ code: "custom", message: NO_URL, input: value });
    }
    return value;
  },
  z.url({ protocol: /^https?$/, error: NO_URL }).max(MAX_URL_LENGTH),
);

const NO_LOCALE = "must be a BCP 47 language tag, like de or pt-BR";

/** The language of an e-mail, in its canonical form. We need not have words in it. */
export const localeTag = z
  .string()
  .max(35, { abort: true, error: NO_LOCALE })
  .transform((value, context) => {
    const tag = parseTag(value)?.baseName;
    if (tag !== undefined) return tag;
    context.addIssue({ code: "custom", message: NO_LOCALE });
    return z.NEVER;
  });

const NO_TIME_ZONE = "must be a time zone of the IANA database, like Europe/Berlin";

export const timeZoneName = z
  .string()
  .max(64, { abort: true, error: NO_TIME_ZONE })
  .refine(isTimeZone, { error: NO_TIME_ZONE });

/** `field`, or nothing: an empty string counts as nothing, as many senders leave out a value that way. */
export const optionalOf = <Field extends z.ZodType>(field: Field) =>
  z.preprocess((value) => (value === "" || value === null ? undefined : value), field.optional());
