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
  writeSection,
} from "../email/layout.server";
import type { MarkdownTask, RenderedMarkdown } from "../email/markdown.server";
import {
  type Unsubscribing,
  unsubscribeHeaders,
  unsubscribeLink,
} from "../email/unsubscribing/unsubscribe-link.server";
import { cleanValue, VariableFiller, withoutVariables } from "../email/variables.server";
import { writeDate } from "../email/write-date";
import { newEventId } from "../events/events.server";
import type { CampaignJob } from "./campaign-job.server";

export interface CampaignContent extends EmailContent {
  headers: { name: string; value: string }[];
}

/** What rendering needs besides the job. */
export interface CampaignRendering {
  unsubscribing: Unsubscribing;
  /** renders the body; the server's runs in worker threads (email/markdown-pool.server.ts) */
  renderMarkdown: (task: MarkdownTask) => Promise<RenderedMarkdown> | RenderedMarkdown;
}

/** characters of a subject, a preheader or a button's label once its variables are filled */
const MAX_LINE_LENGTH = 200;

/**
 * Renders the e-mail of a job. A date in `job.events` that is not ISO 8601 is shown as written.
 * @param sentEventId of the event `email.sent`, for the link to the unsubscribe page of this service. A check leaves it out: with any id
 *   the link has the same length.
 * @throws AppError `invalid_request` if the HTML would be over 102 kB, the recipient's token gives no valid unsubscribe link, or a variable
 *   has no value, and whatever `renderMarkdown` throws
 */
export async function renderCampaignEmail(
  job: CampaignJob,
  { unsubscribing, renderMarkdown }: CampaignRendering,
  sentEventId = newEventId(),
): Promise<CampaignContent> {
  const { recipient, branding, featuredProducts, events: dates } = job;
  const unsubscribe = unsubscribeLink(job, unsubscribing, sentEventId);
  const language = emailLanguage(job.locale, [job.site.subject, job.body ?? ""].map(withoutVariables));
  const { t } = language;
  const layout = layoutOf(job.theme ?? "blue", language.dir);
  const siteName = { site: branding.siteName };
  const { subject, preheader, button, body } = await fillTexts(job, (markdown) =>
    renderMarkdown({ markdown, member: "body", templates: layout.markdown }),
  );
  const greeting = recipient.name ? t("greeting", { name: recipient.name }) : t("hello");
  const hasItems = featuredProducts.length > 0 || dates.length > 0;
  const ownText = layout.paragraph({ content: escapeHtml(greeting) });
  const writtenDates = dates.map(({ title, date, timeZone }) => ({
    title,
    date: writeDate(date, language.locale, timeZone),
  }));
  // The job's button stands below the body, and the link to the site at the end. One e-mail has one button.
  const visit =
    branding.siteUrl && !button ? { label: t("visit", siteName), url: branding.siteUrl } : undefined;

  const content =
    renderBrand(layout, branding) +
    layout.title({ content: escapeHtml(subject) }) +
    (body?.html ?? ownText) +
    (button ? renderButton(layout, button) : "") +
    renderSection(
      layout,
      t("featured"),
      featuredProducts.map((product) => renderProduct(layout, product)),
    ) +
    renderSection(
      layout,
      t("events"),
      writtenDates.map((date) => renderDate(layout, date)),
    ) +
    (visit && hasItems ? layout.space({}) : "") +
    (visit ? renderButton(layout, visit) : "");
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
  const linkLine = ({ label, url }: { label: string; url: string }) => `${heading(label)} ${url}`;
  const text = [
    subject,
    ...(body ? [body.text] : [greeting]),
    ...(button ? [linkLine(button)] : []),
    ...writeSection(
      heading(t("featured")),
      featuredProducts.map(({ name, price, url }) => {
        const offer = price ? `${name} – ${price}` : name;
        return url ? `${offer}: ${url}` : offer;
      }),
    ),
    ...writeSection(
      heading(t("events")),
      writtenDates.map(
        ({ title, date }) => `${title}: ${[date.written, ...(date.time ? [date.time] : [])].join(" · ")}`,
      ),
    ),
    ...(visit ? [linkLine(visit)] : []),
    ...(questions ? [questions] : []),
    t("sentBy", siteName),
    ...(postalAddress ? [postalAddress] : []),
    ...(job.reason ? [job.reason] : []),
    ...(unsubscribe ? [`${heading(t("unsubscribe"))} ${unsubscribe}`] : []),
  ].join("\n\n");
  const names = featuredProducts.map(({ name }) => name);
  return {
    ...assembleEmail(
      layout,
      language,
      {
        subject,
        preview: preheader?.trim() || [...(body ? [body.text] : [greeting]), ...names].join(" "),
        content,
        footerLines,
        text,
      },
      body ? "body" : "featuredProducts",
    ),
    headers: unsubscribe ? unsubscribeHeaders(unsubscribe) : [],
  };
}

/** The texts of a job with its variables filled. `name` and `email` are the recipient's, unless the job says otherwise. */
async function fillTexts(
  { recipient, variables, site, preheader, button, body }: CampaignJob,
  render: (markdown: string) => Promise<RenderedMarkdown> | RenderedMarkdown,
) {
  const filler = new VariableFiller({
    name: cleanValue(recipient.name ?? ""),
    email: recipient.email,
    ...variables,
  });
  const filled = {
    subject: filler.fillLine(site.subject, "site.subject", MAX_LINE_LENGTH),
    preheader: preheader && filler.fillLine(preheader, "preheader", MAX_LINE_LENGTH, { mayBeBlank: true }),
    button: button && {
      label: filler.fillLine(button.label, "button.label", MAX_LINE_LENGTH),
      url: filler.fillAddress(button.url, "button.url"),
    },
    body: body === undefined ? undefined : await filler.fillRendered(body, "body", render),
  };
  filler.throwIssues();
  return filled;
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

function renderDate(
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
