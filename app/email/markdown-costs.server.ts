/** Lines like `- > - > text`: more lists and quotes in each other than anybody writes. */
const NESTED_MARKERS = /^[ \t]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+|>[ \t]*){9,}/gm;

/** A list goes through the markers at the start of each of its lines, and looks at the rest of the line again for each. */
export function costOfNestedMarkers(markdown: string): number {
  let cost = 0;
  for (const { 0: markers, index } of markdown.matchAll(NESTED_MARKERS)) {
    const end = markdown.indexOf("\n", index + markers.length);
    cost += 2 * markers.length * ((end === -1 ? markdown.length : end) - index);
  }
  return cost;
}

/** How often a text has a character or mark in it. */
export function occurrences(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count++;
  return count;
}
