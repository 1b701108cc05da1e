import { hash } from "node:crypto";
import { z } from "zod";
import {
  emailAddress,
  httpUrl,
  lineOfText,
  linesOfText,
  localeTag,
  MAX_URL_LENGTH,
  markdownText,
  optionalOf,
  timeZoneName,
} from "../email/fields.server";
import { themeNames } from "../email/themes";
import { cleanValue, isVariableName, NAME_RULE } from "../email/variables.server";
import { companyIdSchema } from "../embed/company.server";

const MAX_VARIABLES = 100;
/** As long as a URL may be. Null and blank values count as missing. */
const variableValue = z
  .union([z.string(), z.number(), z.null()], { error: "must be a text or a number" })
  .transform((value) => cleanValue(String(value ?? "")))
  .pipe(z.string().max(MAX_URL_LENGTH));

const variables = z
  .record(z.string().refine(isVariableName), variableValue, {
    error: ({ code }) => (code === "invalid_key" ? `is not a variable's name: ${NAME_RULE}` : undefined),
  })
  .refine((values) => Object.keys(values).length <= MAX_VARIABLES, {
    error: `must be at most ${MAX_VARIABLES} variables`,
  });

/**
 * One campaign e-mail to one recipient. A job is published to the queue, which delivers it to the job endpoint.
 * Unknown members are ignored.
 */
export const campaignJobSchema = z.object({
  recipient: z.object({
    email: emailAddress,
    name: optionalOf(lineOfText(200)),
    // A lone surrogate cannot be encoded in a URL.
    unsubscribeToken: optionalOf(
      z
        .string()
        .max(500, { abort: true })
        .regex(/^\P{Cs}*$/u),
    ),
  }),
  campaignId: z.preprocess((value) => (typeof value === "number" ? String(value) : value), lineOfText(200)),
  /** the company that sees this e-mail's events */
  companyId: optionalOf(companyIdSchema),
  /** `subject` is the subject line. The contract fixes the name of the member; the site's name is `branding.siteName`. */
  site: z.object({ subject: lineOfText(200) }),
  branding: z.object({
    siteName: lineOfText(100),
    siteUrl: optionalOf(httpUrl),
    logoUrl: optionalOf(httpUrl),
    supportEmail: optionalOf(emailAddress),
    postalAddress: optionalOf(linesOfText(300)),
  }),
  /** Markdown, with variables; in place of our own greeting and first sentence */
  body: optionalOf(markdownText),
  /** what mail programs show beside the subject; with variables */
  preheader: optionalOf(lineOfText(200)),
  /** below the body; label and address may have variables */
  button: optionalOf(z.object({ label: lineOfText(100), url: z.string().max(MAX_URL_LENGTH) })),
  /** values of `{{name}}` in subject, body, preheader and button */
  variables: optionalOf(variables),
  featuredProducts: z
    .array(
      z.object({
        name: lineOfText(300),
        url: optionalOf(httpUrl),
        imageUrl: optionalOf(httpUrl),
        /** shown as written, with its currency */
        price: optionalOf(lineOfText(100)),
      }),
    )
    .max(100)
    .default([]),
  /** dates that the e-mail tells of, such as concerts; not the events that we record */
  events: z
    .array(z.object({ title: lineOfText(300), date: lineOfText(100), timeZone: optionalOf(timeZoneName) }))
    .max(100)
    .default([]),
  theme: optionalOf(z.enum(themeNames)),
  locale: optionalOf(localeTag),
  /** why the recipient gets this e-mail */
  reason: optionalOf(lineOfText(300)),
});

export type CampaignJob = z.output<typeof campaignJobSchema>;

/** Identifies a job: a recipient gets each campaign once. */
export interface JobKey {
  campaignId: string;
  /** the address in lower case */
  recipient: string;
}

export function jobKeyOf({ campaignId, recipient }: Pick<CampaignJob, "campaignId" | "recipient">): JobKey {
  return { campaignId, recipient: recipient.email.toLowerCase() };
}

/** Enough characters of a SHA-256 in base64url to distinguish the campaigns of one account. */
const DIGEST_LENGTH = 8;

/**
 * A campaign's id as a message tag of SES and a label of the queue. Characters that a tag cannot have become `-`, and a digest of the id keeps
 * the tags of two campaigns different.
 */
export function tagOf(campaignId: string): string {
  const plain = campaignId.replace(/[^A-Za-z0-9_-]+/g, "-");
  return plain === campaignId
    ? campaignId
    : `${plain}-${hash("sha256", campaignId, "base64url").slice(0, DIGEST_LENGTH)}`;
}

/** The job endpoint's path under `API_BASE_URL`. */
export const CAMPAIGN_JOB_PATH = "/api/queue/send-email";

/** Far more than a job with as many products and events as an e-mail can hold. */
export const MAX_JOB_BYTES = 256 * 1024;
