import type { Palette, Theme } from "./themes";

const FONT = `-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Helvetica, Arial, sans-serif`;
const MONO = `Consolas, Menlo, monospace`;

/**
 * What juice writes into `style` attributes: mail clients that drop `<style>` see all of it. Paragraphs and lists inherit
 * font and colour from their cell, so that they cost few bytes each.
 */
export function inlinedStyles({ light }: Theme): string {
  return `
    .page { margin: 0; padding: 0; width: 100%; background-color: ${light.background}; -webkit-text-size-adjust: 100%; -ms-text-size-adjust: 100%; }
    .preheader { display: none; max-height: 0; max-width: 0; overflow: hidden; opacity: 0; mso-hide: all; font-size: 1px; line-height: 1px; color: ${light.background}; }
    table { border-collapse: separate; border-spacing: 0; mso-table-lspace: 0; mso-table-rspace: 0; }
    .canvas { background-color: ${light.background}; padding: 32px 12px; }
    .column { width: 100%; max-width: 600px; margin: 0 auto; }
    .bar { height: 6px; line-height: 6px; font-size: 0; background-color: ${light.primary}; border-radius: 12px 12px 0 0; }
    .card { background-color: ${light.card}; border: 1px solid ${light.line}; border-top: 0; border-radius: 0 0 12px 12px; padding: 36px 40px 40px; font-family: ${FONT}; font-size: 16px; line-height: 26px; color: ${light.text}; word-break: break-word; overflow-wrap: anywhere; }
    .brand { margin: 0 0 28px; font-size: 15px; line-height: 20px; font-weight: 600; color: ${light.secondary}; }
    .brand-link { color: ${light.secondary}; text-decoration: none; }
    .logo { display: block; height: 40px; width: auto; max-width: 240px; border: 0; font-size: 15px; line-height: 20px; font-weight: 600; color: ${light.secondary}; }
    .title { margin: 0 0 20px; font-size: 28px; line-height: 36px; font-weight: 700; letter-spacing: -0.3px; color: ${light.secondary}; }
    .heading { margin: 28px 0 10px; font-size: 19px; line-height: 26px; font-weight: 700; color: ${light.secondary}; }
    .paragraph { margin: 0 0 16px; }
    .list { margin: 0 0 16px; padding: 0 0 0 26px; }
    .item { margin: 0 0 6px; }
    .quote { margin: 0 0 16px; padding: 14px 16px 1px; border: 0; border-left: 4px solid ${light.primary}; background-color: ${light.background}; }
    .code { font-family: ${MONO}; font-size: 14px; }
    .block { margin: 0 0 16px; padding: 14px 16px; border: 1px solid ${light.line}; border-radius: 8px; background-color: ${light.background}; font-family: ${MONO}; font-size: 14px; line-height: 22px; white-space: pre-wrap; }
    .rule { margin: 28px 0; border: 0; border-top: 1px solid ${light.line}; height: 0; }
    .link { color: ${light.accent}; text-decoration: underline; }
    .section { padding: 28px 0 12px; font-size: 13px; line-height: 18px; font-weight: 600; color: ${light.muted}; }
    .rows { width: 100%; }
    .row { padding: 14px 16px; border: 1px solid ${light.line}; border-radius: 10px; background-color: ${light.background}; }
    .gap { height: 8px; line-height: 8px; font-size: 0; }
    .badge { width: 44px; height: 44px; border-radius: 8px; background-color: ${light.accent}; color: ${light.onAccent}; text-align: center; font-size: 12px; line-height: 44px; font-weight: 700; letter-spacing: 0.4px; }
    .space { width: 14px; font-size: 0; line-height: 0; }
    .day { display: block; padding: 5px 0 0; font-size: 17px; line-height: 20px; letter-spacing: 0; }
    .month { display: block; padding: 0 0 5px; font-size: 11px; line-height: 14px; font-weight: 600; }
    .beside { font-size: 16px; line-height: 22px; font-weight: 600; color: ${light.text}; }
    .detail { display: block; font-size: 13px; line-height: 19px; font-weight: 400; color: ${light.muted}; }
    .action { padding: 28px 0 0; }
    .button-cell { border-radius: 8px; background-color: ${light.accent}; }
    .button { display: inline-block; padding: 13px 24px; border: 1px solid ${light.accent}; border-radius: 8px; background-color: ${light.accent}; color: ${light.onAccent}; font-size: 16px; line-height: 20px; font-weight: 600; text-decoration: none; }
    .footer { padding: 24px 24px 0; font-family: ${FONT}; font-size: 13px; line-height: 20px; text-align: center; color: ${light.muted}; word-break: break-word; }
    .footer-line { margin: 0 0 4px; }
    .footer-link { color: ${light.muted}; text-decoration: underline; }`;
}

/**
 * What cannot be inlined: the narrow screen and the dark scheme. Clients that drop it show the light e-mail, whole.
 */
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
    }`;
}

function darkRules(dark: Palette): string {
  const rules: [selectors: string, colour?: string, background?: string, border?: string][] = [
    [".page, .canvas", undefined, dark.background],
    [".preheader", dark.background],
    [".bar", undefined, dark.primary],
    [".card", dark.text, dark.card, dark.line],
    [".brand, .brand-link, .logo, .title, .heading", dark.secondary],
    [".link", dark.accent],
    [".quote", dark.text, dark.background, dark.primary],
    [".block, .row", dark.text, dark.background, dark.line],
    [".rule", undefined, undefined, dark.line],
    [".beside", dark.text],
    [".section, .detail, .footer, .footer-link", dark.muted],
    [".badge, .button-cell", dark.onAccent, dark.accent],
    [".button", dark.onAccent, dark.accent, dark.accent],
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
