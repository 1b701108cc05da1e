import { z } from "zod";
import { normalizeEmailAddress, onOneLine } from "./email-address.server";

/** A piece of text for one line, like a title or a name. */
export const lineOfText = (maxLength: number) =>
  z.string().transform(onOneLine).pipe(z.string().min(1).max(maxLength));

export const NO_ADDRESS = "must be an e-mail address, like ada@example.com";

/** An e-mail address, as it will be sent to. */
export const emailAddress = z.string().transform((value, context) => {
  const address = normalizeEmailAddress(value.trim());
  if (address !== null) return address;
  context.addIssue({ code: "custom", message: NO_ADDRESS });
  return z.NEVER;
});

/** An address that may be linked to. */
export const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" }).max(2000);

/** `field`, or nothing: an empty string counts as nothing, as many senders leave out a value that way. */
export const optionalOf = <Field extends z.ZodType>(field: Field) =>
  z.preprocess((value) => (value === "" || value === null ? undefined : value), field.optional());
