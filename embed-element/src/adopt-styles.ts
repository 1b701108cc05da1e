/** In the place of Lit's `css-tag.js`, for the one style sheet that there is, which is the browser's own already. */
export const supportsAdoptingStyleSheets = true;

export const getCompatibleStyle = (styles: CSSStyleSheet): CSSStyleSheet => styles;

export function adoptStyles(root: ShadowRoot, styles: CSSStyleSheet[]): void {
  root.adoptedStyleSheets = styles;
}

// Lit's core hands these on, to nobody.
export const CSSResult = undefined;
export const css = undefined;
export const unsafeCSS = undefined;
