import type { EmbedAppearance } from "../../../embed-element/protocol";
import { toHex } from "./color";
import { isDark } from "./contrast";
import { type BaseColors, iconInk, makePalette, type Scheme } from "./palette";
import { parseColor } from "./parse-color";
import { parseFont } from "./parse-font";

/** An appearance as the style of a document. Every value has been made here, of numbers and checked names: none is a text that came in. */
export interface AppearanceStyle {
  /** custom properties of `embed.css`, for the root element */
  properties: Record<string, string>;
  /** the scheme that the background belongs to; it decides where the theme is `auto` */
  scheme: Scheme | null;
  /** `data-density` of the root element */
  density: "compact" | null;
}

/** CSS pixels */
export const LARGEST_RADIUS = 24;

/** The style for `appearance`, whatever is in it: a value that is invalid is as one that is left out. docs/guide/theming.md */
export function styleOf(appearance: EmbedAppearance): AppearanceStyle {
  const { radius, density } = appearance;
  const colors = {
    accent: readColor(appearance.accent),
    background: readColor(appearance.background),
    text: readColor(appearance.text),
  };
  const font = typeof appearance.font === "string" ? parseFont(appearance.font) : null;
  return {
    properties: {
      ...(Object.values(colors).some(Boolean) ? colorProperties(colors) : {}),
      ...(isRadius(radius) ? radiusProperties(radius) : {}),
      ...(font === null ? {} : { "--font": font }),
    },
    scheme: colors.background && (isDark(colors.background) ? "dark" : "light"),
    density: density === "compact" ? density : null,
  };
}

const readColor = (value: unknown) => (typeof value === "string" ? parseColor(value) : null);
const isRadius = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= LARGEST_RADIUS;

function colorProperties(colors: BaseColors): Record<string, string> {
  const light = makePalette(colors, "light");
  const dark = makePalette(colors, "dark");
  const pairs = Object.entries(light).map(([name, color]) => [
    `--${name}`,
    `light-dark(${toHex(color)},${toHex(dark[name] ?? color)})`,
  ]);
  const icons = Math.max(iconInk(light, "light"), iconInk(dark, "dark"));
  return { ...Object.fromEntries(pairs), "--icon-ink": `${icons}%` };
}

function radiusProperties(radius: number): Record<string, string> {
  const pixels = (value: number) => `${Math.round(value * 100) / 100}px`;
  return {
    "--radius-small": pixels(radius * 0.75),
    "--radius": pixels(radius),
    "--radius-large": pixels(Math.min(radius * 1.5, LARGEST_RADIUS)),
  };
}
