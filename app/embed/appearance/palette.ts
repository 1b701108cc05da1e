import {
  black,
  contrast,
  fromOklch,
  isDark,
  leastContrast,
  MIN_CONTROL_CONTRAST,
  MIN_TEXT_CONTRAST,
  mix,
  type Rgb,
  readable,
  toOklch,
  white,
} from "./color";

export type Scheme = "light" | "dark";

// In this file, as in `embed.css`: `background` and `text` are those of the frame, a `tint` is a background that is tinted with a colour, and
// `surfaces` are all backgrounds on which a text may stand.

/**
 * The colours that the embedding page may choose. All others of `embed.css` are derived from them, and the explorer's rules have no colours
 * of their own. The accent becomes two: `--accent` is the brand's own, for surfaces, and `--accent-strong`, for text, has the nearest
 * lightness with enough contrast on every surface.
 */
export interface BaseColors {
  accent?: Rgb | null;
  background?: Rgb | null;
  text?: Rgb | null;
}

const rgb = (hex: number): Rgb => ({
  mode: "rgb",
  r: (hex >> 16) / 255,
  g: ((hex >> 8) & 255) / 255,
  b: (hex & 255) / 255,
});

/** Defaults as in `embed.css`. `shares`: how far neutral surfaces and lines are from the background towards the text. */
const defaults = {
  light: {
    background: white,
    text: rgb(0x16181d),
    accent: rgb(0x3157e0),
    danger: rgb(0xb42318),
    warning: rgb(0x8a5300),
    success: rgb(0x0c7a4b),
    shares: { sunken: 0.04, hover: 0.045, pressed: 0.08, line: 0.11, "line-strong": 0.18 },
    softer: 0.73,
    faint: 0.64,
    /** icons of the kinds of files, as in the explorer's list.css */
    icons: [
      0x697080, 0x8a4fd3, 0xcf3a2e, 0x0f7d8c, 0x1a8450, 0x2c62c9, 0xc2641a, 0xc03a83, 0xa3650b, 0x7a6a4a,
    ].map(rgb),
    /** code and JSON in the preview, as in the explorer's preview.css */
    code: [0x2b50d0, 0x1a6f45, 0x7a3fc0, 0x8a5300, 0x0f6b79, 0xb42318].map(rgb),
  },
  dark: {
    background: rgb(0x131417),
    text: rgb(0xeef0f3),
    accent: rgb(0x8aa4ff),
    danger: rgb(0xff9a8f),
    warning: rgb(0xf2bf66),
    success: rgb(0x5fd39b),
    shares: { sunken: 0.03, hover: 0.045, pressed: 0.085, line: 0.11, "line-strong": 0.185 },
    softer: 0.7,
    faint: 0.56,
    icons: [
      0x8d94a1, 0xc09bf5, 0xff8f84, 0x5cc7d6, 0x62cf96, 0x86aefc, 0xf4a865, 0xf48fc4, 0xe8b04f, 0xc9b78f,
    ].map(rgb),
    code: [0x8aa4ff, 0x6fd3a1, 0xc7a5f7, 0xf2bf66, 0x6cd0de, 0xff9a8f].map(rgb),
  },
} as const;

/**
 * The colours of `embed.css` for one scheme, by their names. A dark background or a light text applies to the dark scheme only, and the
 * reverse. Every pair of colours that is shown has sufficient contrast, whatever is chosen.
 */
export function makePalette(chosen: BaseColors, scheme: Scheme): Record<string, Rgb> {
  const base = defaults[scheme];
  const dark = scheme === "dark";
  const background =
    chosen.background && isDark(chosen.background) === dark ? chosen.background : base.background;
  const wanted = chosen.text && isDark(chosen.text) !== dark ? chosen.text : base.text;
  const accent = chosen.accent ?? base.accent;

  const made = makeSurfaces(background, readable(wanted, [background], MIN_TEXT_CONTRAST), accent, scheme);
  const surfaces = ["background", "raised", "sunken", "hover", "pressed", "accent-tint"].map(
    (name) => made[name] ?? background,
  );
  const text = readable(wanted, surfaces, MIN_TEXT_CONTRAST);
  const signal = (name: "danger" | "warning" | "success") => {
    const tint = tinted(background, base[name], 0.07, dark ? white : black);
    return { [name]: readable(base[name], [...surfaces, tint], MIN_TEXT_CONTRAST), [`${name}-tint`]: tint };
  };
  return {
    ...made,
    text,
    "text-soft": readable(mix(background, text, base.softer), surfaces, MIN_TEXT_CONTRAST),
    "text-faint": readable(mix(background, text, base.faint), surfaces, MIN_TEXT_CONTRAST),
    control: readable(mix(background, text, 0.4), surfaces, MIN_CONTROL_CONTRAST),
    ...makeAccents(accent, background, surfaces),
    ...signal("danger"),
    ...signal("warning"),
    ...signal("success"),
  };
}

/** Backgrounds and lines. All keep enough contrast with black (white in the dark scheme) for readable text of any hue. */
function makeSurfaces(background: Rgb, text: Rgb, accent: Rgb, scheme: Scheme): Record<string, Rgb> {
  const { shares } = defaults[scheme];
  const [extreme, opposite] = scheme === "dark" ? [white, black] : [black, white];
  // On a background of medium lightness, surfaces move away from the text, to keep contrast.
  const toward = contrast(background, extreme) > 8 ? text : opposite;
  const neutrals = Object.entries(shares).map(([name, share]) => [
    name,
    tinted(background, toward, share, extreme),
  ]);
  return {
    background,
    raised: scheme === "dark" ? tinted(background, toward, 0.035, extreme) : mix(background, white, 0.5),
    ...Object.fromEntries(neutrals),
    "accent-tint": tinted(background, accent, scheme === "dark" ? 0.16 : 0.1, extreme),
  };
}

/** Mixes `share` of `color` into `background`, or less if `extreme` would become unreadable on it. */
function tinted(background: Rgb, color: Rgb, share: number, extreme: Rgb): Rgb {
  for (const factor of [1, 0.7, 0.45, 0.2]) {
    const surface = mix(background, color, share * factor);
    if (contrast(surface, extreme) >= MIN_TEXT_CONTRAST) return surface;
  }
  return background;
}

/** The accent itself for surfaces, and a readable shade of it for text and outlines. */
function makeAccents(accent: Rgb, background: Rgb, surfaces: readonly Rgb[]): Record<string, Rgb> {
  const { l, c, h } = toOklch(accent);
  const whiteSuits = contrast(accent, white) >= MIN_TEXT_CONTRAST;
  const hover = fromOklch(l + (whiteSuits ? -0.06 : 0.05), c, h);
  const texts = [white, fromOklch(0.2, Math.min(c, 0.04), h), black];
  const strong = readable(accent, surfaces, MIN_TEXT_CONTRAST);
  return {
    accent,
    "accent-hover": hover,
    "on-accent": texts.find((text) => leastContrast(text, [accent, hover]) >= MIN_TEXT_CONTRAST) ?? black,
    "accent-strong": strong,
    "accent-line": mix(background, strong, 0.35),
  };
}

export const iconColors = (scheme: Scheme): readonly Rgb[] => defaults[scheme].icons;
export const codeColors = (scheme: Scheme): readonly Rgb[] => defaults[scheme].code;

/**
 * The share of the text colour that is mixed into the icons of files, percent, so that they stand out from this background. It is 0 on the
 * default background.
 */
export function iconText(palette: Record<string, Rgb>, scheme: Scheme): number {
  const surfaces = [palette.background, palette.hover, palette["accent-tint"]];
  return textShare(iconColors(scheme), surfaces, palette.text, MIN_CONTROL_CONTRAST);
}

/** The same for the colours of code, so that they are readable. */
export function codeText(palette: Record<string, Rgb>, scheme: Scheme): number {
  return textShare(codeColors(scheme), [palette.background], palette.text, MIN_TEXT_CONTRAST);
}

function textShare(
  colors: readonly Rgb[],
  surfaces: readonly (Rgb | undefined)[],
  text: Rgb = black,
  least: number,
): number {
  const seen = surfaces.map((surface) => surface ?? white);
  const isSeen = (share: number) =>
    colors.every((color) => leastContrast(mix(color, text, share / 100), seen) >= least);
  return [0, 20, 40, 60, 80].find(isSeen) ?? 100;
}
