/** In the place of Lit's `css-tag.js`, for the one style sheet that there is, which is the browser's own already. */
// Lit's core hands these on, and nobody takes them: they do not get into our files.
export { CSSResult, css, unsafeCSS } from "@lit/reactive-element/css-tag.js";

export const supportsAdoptingStyleSheets = true;

export const getCompatibleStyle = (styles: CSSStyleSheet): CSSStyleSheet => styles;

export function adoptStyles(root: ShadowRoot, styles: CSSStyleSheet[]): void {
  root.adoptedStyleSheets = styles;
}
