/** So many characters tell the direction of a text. */
const SAMPLE = 4_000;
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdfd\ufe70-\ufefc]/;
const letter = /\p{Letter}/u;

/** The direction that the first letter has. `dir="auto"` tells it for every line of its own, which takes a browser seconds in a long text. */
export function directionOf(text: string): "ltr" | "rtl" {
  const first = letter.exec(text.slice(0, SAMPLE))?.[0] ?? "";
  return rightToLeft.test(first) ? "rtl" : "ltr";
}
