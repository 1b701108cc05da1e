import type { EmbedAppearance } from "../../../embed-element/protocol";
import { isDark, parseColor, toHex } from "./color";
import { type BaseColors, codeText, iconText, makePalette, type Scheme } from "./palette";

/**
 * The style of a document. Every value is made here from numbers and checked names; no text from outside gets into it. The server writes the
 * first one into the page, and the browser loads this code only if the appearance changes later.
 */
export interface AppearanceStyle {
  /** custom properties of `embed.css`, for the root element */
  properties: Record<string, string>;
  /** the scheme of the background; it counts when the theme is `auto` */
  scheme: Scheme | null;
  /** `data-density` of the root element */
  density: "compact" | null;
}

/** CSS pixels */
const MAX_RADIUS = 24;

/** The style for `appearance`. Invalid values are ignored. docs/guide/theming.md */
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
  typeof value === "number" && value >= 0 && value <= MAX_RADIUS;

function colorProperties(colors: BaseColors): Record<string, string> {
  const light = makePalette(colors, "light");
  const dark = makePalette(colors, "dark");
  const pairs = Object.entries(light).map(([name, color]) => [
    `--${name}`,
    `light-dark(${toHex(color)},${toHex(dark[name] ?? color)})`,
  ]);
  const icons = Math.max(iconText(light, "light"), iconText(dark, "dark"));
  const code = Math.max(codeText(light, "light"), codeText(dark, "dark"));
  return { ...Object.fromEntries(pairs), "--icon-text": `${icons}%`, "--code-text": `${code}%` };
}

function radiusProperties(radius: number): Record<string, string> {
  const pixels = (value: number) => `${Math.round(value * 100) / 100}px`;
  return {
    "--radius-small": pixels(radius * 0.75),
    "--radius": pixels(radius),
    "--radius-large": pixels(Math.min(radius * 1.5, MAX_RADIUS)),
  };
}

/** Generic font families of CSS. They must not be quoted. */
const generic = new Set([
  "serif",
  "sans-serif",
  "monospace",
  "cursive",
  "fantasy",
  "system-ui",
  "ui-serif",
  "ui-sans-serif",
  "ui-rounded",
  "ui-monospace",
  "-apple-system",
  "blinkmacsystemfont",
]);
const MAX_NAME_LENGTH = 64;
const MAX_NAMES = 12;

/**
 * A list of font families in CSS notation, with quoted names and a generic family at the end. Null if a name has characters other than
 * letters, digits, spaces, `-`, `_` and `.`.
 */
function parseFont(text: string): string | null {
  const names = text.split(",").map((name) =>
    name
      .trim()
      .replace(/^(["'])(.*)\1$/, "$2")
      .trim(),
  );
  if (names.length > MAX_NAMES || !names.every(isName)) return null;
  const written = names.map((name) => (isGeneric(name) ? name : `"${name}"`));
  return names.some(isGeneric) ? written.join(", ") : [...written, "sans-serif"].join(", ");
}

const isName = (name: string) => name.length <= MAX_NAME_LENGTH && /^[\p{L}\p{M}\p{N} _.-]+$/u.test(name);
const isGeneric = (name: string) => generic.has(name.toLowerCase());

/** The style element that the server renders for the appearance in the page's URL. */
export const STYLE_ID = "embed-appearance";
