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

/** One campaign e-mail to one recipient: what is published, and the body that the queue delivers. Unknown members are ignored. */
export const campaignJobSchema = z.object({
  recipient: z.object({
    email: emailAddress,
    name: optionalOf(lineOfText(200)),
    // Half a surrogate pair is no character that a URL could hold.
    unsubscribeToken: optionalOf(
      z
        .string()
        .max(500, { abort: true })
        .regex(/^\P{Cs}*$/u),
    ),
  }),
  campaignId: lineOfText(200),
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
        /** as it is to be read, with its currency */
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
  /** why somebody gets it */
  reason: optionalOf(lineOfText(300)),
});

export type CampaignJob = z.output<typeof campaignJobSchema>;

/** What makes two jobs the same: a recipient gets each campaign once. */
export interface JobKey {
  campaignId: string;
  /** the address in lower case */
  recipient: string;
}

export function keyOf({ campaignId, recipient }: CampaignJob): JobKey {
  return { campaignId, recipient: recipient.email.toLowerCase() };
}

/** of the webhook, under the API's base URL */
export const CAMPAIGN_WEBHOOK_PATH = "/api/queue/send-email";

/** bytes; a job with as many products and events as an e-mail can hold is far below */
export const MAX_JOB_BYTES = 256 * 1024;
