import { resolveThemeColor } from "hucre/xlsx";
import {
  black,
  contrast,
  MIN_TEXT_CONTRAST,
  parseColor,
  readable,
  toHex,
  white,
} from "../../../../embed/appearance/color";

/** Colours of CSS; undefined where they are those of the page. */
export interface CellColors {
  fill?: string;
  /** of the text; readable on `fill`, and without one in both themes */
  color?: string;
}

type Rgb = typeof white;
/** A colour of its own, or one of the theme. */
export interface Color {
  /** six hexadecimal digits */
  rgb?: string;
  /** from 0, as cells count them */
  theme?: number;
  /** from -1, black, to 1, white */
  tint?: number;
}

/** The backgrounds of sheets, in a light and a dark theme, may be any of these. */
const grounds = {
  light: [white, parseColor("#f0f0f0") ?? white],
  dark: [black, parseColor("#24262b") ?? black],
};
/** Excel's own black and white look like no colour: a white sheet would glare in a dark theme. */
const MIN_DIFFERENCE = 1.05;
const looksLike = (color: Rgb, other: Rgb) => contrast(color, other) < MIN_DIFFERENCE;

/**
 * Reads the colours of cells.
 * @param themeColors of the workbook, as hucre returns them
 */
export function colorReader(themeColors: string[]): (fill?: Color, text?: Color) => CellColors {
  /** Few cells have colours of their own. */
  const known = new Map<string, CellColors>();
  return (fill, text) => {
    if (!fill && !text) return {};
    const id = JSON.stringify([fill, text]);
    const colors = known.get(id) ?? colorsOf(toRgb(fill, themeColors), toRgb(text, themeColors));
    known.set(id, colors);
    return colors;
  };
}

function colorsOf(fill: Rgb | null, text: Rgb | null): CellColors {
  if (fill && !looksLike(fill, white))
    return { fill: toHex(fill), color: toHex(readable(text ?? black, [fill], MIN_TEXT_CONTRAST)) };
  if (!text || looksLike(text, black) || looksLike(text, white)) return {};
  const [light, dark] = [grounds.light, grounds.dark].map((backgrounds) =>
    toHex(readable(text, backgrounds, MIN_TEXT_CONTRAST)),
  );
  return { color: `light-dark(${light}, ${dark})` };
}

function toRgb({ rgb, theme, tint }: Color = {}, themeColors: string[]): Rgb | null {
  if (rgb !== undefined) return parseColor(`#${rgb}`);
  if (theme === undefined) return null;
  return parseColor(`#${resolveThemeColor(themeColors, THEME_ORDER[theme] ?? theme, tint)}`);
}

/** Cells count light colours first: white, black, and the second pair. The theme's own list begins with the dark ones. */
const THEME_ORDER = [1, 0, 3, 2];
