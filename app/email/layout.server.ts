import { escapeHtml } from "./escape-html";
import { headStyles, inlinedStyles } from "./stylesheet";
import { compileTemplate } from "./template.server";
import { type Theme, type ThemeName, themeNames, themes } from "./themes";

/** The pieces of one theme's e-mail, each inlined once at start. */
export type Layout = ReturnType<typeof createLayout>;

/** Gmail shows the head of an e-mail up to this, and cuts off the rest behind a link. Bytes; 102 kB. */
export const MAX_HTML_BYTES = 102_000;

/** Fills the preview line after the preheader, so that a mail client does not go on with the body there. */
const PREHEADER_FILL = "&#847;&zwnj;&nbsp;".repeat(60);

/**
 * Presentation tables, 600 px wide; Outlook for Windows, which knows no `max-width`, gets a table of that width around the
 * column by conditional comments.
 */
function createLayout(theme: Theme) {
  const css = inlinedStyles(theme);
  const piece = <Slot extends string = never>(html: string) => compileTemplate<Slot>(html, css);
  return {
    document: piece<"lang" | "dir" | "title" | "preheader" | "content" | "footer">(`
      <!doctype html>
      <html lang="{{lang}}" dir="{{dir}}" xmlns="http://www.w3.org/1999/xhtml" xmlns:o="urn:schemas-microsoft-com:office:office">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="x-apple-disable-message-reformatting">
      <meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
      <meta name="color-scheme" content="light dark">
      <meta name="supported-color-schemes" content="light dark">
      <title>{{title}}</title>
      <!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->
      <style>${headStyles(theme)}</style>
      </head>
      <body class="page">
      <div class="preheader" aria-hidden="true">{{preheader}}${PREHEADER_FILL}</div>
      <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
      <tr><td class="canvas" align="center">
      <!--[if mso]><table role="presentation" width="600" align="center" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
      <table role="presentation" class="column" width="100%" align="center" cellpadding="0" cellspacing="0" border="0">
      <tr><td class="bar" height="6">&nbsp;</td></tr>
      <tr><td class="card" dir="{{dir}}">{{content}}</td></tr>
      {{footer}}
      </table>
      <!--[if mso]></td></tr></table><![endif]-->
      </td></tr></table>
      </body></html>`),
    footer: piece<"lines">(`<tr><td class="footer" align="center">{{lines}}</td></tr>`),
    footerLine: piece<"content">(`<p class="footer-line">{{content}}</p>`),
    footerLink: piece<"href" | "content">(`<a class="footer-link" href="{{href}}">{{content}}</a>`),
    brand: piece<"content">(`<div class="brand">{{content}}</div>`),
    brandLink: piece<"href" | "content">(`<a class="brand-link" href="{{href}}">{{content}}</a>`),
    logo: piece<"src" | "alt">(`<img class="logo" src="{{src}}" alt="{{alt}}" height="40">`),
    title: piece<"content">(`<h1 class="title">{{content}}</h1>`),

    heading: piece<"content">(`<h2 class="heading">{{content}}</h2>`),
    paragraph: piece<"content">(`<p class="paragraph">{{content}}</p>`),
    orderedList: piece<"start" | "content">(`<ol class="list" start="{{start}}">{{content}}</ol>`),
    unorderedList: piece<"content">(`<ul class="list">{{content}}</ul>`),
    item: piece<"content">(`<li class="item">{{content}}</li>`),
    quote: piece<"content">(`<blockquote class="quote">{{content}}</blockquote>`),
    block: piece<"content">(`<pre class="block">{{content}}</pre>`),
    code: piece<"content">(`<code class="code">{{content}}</code>`),
    rule: piece(`<hr class="rule">`),
    link: piece<"href" | "content">(`<a class="link" href="{{href}}">{{content}}</a>`),

    section: piece<"title" | "rows">(`
      <table role="presentation" class="rows" width="100%" cellpadding="0" cellspacing="0" border="0">
      <tr><td class="section">{{title}}</td></tr>{{rows}}</table>`),
    gap: piece(`<tr><td class="gap" height="8">&nbsp;</td></tr>`),
    row: piece<"badge" | "content">(`
      <tr><td class="row">
      <table role="presentation" cellpadding="0" cellspacing="0" border="0">
      <tr>{{badge}}<td class="beside">{{content}}</td></tr>
      </table></td></tr>`),
    badge: piece<"content">(
      `<td class="badge" width="44" align="center">{{content}}</td><td class="space">&nbsp;</td>`,
    ),
    dateBadge: piece<"day" | "month">(
      `<td class="badge" width="44" align="center"><span class="day">{{day}}</span><span class="month">{{month}}</span></td><td class="space">&nbsp;</td>`,
    ),
    detail: piece<"content">(`<span class="detail">{{content}}</span>`),
    button: piece<"href" | "content">(`
      <table role="presentation" class="rows" cellpadding="0" cellspacing="0" border="0"><tr><td class="action">
      <table role="presentation" class="action-table" cellpadding="0" cellspacing="0" border="0"><tr>
      <td class="button-cell"><a class="button" href="{{href}}">{{content}}</a></td>
      </tr></table></td></tr></table>`),
  };
}

export const layouts = Object.fromEntries(
  themeNames.map((name) => [name, createLayout(themes[name])]),
) as Record<ThemeName, Layout>;

/** The site's logo, or its name in its place; nothing when neither is known. */
export function renderBrand(
  layout: Layout,
  brand: { siteName?: string | undefined; logoUrl?: string | undefined; siteUrl?: string | undefined },
): string {
  const name = escapeHtml(brand.siteName ?? "");
  const mark = brand.logoUrl
    ? layout.logo({ src: escapeHtml(brand.logoUrl), alt: name === "" ? "Logo" : name })
    : name;
  if (mark === "") return "";
  const content = brand.siteUrl ? layout.brandLink({ href: escapeHtml(brand.siteUrl), content: mark }) : mark;
  return layout.brand({ content });
}

/** Rows under a small heading. */
export function renderSection(layout: Layout, title: string, rows: string[]): string {
  return rows.length === 0 ? "" : layout.section({ title, rows: rows.join(layout.gap({})) });
}
