import type { EmbedAppearance } from "../protocol";

/** What there is to an appearance, each in the custom property `--platform-embed-…`, and the property of the base that computes it. */
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
const propertyOf = (member: Member) => `--platform-embed-${member}`;

/** Lets the element's base have the appearance that a script has set; what it leaves out is inherited from the page. */
export function setAppearance({ style }: HTMLElement, appearance: EmbedAppearance | null): void {
  for (const member of names) {
    const value = appearance?.[member];
    style.setProperty(propertyOf(member), typeof value === "number" ? `${value}px` : (value ?? ""));
  }
}

/**
 * The appearance in force. The browser computes it, so that whatever CSS knows as a colour (names, `var()`, `color-mix()`, `light-dark()`) is
 * one that the frame can read.
 */
export function readAppearance(base: HTMLElement): EmbedAppearance {
  const style = getComputedStyle(base);
  const appearance: Record<string, string | number> = {};
  for (const member of names) {
    const given = style.getPropertyValue(propertyOf(member)).trim();
    const value = style.getPropertyValue(members[member]) || given;
    if (given) appearance[member] = member === "radius" ? Number.parseFloat(value) : value;
  }
  return appearance;
}
