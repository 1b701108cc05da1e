import type { EmbedAppearance } from "../protocol.js";

/**
 * The members of an appearance. Each has the custom property `--platform-embed-…`; `styles.ts` also puts it into the
 * CSS property named here, from which the computed value is read.
 */
const members = {
  accent: "border-top-color",
  background: "background-color",
  text: "border-left-color",
  radius: "border-top-left-radius",
  font: "",
  density: "",
};
type Member = keyof typeof members;
const names = Object.keys(members) as Member[];
const customProperty = (member: Member) => `--platform-embed-${member}`;

/** Applies the `appearance` property to the element's base. Members that it leaves out are inherited from the page. */
export function setAppearance({ style }: HTMLElement, appearance: EmbedAppearance | null): void {
  for (const member of names) {
    const value = appearance?.[member];
    style.setProperty(customProperty(member), typeof value === "number" ? `${value}px` : (value ?? ""));
  }
}

/**
 * The appearance in force. The browser computes the values, so that the frame can read every colour that CSS can write:
 * names, `var()`, `color-mix()`, `light-dark()`.
 */
export function readAppearance(base: HTMLElement): EmbedAppearance {
  const style = getComputedStyle(base);
  const appearance: Record<string, string | number> = {};
  for (const member of names) {
    const declared = style.getPropertyValue(customProperty(member)).trim();
    const value = style.getPropertyValue(members[member]) || declared;
    if (declared) appearance[member] = member === "radius" ? Number.parseFloat(value) : value;
  }
  return appearance;
}
