import { z } from "zod";
import {
  emailAddress,
  httpUrl,
  lineOfText,
  linesOfText,
  localeTag,
  optionalOf,
  timeZoneName,
} from "../email/fields.server";
import { themeNames } from "../email/themes";
import { companyIdSchema } from "../embed/company.server";

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
  campaignId: lineOfText(200),
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

/** The job endpoint's path under `API_BASE_URL`. */
export const CAMPAIGN_JOB_PATH = "/api/queue/send-email";

/** Far more than a job with as many products and events as an e-mail can hold. */
export const MAX_JOB_BYTES = 256 * 1024;
