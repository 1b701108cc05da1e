/** Our code under test in the e-mail benchmark. */
import { renderCampaignEmail } from "../../../app/campaigns/campaign-email.server";
import { campaignJobSchema } from "../../../app/campaigns/campaign-job.server";
import { escapeHtml } from "../../../app/email/escape-html";
import { layoutOf, renderBrand, renderSection } from "../../../app/email/layout.server";
import type { MarkdownPool } from "../../../app/email/markdown-pool.server";
import { renderSimpleEmail, simpleEmailSchema } from "../../../app/email/simple-email.server";
import { fill } from "../../../app/email/template";
import type { Content } from "./content";

export const markdownOf = ({ greeting, steps, notes, closing }: Content) =>
  [
    `${greeting}\nYour account is **ready**.`,
    steps.map(({ label, url }, index) => `${index + 1}. [${label}](${url})`).join("\n"),
    notes.map((note) => `- ${note}`).join("\n"),
    closing,
  ].join("\n\n");

/** The work of an e-mail request after its body is parsed: worker threads turn Markdown into HTML and text. */
export function fromMarkdown(
  content: Content,
  pool: MarkdownPool,
): () => Promise<{ html: string; text: string }> {
  const { title, siteName, logoUrl, files } = content;
  const email = simpleEmailSchema.parse({
    to: "ada@example.com",
    title,
    description: markdownOf(content),
    siteName,
    logoUrl,
    pdf: files.map(({ url }) => url),
  });
  let count = 0;
  return () =>
    // Another text each time, because the pool keeps what it has rendered.
    renderSimpleEmail({ ...email, description: `${email.description} ${count++}` }, undefined, (task) =>
      pool.render(task, { deadline: performance.now() + 12_000 }),
    );
}

/** The work of a campaign's job after its body is parsed: another recipient each time, the same text. */
export function fromVariables(
  content: Content,
  pool: MarkdownPool,
): () => Promise<{ html: string; text: string }> {
  const { title, siteName, logoUrl, files } = content;
  const job = {
    recipient: { email: "ada@example.com" },
    campaignId: "spring",
    site: { subject: title },
    branding: { siteName, logoUrl },
    body: `{{greeting}}\n${markdownOf(content)}\n\n# Documents\n\n${files.map(({ name, url }) => `- [${name}](${url}) files.northwind.example`).join("\n")}`,
  };
  let count = 0;
  return () =>
    renderCampaignEmail(
      campaignJobSchema.parse({ ...job, variables: { greeting: `Hello <reader> ${count++}` } }),
      {
        unsubscribing: { template: "https://northwind.example/unsubscribe?token={token}" },
        renderMarkdown: (task) => pool.render(task, { deadline: performance.now() + 12_000 }),
      },
    );
}

/** Returns the same HTML without Markdown: the layout's templates filled in, comparable to the peers' elements. */
export function fromPieces(content: Content): string {
  const { title, siteName, greeting, steps, notes, closing, files } = content;
  const layout = layoutOf("blue", "ltr");
  const { item, orderedList, unorderedList } = layout.markdown;
  const rows = files.map(({ name, url, host }) =>
    layout.row({
      side: layout.badge({ content: "PDF" }),
      content:
        layout.name({ content: layout.link({ href: escapeHtml(url), content: escapeHtml(name) }) }) +
        layout.detail({ content: escapeHtml(`PDF on ${host}`) }),
    }),
  );
  const stepItems = steps.map(({ label, url }) =>
    fill(item, { content: layout.link({ href: escapeHtml(url), content: escapeHtml(label) }) }),
  );
  return layout.document({
    lang: "en",
    title: escapeHtml(title),
    preheader: escapeHtml(`${greeting} Your account is ready.`),
    content:
      renderBrand(layout, content) +
      layout.title({ content: escapeHtml(title) }) +
      layout.paragraph({ content: `${escapeHtml(greeting)}<br>Your account is <strong>ready</strong>.` }) +
      fill(orderedList, { start: "1", content: stepItems.join("") }) +
      fill(unorderedList, {
        content: notes.map((note) => fill(item, { content: escapeHtml(note) })).join(""),
      }) +
      layout.paragraph({ content: escapeHtml(closing) }) +
      renderSection(layout, "Documents", rows),
    footer: layout.footer({ lines: layout.footerLine({ content: escapeHtml(`Sent by ${siteName}`) }) }),
  });
}
