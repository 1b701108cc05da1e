import type { EmbedAppearance } from "../../../embed-element/protocol";
import { styleOf } from "./appearance-style";
import type { Scheme } from "./palette";
import { STYLE_ID } from "./style-id";

let applied: string[] = [];

/**
 * Gives the document this appearance in the place of the one it has. Through the object model, for the page's policy forbids style
 * attributes.
 * @returns the scheme of its background, if it has one
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
