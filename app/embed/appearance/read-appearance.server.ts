import type { EmbedAppearance } from "../../../embed-element/protocol";
import { styleOf } from "./appearance-style";
import type { Scheme } from "./palette";

/** The appearance of a rendered page. */
export interface PageAppearance {
  /** as given in the URL; the browser compares later messages with it */
  given: EmbedAppearance;
  scheme: Scheme | null;
  density: "compact" | null;
  /** a style sheet; empty if the URL names no appearance */
  css: string;
}

/** Longer values are ignored. */
const MAX_VALUE_LENGTH = 300;

/** Reads `accent`, `background`, `text`, `radius`, `font` and `density`. Invalid values are ignored. docs/guide/theming.md */
export function readAppearance(query: URLSearchParams): PageAppearance {
  const given: Record<string, string | number> = {};
  for (const name of ["accent", "background", "text", "radius", "font", "density"]) {
    const value = query.get(name);
    if (value && value.length <= MAX_VALUE_LENGTH) given[name] = name === "radius" ? Number(value) : value;
  }
  const { properties, scheme, density } = styleOf(given as EmbedAppearance);
  const declarations = Object.entries(properties).map(([name, value]) => `${name}:${value}`);
  // `:root` twice, to override embed.css regardless of their order.
  const css = declarations.length > 0 ? `:root:root{${declarations.join(";")}}` : "";
  return { given: given as EmbedAppearance, scheme, density, css };
}
