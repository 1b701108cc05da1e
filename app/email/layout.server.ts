import juice from "juice";
import { invalidRequest } from "../shared/app-error";
import { withoutControls } from "./email-address.server";
import type { Direction, EmailLanguage } from "./email-language.server";
import { escapeHtml } from "./escape-html";
import type { MarkdownTemplates } from "./markdown.server";
import { headStyles, inlinedStyles, wordStyles } from "./stylesheet";
import { fill, parseTemplate } from "./template";
import { type Theme, type ThemeName, themes } from "./themes";

/** The HTML of one theme's e-mail in one direction, its styles inlined. */
export type Layout = ReturnType<typeof createLayout>;

/** Gmail shows an e-mail up to this size, and hides the rest behind a link. */
export const MAX_HTML_BYTES = 102_000;

const layouts = new Map<string, Layout>();

/**
 * The layout of a theme in one direction. Inlining its styles takes some 40 ms, so each layout is made once, when it is
 * first used.
 */
export function layoutOf(theme: ThemeName, dir: Direction): Layout {
  const name = `${theme} ${dir}`;
  let layout = layouts.get(name);
  if (layout === undefined) {
    layout = createLayout(themes[theme], dir);
    layouts.set(name, layout);
  }
  return layout;
}

/** Fills the preview line after the preheader, so that mail clients do not continue it with the body. */
const PREHEADER_FILL = "&#847;&zwnj;&nbsp;".repeat(60);

const TABLE = `table role="presentation" cellpadding="0" cellspacing="0" border="0"`;

/**
 * Presentation tables, 600 px wide. Outlook for Windows uses Word's layout, which supports padding on cells only, and no `display`. So
 * whatever needs padding, borders or a background is a cell, and whatever starts a line is a paragraph. app/email/README.md
 */
function createLayout(theme: Theme, dir: Direction) {
  const css = inlinedStyles(theme, dir);
  const start = dir === "rtl" ? "right" : "left";
  const template = <Slot extends string = never>(html: string) =>
    parseTemplate<Slot>(inlineStyles(html, css));
  const piece = <Slot extends string = never>(html: string) => {
    const parsed = template<Slot>(html);
    return (values: Record<Slot, string>) => fill(parsed, values);
  };
  const after = (space: "after" | "rule-after", height: number) =>
    `<tr><td class="${space}" height="${height}">&nbsp;</td></tr>`;
  const boxed = (cell: string) =>
    `<${TABLE} class="rows" width="100%"><tr>${cell}</tr>${after("after", 16)}</table>`;
  const side = (width: number, cell: string) =>
    `<td class="side" width="${width}" valign="top"><${TABLE}><tr>${cell}</tr></table></td><td class="space" width="14">&nbsp;</td>`;
  const badge = (kind: string, content: string) =>
    side(
      44,
      `<td class="badge ${kind}" width="44" height="44" align="center" valign="middle">${content}</td>`,
    );
  const link = template<"href" | "content">(`<a class="link" href="{{href}}">{{content}}</a>`);
  const markdown: MarkdownTemplates = {
    heading: template(`<h2 class="heading">{{content}}</h2>`),
    paragraph: template(`<p class="paragraph">{{content}}</p>`),
    orderedList: template(`<ol class="list" start="{{start}}">{{content}}</ol>`),
    unorderedList: template(`<ul class="list">{{content}}</ul>`),
    item: template(`<li class="item">{{content}}</li>`),
    quote: template(boxed(`<td class="quote"><blockquote class="quoted">{{content}}</blockquote></td>`)),
    codeBlock: template(
      boxed(`<td class="block" align="left"><pre class="pre" dir="ltr">{{content}}</pre></td>`),
    ),
    code: template(`<code class="code">{{content}}</code>`),
    rule: template(
      `<${TABLE} class="rows" width="100%"><tr><td class="rule" height="12">&nbsp;</td></tr>${after("rule-after", 28)}</table>`,
    ),
    link,
    // Of data, so it has a role and cells of headings.
    table: template(
      `<table class="grid" width="100%" cellpadding="0" cellspacing="0" border="0">{{content}}</table><${TABLE}>${after("after", 16)}</table>`,
    ),
    headCell: template(
      `<th class="head-cell" scope="col" align="{{align}}" valign="bottom">{{content}}</th>`,
    ),
    cell: template(`<td class="cell" align="{{align}}" valign="top">{{content}}</td>`),
    start,
  };
  return {
    markdown,
    paragraph: (values: { content: string }) => fill(markdown.paragraph, values),
    link: (values: { href: string; content: string }) => fill(link, values),
    document: piece<"lang" | "title" | "preheader" | "content" | "footer">(`
      <!doctype html>
      <html lang="{{lang}}" dir="${dir}" xmlns="http://www.w3.org/1999/xhtml" xmlns:o="urn:schemas-microsoft-com:office:office">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="x-apple-disable-message-reformatting">
      <meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
      <meta name="color-scheme" content="light dark">
      <meta name="supported-color-schemes" content="light dark">
      <title>{{title}}</title>
      <!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>${wordStyles}</style><![endif]-->
      <style>${headStyles(theme)}</style>
      </head>
      <body class="page">
      <div class="preheader" aria-hidden="true">{{preheader}}${PREHEADER_FILL}</div>
      <div role="main" lang="{{lang}}" dir="${dir}">
      <${TABLE} width="100%">
      <tr><td class="canvas" align="center">
      <!--[if mso]><table role="presentation" width="600" align="center" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
      <${TABLE} class="column" width="100%" align="center">
      <tr><td class="bar" height="6">&nbsp;</td></tr>
      <tr><td class="card" align="${start}">{{content}}</td></tr>
      {{footer}}
      </table>
      <!--[if mso]></td></tr></table><![endif]-->
      </td></tr></table>
      </div>
      </body></html>`),
    footer: piece<"lines">(`<tr><td class="footer" align="center">{{lines}}</td></tr>`),
    footerLine: piece<"content">(`<p class="footer-line" dir="auto">{{content}}</p>`),
    footerLink: piece<"href" | "content">(`<a class="footer-link" href="{{href}}">{{content}}</a>`),
    brand: piece<"content">(`<p class="brand" dir="auto">{{content}}</p>`),
    brandLink: piece<"href" | "content">(`<a class="brand-link" href="{{href}}">{{content}}</a>`),
    plate: piece<"content">(`
      <${TABLE}><tr><td class="plate" align="${start}">{{content}}</td></tr>${after("rule-after", 28)}</table>`),
    logo: piece<"src" | "alt">(`<img class="logo" src="{{src}}" alt="{{alt}}" height="40">`),
    title: piece<"content">(`<h1 class="title">{{content}}</h1>`),

    section: piece<"title" | "rows">(`
      <${TABLE} class="rows" width="100%">
      <tr><td class="section"><h2 class="section-title">{{title}}</h2></td></tr>{{rows}}</table>`),
    gap: piece(`<tr><td class="gap" height="8">&nbsp;</td></tr>`),
    row: piece<"side" | "content">(`
      <tr><td class="row">
      <${TABLE} width="100%"><tr>{{side}}<td class="beside" valign="middle">{{content}}</td></tr></table>
      </td></tr>`),
    badge: piece<"content">(badge("kind", "{{content}}")),
    dateBadge: piece<"day" | "month">(
      badge("leaf", `<span class="day">{{day}}</span><br><span class="month">{{month}}</span>`),
    ),
    picture: piece<"content">(side(96, `<td class="plate-cell" width="96">{{content}}</td>`)),
    image: piece<"src" | "alt">(`<img class="image" src="{{src}}" alt="{{alt}}" width="96">`),
    name: piece<"content">(`<p class="name" dir="auto">{{content}}</p>`),
    price: piece<"content">(`<p class="price" dir="auto">{{content}}</p>`),
    detail: piece<"content">(`<p class="detail" dir="auto">{{content}}</p>`),
    space: piece(`<${TABLE}>${after("after", 16)}</table>`),
    button: piece<"href" | "content">(`
      <${TABLE} class="rows" width="100%"><tr><td class="action" align="${start}">
      <${TABLE} class="action-table"><tr>
      <td class="button-cell" align="center" valign="middle"><a class="button" href="{{href}}">{{content}}</a></td>
      </tr></table></td></tr></table>`),
  };
}

/** `html` with the rules of `css` in `style` attributes. */
function inlineStyles(html: string, css: string): string {
  return juice.inlineContent(html.replace(/\s*\n\s*/g, ""), rulesFor(html, css), {
    applyStyleTags: false,
    removeStyleTags: false,
    applyHeightAttributes: false,
    applyWidthAttributes: false,
  });
}

/** The rules for the classes and elements in `html`. Juice would read the whole style sheet for each piece. */
function rulesFor(html: string, css: string): string {
  const mayApply = (rule: string) => {
    const [, dot, name] = /^\s*(\.?)([\w-]+)/.exec(rule) ?? [];
    return name !== undefined && new RegExp(dot ? `[" ]${name}[" ]` : `<${name}\\b`).test(html);
  };
  return css
    .split(/(?<=\})\n/)
    .filter(mayApply)
    .join("\n");
}

/** The site's logo, or its name if there is no logo; nothing when neither is known. */
export function renderBrand(
  layout: Layout,
  brand: { siteName?: string | undefined; logoUrl?: string | undefined; siteUrl?: string | undefined },
): string {
  const name = escapeHtml(brand.siteName ?? "");
  const linked = (content: string) =>
    brand.siteUrl ? layout.brandLink({ href: escapeHtml(brand.siteUrl), content }) : content;
  if (brand.logoUrl) {
    const logo = layout.logo({ src: escapeHtml(brand.logoUrl), alt: name === "" ? "Logo" : name });
    return layout.plate({ content: linked(logo) });
  }
  return name === "" ? "" : layout.brand({ content: linked(name) });
}

/** The e-mail's main action. */
export function renderButton(layout: Layout, { label, url }: { label: string; url: string }): string {
  return layout.button({ href: escapeHtml(url), content: escapeHtml(label) });
}

/** Rows under a small heading. */
export function renderSection(layout: Layout, title: string, rows: string[]): string {
  return rows.length === 0
    ? ""
    : layout.section({ title: escapeHtml(title), rows: rows.join(layout.gap({})) });
}

/** The same in the part without HTML: one paragraph, or none. */
export function writeSection(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [`${title}\n${lines.map((line) => `- ${line}`).join("\n")}`];
}

/** A rendered e-mail. */
export interface EmailContent {
  subject: string;
  html: string;
  text: string;
}

/**
 * A subject that mail programs show as it is written. `=?utf-8?` begins an encoded word (RFC 2047, section 2), which may stand for characters that
 * were removed from the text, and a subject in ASCII may be sent without being encoded once more.
 */
function asWritten(subject: string): string {
  return subject.replace(/=\?(?=[^\s?]+\?)/g, "= ?");
}

/** The characters that mail clients show beside the subject. */
const PREHEADER = /^.{0,140}/su;

/**
 * Puts the parts of an e-mail into the layout, without control characters: Markdown may have some, and entities that stand for them.
 * @param longMember the member of the request to name in the error if the e-mail is too long
 * @throws AppError `invalid_request` when the HTML has more than `MAX_HTML_BYTES`
 */
export function assembleEmail(
  layout: Layout,
  { lang }: EmailLanguage,
  parts: { subject: string; preview: string; content: string; footerLines: string[]; text: string },
  longMember: string,
): EmailContent {
  const footer = parts.footerLines.map((content) => layout.footerLine({ content })).join("");
  const preview = parts.preview.replace(/\s+/g, " ").trim();
  const [shown] = PREHEADER.exec(preview) ?? [""];
  const html = withoutControls(
    layout.document({
      lang: escapeHtml(lang),
      title: escapeHtml(parts.subject),
      preheader: escapeHtml(shown),
      content: parts.content,
      footer: footer === "" ? "" : layout.footer({ lines: footer }),
    }),
  );
  const bytes = Buffer.byteLength(html);
  if (bytes > MAX_HTML_BYTES) {
    throw invalidRequest([
      {
        path: longMember,
        message:
          `makes the e-mail's HTML ${Math.ceil(bytes / 1000)} kB long; shorten it to at most ` +
          `${MAX_HTML_BYTES / 1000} kB, where Gmail cuts an e-mail off`,
      },
    ]);
  }
  return { subject: asWritten(parts.subject), html, text: withoutControls(parts.text) };
}
