import type { CellStyle } from "hucre/xlsx";
import { resolveThemeColor } from "hucre/xlsx";
import {
  black,
  contrast,
  MIN_TEXT_CONTRAST,
  parseColor,
  readable,
  toHex,
  white,
} from "../../../../../embed/appearance/color";

/** Colours of CSS; undefined where they are those of the page. */
export interface CellColors {
  fill?: string;
  /** of the text; readable on `fill`, and without one in both themes */
  color?: string;
}

type Rgb = typeof white;
/** As hucre returns it. */
export type Color = NonNullable<NonNullable<CellStyle["font"]>["color"]>;

/** The backgrounds of sheets, in a light and a dark theme, may be any of these. */
const grounds = {
  light: [white, parseColor("#f0f0f0") ?? white],
  dark: [black, parseColor("#24262b") ?? black],
};
/** Excel's own black and white look like no colour: a white sheet would glare in a dark theme. */
const MIN_DIFFERENCE = 1.05;
const looksLike = (color: Rgb, other: Rgb) => contrast(color, other) < MIN_DIFFERENCE;

/**
 * Reads the colours of cells. Gradients, patterns and the numbered colours of old files are left out.
 * @param themeColors of the workbook, as the reader returns them
 */
export function colorReader(themeColors: string[] = []): (style: CellStyle | undefined) => CellColors {
  /** Few cells have colours of their own. */
  const known = new Map<string, CellColors>();
  return (style) => {
    const fill = fillOf(style);
    const font = style?.font?.color;
    if (!fill && !font) return {};
    const id = JSON.stringify([fill, font]);
    const colors = known.get(id) ?? colorsOf(toRgb(fill, themeColors), toRgb(font, themeColors));
    known.set(id, colors);
    return colors;
  };
}

function fillOf(style: CellStyle | undefined): Color | undefined {
  const fill = style?.fill;
  return fill?.type === "pattern" && fill.pattern === "solid" ? fill.fgColor : undefined;
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
