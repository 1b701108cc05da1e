import type { Direction } from "./email-language.server";
import type { Palette, Theme } from "./themes";

const FONT = `-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Helvetica, Arial, sans-serif`;
const MONO = `Consolas, Menlo, monospace`;

/** Outlook for Windows does not pass fonts into tables, and needs one that Windows has. */
export const wordStyles =
  "body, table, td, p, a, li, h1, h2, blockquote, span { font-family: 'Segoe UI', Arial, sans-serif !important; } " +
  "pre, code { font-family: Consolas, monospace !important; }";

/**
 * The styles that juice writes into `style` attributes, for mail clients that remove `<style>`. Paragraphs and lists inherit font and colour
 * from their cell, which saves bytes. Word does not pass them on to a table in the cell.
 */
export function inlinedStyles({ light }: Theme, dir: Direction): string {
  const start = dir === "rtl" ? "right" : "left";
  // Some clients invert background colours in dark mode, but not pictures. A gradient counts as a picture, and stays white under the logo.
  const plate = "background-color: #ffffff; background-image: linear-gradient(#ffffff, #ffffff);";
  const text = `font-family: ${FONT}; font-size: 16px; line-height: 26px; mso-line-height-rule: exactly; color: ${light.text};`;
  const cell = `font-family: ${FONT}; font-size: 14px; line-height: 20px; mso-line-height-rule: exactly; color: ${light.text}; word-break: break-word; overflow-wrap: anywhere;`;
  return `
    .page {
      margin: 0; padding: 0; width: 100%; background-color: ${light.background};
      -webkit-text-size-adjust: 100%; -ms-text-size-adjust: 100%;
    }
    .preheader {
      display: none; max-height: 0; max-width: 0; overflow: hidden; mso-hide: all; line-height: 1px;
      color: ${light.text};
    }
    table { border-collapse: separate; border-spacing: 0; mso-table-lspace: 0; mso-table-rspace: 0; }
    .canvas { background-color: ${light.background}; padding: 32px 12px; }
    .column { width: 100%; max-width: 600px; margin: 0 auto; }
    .bar {
      height: 6px; line-height: 6px; mso-line-height-rule: exactly; font-size: 0;
      background-color: ${light.primary}; border-radius: 12px 12px 0 0;
    }
    .card {
      background-color: ${light.card}; border: 1px solid ${light.line}; border-top: 0;
      border-radius: 0 0 12px 12px; padding: 36px 40px 40px; text-align: ${start}; word-break: break-word;
      overflow-wrap: anywhere; ${text}
    }
    .brand { margin: 0 0 28px; font-size: 15px; line-height: 20px; font-weight: 600; color: ${light.secondary}; }
    .brand-link { color: ${light.secondary}; text-decoration: none; }
    .plate { ${plate} border-radius: 8px; }
    .logo {
      display: block; height: 40px; width: auto; max-width: 240px; object-fit: contain;
      object-position: ${start}; border: 0; font-size: 15px; line-height: 20px; font-weight: 600;
      color: ${light.secondary};
    }
    .title {
      margin: 0 0 20px; font-size: 28px; line-height: 36px; font-weight: 700; letter-spacing: -0.3px;
      color: ${light.secondary};
    }
    .heading { margin: 28px 0 10px; font-size: 19px; line-height: 26px; font-weight: 700; color: ${light.secondary}; }
    .paragraph { margin: 0 0 16px; }
    .list { margin: 0 0 16px; margin-${start}: 26px; padding: 0; }
    .item { margin: 0 0 6px; }
    .quote {
      padding: 14px 16px 0; border-${start}: 4px solid ${light.primary};
      background-color: ${light.background}; text-align: ${start}; ${text}
    }
    .quoted { margin: 0; }
    .code { font-family: ${MONO}; font-size: 14px; }
    .block {
      padding: 14px 16px; border: 1px solid ${light.line}; border-radius: 8px;
      background-color: ${light.background}; text-align: left; color: ${light.text};
    }
    .pre { margin: 0; font-family: ${MONO}; font-size: 14px; line-height: 22px; white-space: pre-wrap; }
    .grid { table-layout: fixed; }
    .head-cell { padding: 6px 5px; border-bottom: 2px solid ${light.line}; ${cell} font-weight: 600; }
    .cell { padding: 6px 5px; border-bottom: 1px solid ${light.line}; ${cell} }
    .after { height: 16px; line-height: 16px; mso-line-height-rule: exactly; font-size: 0; }
    .rule {
      height: 12px; line-height: 12px; mso-line-height-rule: exactly; font-size: 0;
      border-bottom: 1px solid ${light.line};
    }
    .rule-after { height: 28px; line-height: 28px; mso-line-height-rule: exactly; font-size: 0; }
    .link { color: ${light.accent}; text-decoration: underline; }
    .section { padding: 28px 0 12px; text-align: ${start}; }
    .section-title {
      margin: 0; font-family: ${FONT}; font-size: 13px; line-height: 18px; font-weight: 600;
      color: ${light.muted};
    }
    .rows { width: 100%; }
    .row {
      padding: 14px 16px; border: 1px solid ${light.line}; border-radius: 10px;
      background-color: ${light.background};
    }
    .gap { height: 8px; line-height: 8px; mso-line-height-rule: exactly; font-size: 0; }
    .side { vertical-align: top; }
    .badge {
      width: 44px; height: 44px; border-radius: 8px; background-color: ${light.accent}; font-family: ${FONT};
      color: ${light.onAccent}; text-align: center; vertical-align: middle;
    }
    .kind { font-size: 12px; line-height: 16px; font-weight: 700; letter-spacing: 0.4px; }
    .leaf { font-size: 11px; line-height: 17px; mso-line-height-rule: exactly; font-weight: 600; }
    .day { font-size: 17px; font-weight: 700; }
    .month { font-size: 11px; }
    .space { width: 14px; font-size: 0; line-height: 0; }
    .plate-cell { width: 96px; ${plate} border-radius: 8px; }
    .image {
      display: block; width: 96px; height: auto; border: 0; border-radius: 8px; font-family: ${FONT};
      font-size: 12px; line-height: 16px; color: ${light.secondary};
    }
    .beside { text-align: ${start}; vertical-align: middle; font-family: ${FONT}; }
    .name { margin: 0; font-size: 16px; line-height: 22px; font-weight: 600; color: ${light.text}; }
    .price { margin: 2px 0 0; font-size: 15px; line-height: 21px; color: ${light.text}; }
    .detail { margin: 2px 0 0; font-size: 13px; line-height: 19px; color: ${light.muted}; }
    .action { padding: 12px 0 8px; }
    .button-cell { border-radius: 8px; background-color: ${light.accent}; mso-padding-alt: 14px 26px; }
    .button {
      display: inline-block; padding: 14px 26px; mso-padding-alt: 0; border-radius: 8px;
      background-color: ${light.accent}; font-family: ${FONT}; color: ${light.onAccent}; font-size: 16px;
      line-height: 20px; font-weight: 600; text-decoration: none;
    }
    .footer {
      padding: 24px 24px 0; font-family: ${FONT}; font-size: 13px; line-height: 20px; text-align: center;
      color: ${light.muted}; word-break: break-word;
    }
    .footer-line { margin: 0 0 4px; }
    .footer-link { color: ${light.muted}; text-decoration: underline; }`;
}

/** The styles that cannot be inlined: narrow screens and dark mode. Clients that remove them show the light e-mail, complete. */
export function headStyles({ dark }: Theme): string {
  return `
    :root { color-scheme: light dark; supported-color-schemes: light dark; }
    a[x-apple-data-detectors] { color: inherit !important; text-decoration: inherit !important; }
    @media (max-width: 620px) {
      .canvas { padding: 0 0 28px !important; }
      .bar { border-radius: 0 !important; }
      .card { padding: 28px 22px 30px !important; border-left: 0 !important; border-right: 0 !important; border-radius: 0 !important; }
      .title { font-size: 25px !important; line-height: 32px !important; }
      .button { display: block !important; text-align: center !important; }
      .action-table { width: 100% !important; }
    }
    @media (prefers-color-scheme: dark) {${darkRules(dark)}
      .plate { padding: 8px 12px !important; }
    }`;
}

function darkRules(dark: Palette): string {
  const rules: [selectors: string, colour?: string, background?: string, border?: string][] = [
    [".page, .canvas", undefined, dark.background],
    [".bar", undefined, dark.primary],
    [".card", dark.text, dark.card, dark.line],
    [".brand, .brand-link, .title, .heading", dark.secondary],
    [".link", dark.accent],
    [".quote", dark.text, dark.background, dark.primary],
    [".block, .row", dark.text, dark.background, dark.line],
    [".rule", undefined, undefined, dark.line],
    [".head-cell, .cell", dark.text, undefined, dark.line],
    [".name, .price", dark.text],
    [".section-title, .detail, .footer, .footer-link", dark.muted],
    [".badge, .button-cell, .button", dark.onAccent, dark.accent],
  ];
  return rules
    .map(([selectors, colour, background, border]) => {
      const declarations = [
        colour && `color: ${colour} !important;`,
        background && `background-color: ${background} !important;`,
        border && `border-color: ${border} !important;`,
      ];
      return `\n      ${selectors} { ${declarations.filter(Boolean).join(" ")} }`;
    })
    .join("");
}
