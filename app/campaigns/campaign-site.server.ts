import type { CampaignJob } from "./campaign-job.server";

/**
 * Whose campaign it is: who unsubscribes from one site's goes on getting those of the others that a deployment serves. The host
 * of `siteUrl` without `www.`, because a site keeps that while its name is written in this way and that; its name where there is no other.
 */
export function siteOf({ siteUrl, siteName }: Pick<CampaignJob["branding"], "siteUrl" | "siteName">): string {
  return siteUrl === undefined
    ? siteName.toLowerCase()
    : new URL(siteUrl).hostname.replace(/^www\.(?=.)/, "");
}
