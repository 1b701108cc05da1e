import type { EmbedAppearance } from "../../../embed-element/protocol";
import { styleOf } from "./appearance-style";
import type { Scheme } from "./palette";

/** The appearance that a page is rendered with. */
export interface PageAppearance {
  /** as the address has it, for the browser to know whether another one is wanted later */
  given: EmbedAppearance;
  scheme: Scheme | null;
  density: "compact" | null;
  /** a style sheet; empty where the address names no appearance */
  css: string;
}

/** of a value in the address, characters; longer ones are no appearance */
const LONGEST = 300;

/** Reads `accent`, `background`, `text`, `radius`, `font` and `density`. What is invalid is as if it were not there. docs/guide/theming.md */
export function readAppearance(query: URLSearchParams): PageAppearance {
  const given: Record<string, string | number> = {};
  for (const name of ["accent", "background", "text", "radius", "font", "density"]) {
    const value = query.get(name);
    if (value && value.length <= LONGEST) given[name] = name === "radius" ? Number(value) : value;
  }
  const { properties, scheme, density } = styleOf(given as EmbedAppearance);
  const declarations = Object.entries(properties).map(([name, value]) => `${name}:${value}`);
  // Twice, to weigh more than the same names in embed.css, wherever that is loaded.
  const css = declarations.length > 0 ? `:root:root{${declarations.join(";")}}` : "";
  return { given: given as EmbedAppearance, scheme, density, css };
}
