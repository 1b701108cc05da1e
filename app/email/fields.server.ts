import { z } from "zod";
import { hasShortHost } from "../embed/origin";
import { parseTag } from "../locales/choose-language.server";
import { MAX_ADDRESS_LENGTH, normalizeEmailAddress, onOneLine, parseMailbox } from "./email-address.server";
import { isTimeZone } from "./write-date";

/** A line may be this many times longer before its white space is collapsed. */
const MAX_WHITE_SPACE_FACTOR = 10;

/** `maxLength` applies after `collapse` has collapsed the white space. It is the length that OpenAPI names, and errors too. */
const collapsedText = (maxLength: number, collapse: (text: string) => string) => {
  const error = `must have at most ${maxLength} characters`;
  return z
    .string()
    .max(maxLength * MAX_WHITE_SPACE_FACTOR, { abort: true, error })
    .meta({ maxLength })
    .transform(collapse)
    .pipe(z.string().min(1).max(maxLength, { error }));
};

/** A text on one line, like a title or a name. */
export const lineOfText = (maxLength: number) => collapsedText(maxLength, onOneLine);

/** A text of a few lines, like a postal address. */
export const linesOfText = (maxLength: number) =>
  collapsedText(maxLength, (text) =>
    text
      .split(/[\r\n]+/)
      .map(onOneLine)
      .filter((line) => line !== "")
      .join("\n"),
  );

/** characters. Rendering them has a time limit (markdown-pool.server.ts), and the HTML has a size limit. */
const MAX_MARKDOWN_LENGTH = 20_000;

/** The Markdown of an e-mail. */
export const markdownText = z
  .string()
  .max(MAX_MARKDOWN_LENGTH, {
    abort: true,
    error: `must have at most ${MAX_MARKDOWN_LENGTH} characters; Gmail cuts an e-mail off at 102 kB of HTML`,
  })
  .refine((value) => value.trim() !== "", { error: "must not be blank" });

const INVALID_ADDRESS = "must be an e-mail address, like ada@example.com";

/** An e-mail address, as it will be sent to. */
export const emailAddress = z
  .string()
  .max(MAX_ADDRESS_LENGTH, { abort: true, error: INVALID_ADDRESS })
  .transform((value, context) => {
    const address = normalizeEmailAddress(value.trim());
    if (address !== null) return address;
    context.addIssue({ code: "custom", message: INVALID_ADDRESS });
    return z.NEVER;
  });

const INVALID_MAILBOX =
  "must be like ada@example.com or Ada <ada@example.com>; a name with any of , : ; @ [ ] goes in quotes";

/** The message for a text that `parseMailbox` refuses. */
export const issueOfMailbox = (written: string) =>
  written.includes("<") ? INVALID_MAILBOX : INVALID_ADDRESS;

/** An e-mail address, or `Name <address>`. */
export const mailbox = z.string().transform((value, context) => {
  const parsed = parseMailbox(value);
  if (parsed !== null) return parsed;
  context.addIssue({ code: "custom", message: issueOfMailbox(value) });
  return z.NEVER;
});

/** The rule of SES for the names and values of message tags. Amazon SES API v2, "MessageTag". */
const TAG_RULE = "must be 1 to 256 ASCII letters, digits, _ and -";
const messageTag = z.string().regex(/^[A-Za-z0-9_-]{1,256}$/, { error: TAG_RULE });
/** of a message; SES takes 50 */
const MAX_TAGS = 10;

/** Tags of a message, values by name. */
export const messageTags = z
  .record(messageTag, messageTag, {
    error: ({ code }) => (code === "invalid_key" ? `is not a valid tag name: it ${TAG_RULE}` : undefined),
  })
  .refine((tags) => Object.keys(tags).length <= MAX_TAGS, { error: `must be at most ${MAX_TAGS} tags` });

export const MAX_URL_LENGTH = 2000;
const INVALID_URL = "must be an http or https URL";

/** A URL that may be linked to. Its length is checked before it is parsed: see `hasShortHost`. */
export const httpUrl = z.preprocess(
  (value, context) => {
    if (typeof value !== "string") return value;
    if (value.length > MAX_URL_LENGTH) {
      context.addIssue({
        code: "custom",
        message: `must have at most ${MAX_URL_LENGTH} characters`,
        input: value,
      });
    } else if (!hasShortHost(value)) {
      context.addIssue({ code: "custom", message: INVALID_URL, input: value });
    }
    return value;
  },
  z.url({ protocol: /^https?$/, error: INVALID_URL }).max(MAX_URL_LENGTH),
);

const INVALID_LOCALE = "must be a BCP 47 language tag, like de or pt-BR";

/** The language of an e-mail, in its canonical form; not only the languages of our own words. */
export const localeTag = z
  .string()
  .max(35, { abort: true, error: INVALID_LOCALE })
  .transform((value, context) => {
    const tag = parseTag(value)?.baseName;
    if (tag !== undefined) return tag;
    context.addIssue({ code: "custom", message: INVALID_LOCALE });
    return z.NEVER;
  });

const INVALID_TIME_ZONE = "must be a time zone of the IANA database, like Europe/Berlin";

export const timeZoneName = z
  .string()
  .max(64, { abort: true, error: INVALID_TIME_ZONE })
  .refine(isTimeZone, { error: INVALID_TIME_ZONE });

/** `field`, or nothing. An empty string and null count as nothing, because many senders leave out a value that way. */
export const optionalOf = <Field extends z.ZodType>(field: Field) =>
  z.preprocess((value) => (value === "" || value === null ? undefined : value), field.optional());
