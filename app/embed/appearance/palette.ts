import { black, fromOklch, mix, type Rgb, toOklch, white } from "./color";
import { CONTROL, contrast, isDark, leastContrast, readable, TEXT } from "./contrast";

export type Scheme = "light" | "dark";

/** What a page may choose; the rest follows from it. */
export interface BaseColors {
  accent?: Rgb | null;
  background?: Rgb | null;
  text?: Rgb | null;
}

const rgb = (hex: number): Rgb => [(hex >> 16) / 255, ((hex >> 8) & 255) / 255, (hex & 255) / 255];

/** What the page has not chosen, as in `embed.css`, and how far the neutral surfaces and lines are from the background to the text. */
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
    /** the icons of the kinds of files, as a service's style sheet has them */
    icons: [
      0x697080, 0x3b76e8, 0x8a4fd3, 0xcf3a2e, 0x0f7d8c, 0x1a8450, 0x2c62c9, 0xc2641a, 0xc03a83, 0xa3650b,
      0x7a6a4a,
    ].map(rgb),
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
      0x8d94a1, 0x7ba8ff, 0xc09bf5, 0xff8f84, 0x5cc7d6, 0x62cf96, 0x86aefc, 0xf4a865, 0xf48fc4, 0xe8b04f,
      0xc9b78f,
    ].map(rgb),
  },
} as const;

/**
 * The colours of `embed.css` for one scheme, by their names there. What is chosen applies to the scheme that it suits: a dark
 * background, or a light text, to the dark one. Every pair that a screen shows has its contrast, whatever is chosen.
 */
export function makePalette(chosen: BaseColors, scheme: Scheme): Record<string, Rgb> {
  const base = defaults[scheme];
  const dark = scheme === "dark";
  const ground =
    chosen.background && isDark(chosen.background) === dark ? chosen.background : base.background;
  const wanted = chosen.text && isDark(chosen.text) !== dark ? chosen.text : base.text;
  const accent = chosen.accent ?? base.accent;

  const surfaces = makeSurfaces(ground, readable(wanted, [ground], TEXT), accent, scheme);
  const behind = ["ground", "raised", "sunken", "hover", "pressed", "accent-wash"].map(
    (name) => surfaces[name] ?? ground,
  );
  const ink = readable(wanted, behind, TEXT);
  const signal = (name: "danger" | "warning" | "success") => {
    const wash = tint(ground, base[name], 0.07, dark ? white : black);
    return { [name]: readable(base[name], [...behind, wash], TEXT), [`${name}-wash`]: wash };
  };
  return {
    ...surfaces,
    ink,
    "ink-soft": readable(mix(ground, ink, base.softer), behind, TEXT),
    "ink-faint": readable(mix(ground, ink, base.faint), behind, TEXT),
    control: readable(mix(ground, ink, 0.4), behind, CONTROL),
    ...makeAccents(accent, ground, behind),
    ...signal("danger"),
    ...signal("warning"),
    ...signal("success"),
  };
}

/** Backgrounds and lines. All keep enough contrast with black, or white in the dark, for a readable text of any hue to exist. */
function makeSurfaces(ground: Rgb, ink: Rgb, accent: Rgb, scheme: Scheme): Record<string, Rgb> {
  const { shares } = defaults[scheme];
  const [extreme, opposite] = scheme === "dark" ? [white, black] : [black, white];
  // A background of middling lightness has no contrast to give away: what lies on it goes the other way.
  const toward = contrast(ground, extreme) > 8 ? ink : opposite;
  const neutrals = Object.entries(shares).map(([name, share]) => [
    name,
    tint(ground, toward, share, extreme),
  ]);
  return {
    ground,
    raised: scheme === "dark" ? tint(ground, toward, 0.035, extreme) : mix(ground, white, 0.5),
    ...Object.fromEntries(neutrals),
    "accent-wash": tint(ground, accent, scheme === "dark" ? 0.16 : 0.1, extreme),
  };
}

/** `share` of `color` on `ground`, or as much of it as leaves `extreme` readable. */
function tint(ground: Rgb, color: Rgb, share: number, extreme: Rgb): Rgb {
  for (const part of [1, 0.7, 0.45, 0.2]) {
    const surface = mix(ground, color, share * part);
    if (contrast(surface, extreme) >= TEXT) return surface;
  }
  return ground;
}

/** The accent as it is for surfaces, and a shade of it for what is read or has to be found. */
function makeAccents(accent: Rgb, ground: Rgb, behind: readonly Rgb[]): Record<string, Rgb> {
  const [lightness, chroma, hue] = toOklch(accent);
  const whiteSuits = contrast(accent, white) >= TEXT;
  const hover = fromOklch([lightness + (whiteSuits ? -0.06 : 0.05), chroma, hue]);
  const inks = [white, fromOklch([0.2, Math.min(chroma, 0.04), hue]), black];
  const strong = readable(accent, behind, TEXT);
  return {
    accent,
    "accent-hover": hover,
    "on-accent": inks.find((ink) => leastContrast(ink, [accent, hover]) >= TEXT) ?? black,
    "accent-strong": strong,
    "accent-line": mix(ground, strong, 0.35),
  };
}

export const iconColors = (scheme: Scheme): readonly Rgb[] => defaults[scheme].icons;

/**
 * How much of the text's colour the icons of files take, percent, so that each of their own colours can be made out on this
 * background. Where that is as usual, none.
 */
export function iconInk(
  { ground = white, ink = black, ...palette }: Record<string, Rgb>,
  scheme: Scheme,
): number {
  const behind = [ground, palette.hover ?? ground, palette["accent-wash"] ?? ground];
  const isSeen = (share: number) =>
    iconColors(scheme).every((icon) => leastContrast(mix(icon, ink, share / 100), behind) >= CONTROL);
  return [0, 20, 40, 60, 80].find(isSeen) ?? 100;
}
