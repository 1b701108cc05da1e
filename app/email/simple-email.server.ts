import { z } from "zod";
import { companyIdSchema } from "../embed/company.server";
import type { Env } from "../env/env.server";
import { visibleText } from "../locales/visible-text";
import { parseMailbox } from "./email-address.server";
import { emailLanguage } from "./email-language.server";
import { escapeHtml } from "./escape-html";
import {
  httpUrl,
  issueOfMailbox,
  lineOfText,
  localeTag,
  mailbox,
  markdownText,
  messageTags,
  optionalOf,
} from "./fields.server";
import {
  assembleEmail,
  type EmailContent,
  layoutOf,
  renderBrand,
  renderButton,
  renderSection,
  writeSection,
} from "./layout.server";
import type { MarkdownTask, RenderedMarkdown } from "./markdown.server";
import { themeNames } from "./themes";
import { withoutStandIns } from "./variables.server";

/** Several times what the longest texts, URLs and recipients take in a request. */
export const MAX_SIMPLE_EMAIL_BYTES = 256 * 1024;
const MAX_RECIPIENTS = 50;

export interface Recipient {
  /** as the caller wrote it */
  to: string;
  /** what `to` was read as */
  name: string | undefined;
  address: string;
}

const recipients = z
  .union([z.string(), z.array(z.string()).min(1).max(MAX_RECIPIENTS)], {
    error: `must be an e-mail address, or a list of 1 to ${MAX_RECIPIENTS} of them`,
  })
  .transform((value, context) => {
    const found = new Map<string, Recipient>();
    for (const [index, to] of [value].flat().entries()) {
      const parsed = parseMailbox(to);
      if (parsed === null) {
        const path = Array.isArray(value) ? [index] : [];
        context.addIssue({ code: "custom", message: issueOfMailbox(to), path });
      } else if (!found.has(parsed.address.toLowerCase())) {
        // Mailboxes do not distinguish case, whatever RFC 5321 allows.
        found.set(parsed.address.toLowerCase(), { to, ...parsed });
      }
    }
    return [...found.values()];
  });

/** The body of `POST /api/send-simple-email`. An address that is given twice gets one message. */
export const simpleEmailSchema = z
  .strictObject({
    to: recipients,
    title: lineOfText(200),
    description: markdownText,
    theme: z.preprocess((value) => (value === "" ? undefined : value), z.enum(themeNames).default("blue")),
    logoUrl: optionalOf(httpUrl),
    siteName: optionalOf(lineOfText(100)),
    pdf: z
      .preprocess((value) => (typeof value === "string" ? [value] : value), z.array(httpUrl).max(20))
      .default([]),
    button: z.strictObject({ label: lineOfText(100), url: httpUrl }).optional(),
    locale: optionalOf(localeTag),
    replyTo: optionalOf(mailbox),
    tags: messageTags.optional(),
    companyId: optionalOf(companyIdSchema.describe("whose events this e-mail's are")),
  })
  .meta({ id: "SimpleEmail" });

export type SimpleEmail = z.output<typeof simpleEmailSchema>;

/**
 * A simple e-mail in its theme, the same for all recipients.
 * @param sender whom the footer names if the e-mail has no `siteName`; without either there is no footer
 * @param renderMarkdown renders the description; the server's runs in worker threads (markdown-pool.server.ts)
 * @throws AppError `invalid_request` when its HTML would be over 102 kB, and whatever `renderMarkdown` throws
 */
export async function renderSimpleEmail(
  email: Omit<SimpleEmail, "to">,
  sender: Env["sender"],
  renderMarkdown: (task: MarkdownTask) => Promise<RenderedMarkdown> | RenderedMarkdown,
): Promise<EmailContent> {
  const language = emailLanguage(email.locale, [email.title, email.description]);
  const { t } = language;
  const layout = layoutOf(email.theme, language.dir);
  const documents = t(email.pdf.length === 1 ? "document" : "documents");
  const description = await renderMarkdown({
    markdown: withoutStandIns(email.description),
    member: "description",
    templates: layout.markdown,
  });
  const files = email.pdf.map((url) => {
    const { pathname, hostname } = new URL(url);
    return { url, name: fileNameIn(pathname) ?? hostname, host: hostname };
  });
  const rows = files.map(({ url, name, host }) =>
    layout.row({
      side: layout.badge({ content: "PDF" }),
      content:
        layout.name({ content: layout.link({ href: escapeHtml(url), content: escapeHtml(name) }) }) +
        layout.detail({ content: escapeHtml(t("documentOn", { host })) }),
    }),
  );
  const site = email.siteName ?? sender?.name ?? sender?.address;
  const signature = site ? [t("sentBy", { site })] : [];
  return assembleEmail(
    layout,
    language,
    {
      subject: email.title,
      preview: description.text,
      content:
        renderBrand(layout, email) +
        layout.title({ content: escapeHtml(email.title) }) +
        description.html +
        (email.button ? renderButton(layout, email.button) : "") +
        renderSection(layout, documents, rows),
      footerLines: signature.map(escapeHtml),
      text: [
        email.title,
        description.text,
        ...(email.button ? [`${t("heading", { text: email.button.label })} ${email.button.url}`] : []),
        ...writeSection(
          t("heading", { text: documents }),
          files.map(({ name, url }) => `${name} (PDF): ${url}`),
        ),
        ...signature,
      ].join("\n\n"),
    },
    "description",
  );
}

/** The last segment of a URL's path, as a file name to be shown. */
function fileNameIn(pathname: string): string | undefined {
  const last = pathname.split("/").findLast((segment) => segment !== "");
  if (last === undefined) return undefined;
  try {
    return visibleText(decodeURIComponent(last));
  } catch {
    return last;
  }
}
