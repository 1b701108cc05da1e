import { black, fromOklch, type Rgb, toLinear, toOklch, white } from "./color";

/** The least contrast of text, and of what has to be seen to be used, with what is behind it: WCAG 2.2, 1.4.3 and 1.4.11. */
export const TEXT = 4.5;
export const CONTROL = 3;

/** WCAG's relative luminance, from 0 (black) to 1 (white). */
function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * toLinear(red) + 0.7152 * toLinear(green) + 0.0722 * toLinear(blue);
}

/** WCAG's contrast ratio, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Of `color` with the worst of `backgrounds`. */
export const leastContrast = (color: Rgb, backgrounds: readonly Rgb[]) =>
  Math.min(...backgrounds.map((background) => contrast(color, background)));

/** Whether light text reads better on it than dark text. */
export const isDark = (background: Rgb) => contrast(background, white) > contrast(background, black);

/**
 * The shade of `color` nearest to it that has `ratio` with each of `backgrounds`: darker or lighter, of the same hue. Where black and
 * white have not, no shade has: then the better of the two.
 */
export function readable(color: Rgb, backgrounds: readonly Rgb[], ratio: number): Rgb {
  const holds = (shade: Rgb) => leastContrast(shade, backgrounds) >= ratio;
  if (holds(color)) return color;
  const [lightness, chroma, hue] = toOklch(color);
  let near = lightness;
  let far = leastContrast(white, backgrounds) > leastContrast(black, backgrounds) ? 1 : 0;
  for (let step = 0; step < 12; step++) {
    const middle = (near + far) / 2;
    if (holds(fromOklch([middle, chroma, hue]))) far = middle;
    else near = middle;
  }
  return fromOklch([far, chroma, hue]);
}
