/**
 * Colours of sRGB: reading them from text, mixing, and contrast. culori does the computing. Shades are made in OKLCH, where equal steps of
 * lightness look equal.
 */
// CSS's own colour spaces.
import "culori/css";
import {
  clampChroma,
  clampRgb,
  converter,
  formatHex,
  type Oklch,
  parse,
  type Rgb,
  wcagContrast,
} from "culori/fn";

export type { Rgb };

const MAX_TEXT_LENGTH = 100;
/** The supported notations. Also a guard: culori throws on some invalid texts, such as `color(0A)`. */
const NOTATION = /^(#|(rgba?|hsla?|lab|lch|oklab|oklch)\(|color\(\s*(srgb|srgb-linear|display-p3)\s)/;
/** WCAG 2.2, 1.4.3: minimum contrast of text with its background. */
export const MIN_TEXT_CONTRAST = 4.5;
/** WCAG 2.2, 1.4.11: minimum contrast of what must be seen to be used, such as the outline of a field. */
export const MIN_CONTROL_CONTRAST = 3;

export const black: Rgb = { mode: "rgb", r: 0, g: 0, b: 0 };
export const white: Rgb = { mode: "rgb", r: 1, g: 1, b: 1 };

const toRgb = converter("rgb");
export const toOklch = converter("oklch");
/** `#rrggbb` */
export const toHex = (color: Rgb): string => formatHex(color);
/** WCAG's contrast ratio, from 1 to 21. */
export const contrast = (one: Rgb, other: Rgb): number => wcagContrast(one, other);

/**
 * An opaque colour in CSS notation. Null for anything else, names such as `teal` included. A colour outside sRGB gets
 * less chroma and keeps its lightness and hue.
 */
export function parseColor(text: string): Rgb | null {
  const written = text.trim().toLowerCase();
  if (written.length > MAX_TEXT_LENGTH || !NOTATION.test(written)) return null;
  const color = parseOrNull(written);
  if (!color || (color.alpha ?? 1) !== 1) return null;
  const { mode, ...channels } = color;
  if (!Object.values(channels).every(Number.isFinite)) return null;
  return mode === "rgb" || mode === "hsl" ? rounded(toRgb(color)) : inSrgb(toOklch(color));
}

function parseOrNull(text: string) {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

/** The colour of sRGB with this lightness (0 to 1) and hue, and with as much of the chroma as sRGB has there. */
export function fromOklch(l: number, c: number, h: number | undefined): Rgb {
  return inSrgb({ mode: "oklch", l, c, h });
}

/** Reduces the chroma if the colour is outside sRGB. The tolerance is for rounding errors at its edge. */
function inSrgb(color: Oklch): Rgb {
  const rgb = toRgb(color);
  const isInside = [rgb.r, rgb.g, rgb.b].every((channel) => channel > -0.001 && channel < 1.001);
  return rounded(isInside ? rgb : toRgb(clampChroma(color, "oklch")));
}

/** Rounds to 8 bits per channel (`#rrggbb`), so that contrast is computed for the colour that is shown. */
function rounded(color: Rgb): Rgb {
  const { r = 0, g = 0, b = 0 } = clampRgb(color);
  const round = (channel: number) => Math.round(channel * 255) / 255;
  return { mode: "rgb", r: round(r), g: round(g), b: round(b) };
}

/** @param share of `other`, from 0 to 1 */
export function mix(color: Rgb, other: Rgb, share: number): Rgb {
  const between = (from: number, to: number) => from + (to - from) * share;
  const { r, g, b } = color;
  return rounded({ mode: "rgb", r: between(r, other.r), g: between(g, other.g), b: between(b, other.b) });
}

/** The lowest contrast of `color` with any of `backgrounds`. */
export const leastContrast = (color: Rgb, backgrounds: readonly Rgb[]): number =>
  Math.min(...backgrounds.map((background) => contrast(color, background)));

/** Whether light text reads better on it than dark text. */
export const isDark = (background: Rgb): boolean => contrast(background, white) > contrast(background, black);

/**
 * The nearest shade of the same hue, darker or lighter, that has a contrast of `ratio` with each of `backgrounds`. If
 * no shade has, black or white, whichever has more contrast.
 */
export function readable(color: Rgb, backgrounds: readonly Rgb[], ratio: number): Rgb {
  const holds = (shade: Rgb) => leastContrast(shade, backgrounds) >= ratio;
  if (holds(color)) return color;
  const { l, c, h } = toOklch(color);
  let near = l;
  let far = leastContrast(white, backgrounds) > leastContrast(black, backgrounds) ? 1 : 0;
  for (let step = 0; step < 12; step++) {
    const middle = (near + far) / 2;
    if (holds(fromOklch(middle, c, h))) far = middle;
    else near = middle;
  }
  // With reduced chroma, the lightest and darkest shades of a hue are not quite white and black.
  if (far === 1) return white;
  return far === 0 ? black : fromOklch(far, c, h);
}
