/** CSS's own words in a list of families, which have a meaning only without quotes. */
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
const LONGEST_NAME = 64;
const MOST_NAMES = 12;

/**
 * A list of font families, each name in quotes of ours and a generic one at the end; null where there is anything in it but names:
 * letters, digits, spaces, `-`, `_` and `.`.
 */
export function parseFont(text: string): string | null {
  const names = text.split(",").map((name) =>
    name
      .trim()
      .replace(/^(["'])(.*)\1$/, "$2")
      .trim(),
  );
  if (names.length > MOST_NAMES || !names.every(isName)) return null;
  const written = names.map((name) => (isGeneric(name) ? name : `"${name}"`));
  return names.some(isGeneric) ? written.join(", ") : [...written, "sans-serif"].join(", ");
}

const isName = (name: string) => name.length <= LONGEST_NAME && /^[\p{L}\p{M}\p{N} _.-]+$/u.test(name);
const isGeneric = (name: string) => generic.has(name.toLowerCase());
