import { assembleEmail, type EmailContent } from "../email/email-content.server";
import { emailLanguage, withHtml } from "../email/email-language.server";
import { escapeHtml } from "../email/escape-html";
import { layouts, renderBrand, renderSection } from "../email/layout.server";
import { writeDate } from "../email/write-date";
import type { CampaignJob } from "./campaign-job.server";
import { unsubscribeHeaders, unsubscribeLink } from "./unsubscribe-link.server";

export interface CampaignContent extends EmailContent {
  headers: { name: string; value: string }[];
}

/** The job names no theme: campaigns are sent in the default one. */
const layout = layouts.blue;

/**
 * The e-mail of a job. An event's date that is not ISO 8601 is shown as it stands.
 * @param unsubscribeUrl template of the unsubscribe address, with `{siteUrl}` and `{token}`
 * @throws AppError `invalid_request` when its HTML would be over 102 kB, or no unsubscribe link can be made although there is
 *   a token for one
 */
export function renderCampaignEmail(job: CampaignJob, unsubscribeUrl: string): CampaignContent {
  const { recipient, site, branding, featuredProducts, events } = job;
  const unsubscribe = unsubscribeLink(job, unsubscribeUrl);
  const language = emailLanguage(job.locale, [site.subject]);
  const { t } = language;
  const siteName = { site: branding.siteName };
  const greeting = recipient.name ? t("greeting", { name: recipient.name }) : t("hello");
  const hasNews = featuredProducts.length > 0 || events.length > 0;
  const intro = t(hasNews ? "intro" : "news", siteName);
  const dated = events.map(({ title, date }) => ({ title, date: writeDate(date, language.locale) }));

  const content =
    renderBrand(layout, branding) +
    layout.title({ content: escapeHtml(site.subject) }) +
    layout.paragraph({ content: escapeHtml(greeting) }) +
    layout.paragraph({ content: escapeHtml(intro) }) +
    renderSection(layout, escapeHtml(t("featured")), featuredProducts.map(renderProduct)) +
    renderSection(layout, escapeHtml(t("events")), dated.map(renderEvent)) +
    (branding.siteUrl
      ? layout.button({ href: escapeHtml(branding.siteUrl), content: escapeHtml(t("visit", siteName)) })
      : "");
  const footerLink = (href: string, text: string) =>
    layout.footerLink({ href: escapeHtml(href), content: escapeHtml(text) });
  const { supportEmail } = branding;
  const questions = supportEmail ? t("questions", { address: supportEmail }) : null;
  const footerLines = [
    ...(supportEmail && questions
      ? [withHtml(questions, supportEmail, footerLink(`mailto:${supportEmail}`, supportEmail))]
      : []),
    escapeHtml(t("sentBy", siteName)),
    ...(unsubscribe ? [footerLink(unsubscribe, t("unsubscribe"))] : []),
  ];
  const heading = (text: string) => t("heading", { text });
  const text = [
    site.subject,
    greeting,
    intro,
    ...listOf(
      heading(t("featured")),
      featuredProducts.map(({ name, url }) => (url ? `${name}: ${url}` : name)),
    ),
    ...listOf(
      heading(t("events")),
      dated.map(({ title, date }) => `${title}: ${date.written}`),
    ),
    ...(branding.siteUrl ? [`${heading(t("visit", siteName))} ${branding.siteUrl}`] : []),
    ...(questions ? [questions] : []),
    t("sentBy", siteName),
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

function renderProduct({ name, url }: CampaignJob["featuredProducts"][number]): string {
  const content = escapeHtml(name);
  return layout.row({
    badge: "",
    content: url
      ? layout.link({ href: escapeHtml(url), content }) +
        layout.detail({ content: escapeHtml(new URL(url).hostname) })
      : content,
  });
}

function renderEvent({ title, date }: { title: string; date: ReturnType<typeof writeDate> }): string {
  return layout.row({
    badge: date.short ? layout.dateBadge(date.short) : "",
    content: escapeHtml(title) + layout.detail({ content: escapeHtml(date.written) }),
  });
}
