/** What the benchmark of e-mail measures of ours. */
import { escapeHtml } from "../../../app/email/escape-html";
import { renderBrand, renderSection } from "../../../app/email/layout.server";
import { lookOf } from "../../../app/email/looks.server";
import { renderSimpleEmail, simpleEmailSchema } from "../../../app/email/simple-email.server";
import type { Content } from "./content";

export const markdownOf = ({ greeting, steps, notes, closing }: Content) =>
  [
    `${greeting}\nYour account is **ready**.`,
    steps.map(({ label, url }, index) => `${index + 1}. [${label}](${url})`).join("\n"),
    notes.map((note) => `- ${note}`).join("\n"),
    closing,
  ].join("\n\n");

/** As a request for an e-mail is answered: Markdown in, both parts out. The request itself has been read before. */
export function fromMarkdown(content: Content): () => { html: string; text: string } {
  const { title, siteName, logoUrl, files } = content;
  const email = simpleEmailSchema.parse({
    to: "ada@example.com",
    title,
    description: markdownOf(content),
    siteName,
    logoUrl,
    pdf: files.map(({ url }) => url),
  });
  return () => renderSimpleEmail(email);
}

/** The same HTML without reading Markdown, as the peers' elements are written: the layout's pieces, filled in. */
export function fromPieces(content: Content): string {
  const { title, siteName, greeting, steps, notes, closing, files } = content;
  const { layout } = lookOf("blue", "ltr");
  const rows = files.map(({ name, url, host }) =>
    layout.row({
      side: layout.badge({ content: "PDF" }),
      content:
        layout.name({ content: layout.link({ href: escapeHtml(url), content: escapeHtml(name) }) }) +
        layout.detail({ content: escapeHtml(`PDF on ${host}`) }),
    }),
  );
  const stepItems = steps.map(({ label, url }) =>
    layout.item({ content: layout.link({ href: escapeHtml(url), content: escapeHtml(label) }) }),
  );
  return layout.document({
    lang: "en",
    title: escapeHtml(title),
    preheader: escapeHtml(`${greeting} Your account is ready.`),
    content:
      renderBrand(layout, content) +
      layout.title({ content: escapeHtml(title) }) +
      layout.paragraph({ content: `${escapeHtml(greeting)}<br>Your account is <strong>ready</strong>.` }) +
      layout.orderedList({ start: "1", content: stepItems.join("") }) +
      layout.unorderedList({
        content: notes.map((note) => layout.item({ content: escapeHtml(note) })).join(""),
      }) +
      layout.paragraph({ content: escapeHtml(closing) }) +
      renderSection(layout, "Attachments", rows),
    footer: layout.footer({ lines: layout.footerLine({ content: escapeHtml(`Sent by ${siteName}`) }) }),
  });
}
