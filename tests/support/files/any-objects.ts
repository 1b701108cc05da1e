/** Random objects for property tests, many of which have keys that are hard to handle. */
import fc from "fast-check";

const odd = [
  "",
  ".",
  "..",
  "a",
  "A",
  "b.txt",
  "back\\slash",
  "new\nline",
  "tab\t",
  "\r",
  "\u0001\u007f\u0085",
  "nul\0",
  " ",
  "+ %2F%41",
  "&lt;<b>\"'",
  "é",
  "e\u0301",
  "🙂",
  "\ufffe\uffff",
  "\u202e",
  "CON.txt",
  "x".repeat(200),
];
const segment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...odd) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: "binary", maxLength: 5 }).map((text) => text.replaceAll("/", "")),
  },
);
/** A key below a folder, with its content. The folder's own object has the empty key. */
const object = fc.tuple(
  fc.array(segment, { maxLength: 4 }).map((segments) => segments.join("/")),
  fc.constantFrom("", "content"),
);
/** One to eight objects: their keys and contents. */
export const anyObjects = fc.uniqueArray(object, { minLength: 1, maxLength: 8, selector: ([key]) => key });
