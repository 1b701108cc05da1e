import type { Direction } from "./email-language.server";
import { escapeHtml } from "./escape-html";
import { headStyles, inlinedStyles, wordStyles } from "./stylesheet";
import { compileTemplate } from "./template.server";
import type { Theme } from "./themes";

/** The pieces of one theme's e-mail in one direction, each inlined once. */
export type Layout = ReturnType<typeof createLayout>;

/** Gmail shows the head of an e-mail up to this, and cuts off the rest behind a link. Bytes; 102 kB. */
export const MAX_HTML_BYTES = 102_000;

/** Fills the preview line after the preheader, so that a mail client does not go on with the body there. */
const PREHEADER_FILL = "&#847;&zwnj;&nbsp;".repeat(60);

const TABLE = `table role="presentation" cellpadding="0" cellspacing="0" border="0"`;

/**
 * Presentation tables, 600 px wide. What has room, lines or colour around it is a cell, and what begins a line is a paragraph: Outlook for
 * Windows lays out by Word, which knows padding of cells alone, and no `display`. docs/decisions/0095-layout-for-word.md
 */
export function createLayout(theme: Theme, dir: Direction) {
  const css = inlinedStyles(theme, dir);
  const start = dir === "rtl" ? "right" : "left";
  const piece = <Slot extends string = never>(html: string) => compileTemplate<Slot>(html, css);
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
  return {
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

    heading: piece<"content">(`<h2 class="heading">{{content}}</h2>`),
    paragraph: piece<"content">(`<p class="paragraph">{{content}}</p>`),
    orderedList: piece<"start" | "content">(`<ol class="list" start="{{start}}">{{content}}</ol>`),
    unorderedList: piece<"content">(`<ul class="list">{{content}}</ul>`),
    item: piece<"content">(`<li class="item">{{content}}</li>`),
    quote: piece<"content">(
      boxed(`<td class="quote"><blockquote class="quoted">{{content}}</blockquote></td>`),
    ),
    block: piece<"content">(
      boxed(`<td class="block" align="left"><pre class="pre" dir="ltr">{{content}}</pre></td>`),
    ),
    code: piece<"content">(`<code class="code">{{content}}</code>`),
    rule: piece(`
      <${TABLE} class="rows" width="100%"><tr><td class="rule" height="12">&nbsp;</td></tr>${after("rule-after", 28)}</table>`),
    link: piece<"href" | "content">(`<a class="link" href="{{href}}">{{content}}</a>`),

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

/** The site's logo, or its name in its place; nothing when neither is known. */
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

/** The one thing to do. */
export function renderButton(layout: Layout, { label, url }: { label: string; url: string }): string {
  return layout.button({ href: escapeHtml(url), content: escapeHtml(label) });
}

/** Rows under a small heading. */
export function renderSection(layout: Layout, title: string, rows: string[]): string {
  return rows.length === 0
    ? ""
    : layout.section({ title: escapeHtml(title), rows: rows.join(layout.gap({})) });
}
