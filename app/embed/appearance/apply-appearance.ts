import type { EmbedAppearance } from "../../../embed-element/protocol";
import { STYLE_ID, styleOf } from "./appearance-style";
import type { Scheme } from "./palette";

let applied: string[] = [];

/**
 * Replaces the document's appearance. Through the object model, because the page's policy forbids style attributes.
 * @returns the scheme of its background, or null without a background
 */
export function applyAppearance(appearance: EmbedAppearance): Scheme | null {
  const { properties, scheme, density } = styleOf(appearance);
  const { style, dataset } = document.documentElement;
  const rendered = document.getElementById(STYLE_ID);
  if (rendered instanceof HTMLStyleElement) rendered.disabled = true;
  for (const name of applied) style.removeProperty(name);
  for (const [name, value] of Object.entries(properties)) style.setProperty(name, value);
  applied = Object.keys(properties);
  if (density) dataset.density = density;
  else delete dataset.density;
  return scheme;
}
