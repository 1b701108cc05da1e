import { emailLanguage, withHtml } from "../email/email-language.server";
import { escapeHtml } from "../email/escape-html";
import {
  assembleEmail,
  type EmailContent,
  type Layout,
  layoutOf,
  renderBrand,
  renderButton,
  renderSection,
} from "../email/layout.server";
import {
  type HostedUnsubscribe,
  unsubscribeHeaders,
  unsubscribeLink,
} from "../email/unsubscribing/unsubscribe-link.server";
import { writeDate } from "../email/write-date";
import { newEventId } from "../events/events.server";
import type { CampaignJob } from "./campaign-job.server";

export interface CampaignContent extends EmailContent {
  headers: { name: string; value: string }[];
}

/**
 * Renders the e-mail of a job. An event's date that is not ISO 8601 is shown as written.
 * @param unsubscribeUrl template of the integrator's unsubscribe page, with `{siteUrl}` and `{token}`
 * @param hosted settings of the unsubscribe page of this service, for recipients without a token
 * @param sentEventId of the event `email.sent`, for the link to that page
 * @throws AppError `invalid_request` if the HTML would be over 102 kB, or the recipient's token gives no valid unsubscribe link
 */
export function renderCampaignEmail(
  job: CampaignJob,
  unsubscribeUrl: string,
  hosted?: HostedUnsubscribe,
  sentEventId = newEventId(),
): CampaignContent {
  const { recipient, site, branding, featuredProducts, events: dates } = job;
  const unsubscribe = unsubscribeLink(job, unsubscribeUrl, hosted && { ...hosted, eventId: sentEventId });
  const language = emailLanguage(job.locale, [site.subject]);
  const { t } = language;
  const layout = layoutOf(job.theme ?? "blue", language.dir);
  const siteName = { site: branding.siteName };
  const greeting = recipient.name ? t("greeting", { name: recipient.name }) : t("hello");
  const hasNews = featuredProducts.length > 0 || dates.length > 0;
  const intro = t(hasNews ? "intro" : "news", siteName);
  const writtenDates = dates.map(({ title, date, timeZone }) => ({
    title,
    date: writeDate(date, language.locale, timeZone),
  }));

  const content =
    renderBrand(layout, branding) +
    layout.title({ content: escapeHtml(site.subject) }) +
    layout.paragraph({ content: escapeHtml(greeting) }) +
    layout.paragraph({ content: escapeHtml(intro) }) +
    renderSection(
      layout,
      t("featured"),
      featuredProducts.map((product) => renderProduct(layout, product)),
    ) +
    renderSection(
      layout,
      t("events"),
      writtenDates.map((event) => renderEvent(layout, event)),
    ) +
    (branding.siteUrl && hasNews ? layout.space({}) : "") +
    (branding.siteUrl ? renderButton(layout, { label: t("visit", siteName), url: branding.siteUrl }) : "");
  const footerLink = (href: string, text: string) =>
    layout.footerLink({ href: escapeHtml(href), content: escapeHtml(text) });
  const { supportEmail, postalAddress } = branding;
  const questions = supportEmail ? t("questions", { address: supportEmail }) : null;
  const footerLines = [
    ...(supportEmail && questions
      ? [withHtml(questions, supportEmail, footerLink(`mailto:${supportEmail}`, supportEmail))]
      : []),
    escapeHtml(t("sentBy", siteName)),
    ...(postalAddress ? [escapeHtml(postalAddress).replaceAll("\n", "<br>")] : []),
    ...(job.reason ? [escapeHtml(job.reason)] : []),
    ...(unsubscribe ? [footerLink(unsubscribe, t("unsubscribe"))] : []),
  ];
  const heading = (text: string) => t("heading", { text });
  const text = [
    site.subject,
    greeting,
    intro,
    ...listOf(
      heading(t("featured")),
      featuredProducts.map(({ name, price, url }) => {
        const offer = price ? `${name} – ${price}` : name;
        return url ? `${offer}: ${url}` : offer;
      }),
    ),
    ...listOf(
      heading(t("events")),
      writtenDates.map(
        ({ title, date }) => `${title}: ${[date.written, ...(date.time ? [date.time] : [])].join(" · ")}`,
      ),
    ),
    ...(branding.siteUrl ? [`${heading(t("visit", siteName))} ${branding.siteUrl}`] : []),
    ...(questions ? [questions] : []),
    t("sentBy", siteName),
    ...(postalAddress ? [postalAddress] : []),
    ...(job.reason ? [job.reason] : []),
    ...(unsubscribe ? [`${heading(t("unsubscribe"))} ${unsubscribe}`] : []),
  ].join("\n\n");
  return {
    ...assembleEmail(
      layout,
      language,
      {
        subject: site.subject,
        preview: [greeting, intro, ...featuredProducts.map(({ name }) => name)].join(" "),
        content,
        footerLines,
        text,
      },
      "featuredProducts",
    ),
    headers: unsubscribe ? unsubscribeHeaders(unsubscribe) : [],
  };
}

function listOf(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [`${title}\n${lines.map((line) => `- ${line}`).join("\n")}`];
}

function renderProduct(
  layout: Layout,
  { name, url, imageUrl, price }: CampaignJob["featuredProducts"][number],
): string {
  const link = (content: string) => (url ? layout.link({ href: escapeHtml(url), content }) : content);
  const image = imageUrl && layout.image({ src: escapeHtml(imageUrl), alt: escapeHtml(name) });
  return layout.row({
    side: image ? layout.picture({ content: link(image) }) : "",
    content:
      layout.name({ content: link(escapeHtml(name)) }) +
      (price ? layout.price({ content: escapeHtml(price) }) : "") +
      (url ? layout.detail({ content: escapeHtml(new URL(url).hostname) }) : ""),
  });
}

function renderEvent(
  layout: Layout,
  { title, date }: { title: string; date: ReturnType<typeof writeDate> },
): string {
  return layout.row({
    side: date.short ? layout.dateBadge(date.short) : "",
    content:
      layout.name({ content: escapeHtml(title) }) +
      layout.detail({ content: escapeHtml(date.written) }) +
      (date.time ? layout.detail({ content: escapeHtml(date.time) }) : ""),
  });
}
