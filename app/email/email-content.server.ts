import { invalidRequest } from "../app-error";
import type { EmailLanguage } from "./email-language.server";
import { escapeHtml } from "./escape-html";
import { type Layout, MAX_HTML_BYTES } from "./layout.server";

/** What an e-mail says, the same for every recipient or for one. */
export interface EmailContent {
  subject: string;
  html: string;
  text: string;
}

/** As many characters as mail clients show beside the subject, each of one or two code units. */
const PREHEADER = /^.{0,140}/su;

/**
 * Puts the parts of an e-mail into the frame.
 * @param longPart the member of the request that makes an e-mail long, to be named when this one is too long
 * @throws AppError `invalid_request` when Gmail would cut it off
 */
export function assembleEmail(
  layout: Layout,
  { lang }: EmailLanguage,
  parts: { subject: string; preview: string; content: string; footerLines: string[]; text: string },
  longPart: string,
): EmailContent {
  const footer = parts.footerLines.map((content) => layout.footerLine({ content })).join("");
  // Whatever is one space already stays as it is.
  const preview = parts.preview.replace(/\s{2,}|[^\S ]/g, " ").trim();
  const [shown] = PREHEADER.exec(preview) ?? [""];
  const html = layout.document({
    lang: escapeHtml(lang),
    title: escapeHtml(parts.subject),
    preheader: escapeHtml(shown),
    content: parts.content,
    footer: footer === "" ? "" : layout.footer({ lines: footer }),
  });
  // A code unit is at most three bytes; counting them takes as long as a paragraph of Markdown.
  const bytes = html.length * 3 <= MAX_HTML_BYTES ? 0 : Buffer.byteLength(html);
  if (bytes > MAX_HTML_BYTES) {
    throw invalidRequest([
      {
        path: longPart,
        message: `makes the e-mail's HTML ${Math.ceil(bytes / 1000)} kB long; shorten it to at most ${MAX_HTML_BYTES / 1000} kB, where Gmail cuts an e-mail off`,
      },
    ]);
  }
  return { subject: parts.subject, html, text: parts.text };
}
