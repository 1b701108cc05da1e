/**
 * What Outlook for Windows, which lays out by Word, makes of an e-mail: by the data of caniemail.com as far as it goes by property, and
 * by its notes, which are below as code, where it goes by element.
 */
import { createRequire } from "node:module";

interface Feature {
  slug: string;
  stats: { outlook: { windows?: Record<string, string> } };
  notes_by_num: Record<string, string> | null;
}

const { data } = createRequire(import.meta.url)("caniemail/caniemail.json") as { data: Feature[] };

/** One side of it is as the whole is. */
const wholeOf = (property: string) =>
  property.replace(/^(margin|padding|border)-(top|right|bottom|left)$/, "$1");

/** What the data says of a CSS property in the newest Outlook for Windows that has Word in it: `y`, `n`, or `a` for in part. */
function supportOf(property: string): { support: string; notes: string } {
  const feature = data.find(({ slug }) => slug === `css-${property}`);
  const [support = "u", ...numbers] = feature?.stats.outlook.windows?.["2019"]?.split(" ") ?? [];
  const notes = numbers.map((number) => feature?.notes_by_num?.[number.slice(1)] ?? "").join(" ");
  return { support, notes };
}

/** Where a property that is known in part holds. The notes are compared, so that newer ones are read. */
const inPart: Record<string, { note: RegExp; holds: (element: string, value: string) => boolean }> = {
  padding: { note: /Only supported on table cells/, holds: (element) => element === "td" },
  margin: {
    note: /Negative values are not supported.*Not supported on `<span>` and `<body>`.*`auto` value is not supported/s,
    holds: (element, value) => !["span", "body"].includes(element) && !/-|auto/.test(value),
  },
  display: { note: /Only supports `display:none`/, holds: (_, value) => value === "none" },
  width: {
    note: /Not supported on `<body>`, `<span>`, `<div>`, `<p>` or `<img>`/,
    holds: (element) => ["table", "td"].includes(element),
  },
  height: {
    note: /Not supported on `<body>`, `<span>`, `<div>` or `<p>`/,
    holds: (element) => ["table", "td", "img"].includes(element),
  },
  "max-width": { note: /Only works on `<table>`/, holds: (element) => element === "table" },
  border: {
    note: /can not be bigger than 8px.*Unreliable if used on a `<p>` or a `<div>`/s,
    holds: (element) => ["table", "td", "img"].includes(element),
  },
};

/** Whether Word heeds a declaration. What the data does not know counts as heeded if it is Word's own. */
export function wordHeeds(element: string, property: string, value: string): boolean {
  if (property.startsWith("mso-")) return true;
  const rule = inPart[wholeOf(property)];
  const { support, notes } = supportOf(wholeOf(property));
  if (rule !== undefined && support !== "n") {
    if (!rule.note.test(notes)) throw new Error(`caniemail says something new of ${property}: ${notes}`);
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

/** The e-mail with what Word drops left out, and with what is for Word alone: to be opened in a browser. */
export function asInWord(html: string): string {
  return (
    html
      // Comments for Word are no comments there; it knows no media query.
      .replace(/@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, "")
      .replace(/<!--\[if mso\]>(.*?)<!\[endif\]-->/gs, "$1")
      .replace(/<xml>.*?<\/xml>/gs, "")
      .replace(/<(\w+)([^<>]*?) style="([^"]*)"/g, (tag, element: string, before: string) => {
        const kept = parseStyle(tag)
          .filter(([property, value]) => wordHeeds(element, property, value))
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
