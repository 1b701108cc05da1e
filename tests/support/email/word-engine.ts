/**
 * Approximates how Outlook for Windows, whose layout engine is Word, renders an e-mail. Support of each property comes from the data of
 * caniemail.com. Its notes about elements are written as code below.
 */
import { createRequire } from "node:module";

interface Feature {
  slug: string;
  stats: { outlook: { windows?: Record<string, string> } };
  notes_by_num: Record<string, string> | null;
}

const { data } = createRequire(import.meta.url)("caniemail/caniemail.json") as { data: Feature[] };

/** Maps a property of one side, such as `margin-top`, to its shorthand. */
const shorthandOf = (property: string) =>
  property.replace(/^(margin|padding|border)-(top|right|bottom|left)$/, "$1");

/** Support of a CSS property in the newest Outlook for Windows that uses Word: `y`, `n`, or `a` for partial. */
function supportOf(property: string): { support: string; notes: string } {
  const feature = data.find(({ slug }) => slug === `css-${property}`);
  const [support = "u", ...numbers] = feature?.stats.outlook.windows?.["2019"]?.split(" ") ?? [];
  const notes = numbers.map((number) => feature?.notes_by_num?.[number.slice(1)] ?? "").join(" ");
  return { support, notes };
}

const isCell = (element: string) => element === "td" || element === "th";

/** Elements and values for which a partially supported property works. A changed note throws, so that somebody reads it. */
const partialSupport: Record<string, { note: RegExp; holds: (element: string, value: string) => boolean }> = {
  padding: { note: /Only supported on table cells/, holds: (element) => isCell(element) },
  margin: {
    note: /Negative values are not supported.*Not supported on `<span>` and `<body>`.*`auto` value is not supported/s,
    holds: (element, value) => !["span", "body"].includes(element) && !/-|auto/.test(value),
  },
  display: { note: /Only supports `display:none`/, holds: (_, value) => value === "none" },
  width: {
    note: /Not supported on `<body>`, `<span>`, `<div>`, `<p>` or `<img>`/,
    holds: (element) => element === "table" || isCell(element),
  },
  height: {
    note: /Not supported on `<body>`, `<span>`, `<div>` or `<p>`/,
    holds: (element) => ["table", "img"].includes(element) || isCell(element),
  },
  "max-width": { note: /Only works on `<table>`/, holds: (element) => element === "table" },
  border: {
    note: /can not be bigger than 8px.*Unreliable if used on a `<p>` or a `<div>`/s,
    holds: (element) => ["table", "img"].includes(element) || isCell(element),
  },
};

/** Whether Word supports a declaration. Word's own properties (`mso-…`), which the data does not list, count as supported. */
export function isSupportedByWord(element: string, property: string, value: string): boolean {
  if (property.startsWith("mso-")) return true;
  const rule = partialSupport[shorthandOf(property)];
  const { support, notes } = supportOf(shorthandOf(property));
  if (rule !== undefined && support !== "n") {
    if (!rule.note.test(notes)) throw new Error(`caniemail has a new note on ${property}: ${notes}`);
    return rule.holds(element, value);
  }
  return support === "y" || support === "a" || support === "u";
}

export interface Declaration {
  element: string;
  className: string;
  property: string;
  value: string;
}

export function declarationsIn(html: string): Declaration[] {
  return [...html.matchAll(/<(\w+)([^<>]*)>/g)].flatMap(([, element = "", attributes = ""]) => {
    const className = /class="([^"]*)"/.exec(attributes)?.[1] ?? "";
    return parseStyle(attributes).map(([property, value]) => ({ element, className, property, value }));
  });
}

/** Returns the e-mail for a browser without unsupported declarations and with the content for Word only. */
export function asInWord(html: string): string {
  return (
    html
      // Word shows the content of conditional comments and ignores media queries.
      .replace(/@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, "")
      .replace(/<!--\[if mso\]>(.*?)<!\[endif\]-->/gs, "$1")
      .replace(/<xml>.*?<\/xml>/gs, "")
      .replace(/<(\w+)([^<>]*?) style="([^"]*)"/g, (tag, element: string, before: string) => {
        const kept = parseStyle(tag)
          .filter(([property, value]) => isSupportedByWord(element, property, value))
          .map(([property, value]) => `${property.replace("mso-padding-alt", "padding")}: ${value};`);
        return `<${element}${before} style="${kept.join(" ")}"`;
      })
  );
}

function parseStyle(attributes: string): [property: string, value: string][] {
  const style = /style="([^"]*)"/.exec(attributes)?.[1] ?? "";
  return style
    .replaceAll("&quot;", "'")
    .split(";")
    .filter((declaration) => declaration.includes(":"))
    .map((declaration) => {
      const colon = declaration.indexOf(":");
      return [declaration.slice(0, colon).trim(), declaration.slice(colon + 1).trim()];
    });
}
